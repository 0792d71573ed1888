"""The course's modules against torch.nn's: the same weights give the same outputs, weights and gradients.

All sizes differ. The masks of PyTorch's modules are the other way round, True = may not attend: ours are turned over
for them. `nn.MultiheadAttention` has NaN where a row allows nothing: such rows are compared in test_dot_product.py,
with `F.scaled_dot_product_attention`.
"""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.weights import (
    decoder_from_torch,
    decoder_layer_from_torch,
    encoder_from_torch,
    encoder_layer_from_torch,
    gru_cell_from_torch,
    multi_head_from_torch,
)
from solutions.dot_product import causal_mask, padding_mask
from solutions.multi_head import MultiHeadAttention
from solutions.seq2seq import GRUCell
from solutions.transformer import DecoderLayer, EncoderLayer, Transformer, TransformerDecoder, TransformerEncoder
from tests.solutions.peers.compare import TOLERANCE, assert_close, assert_equal_to_peer, generator, randomize

B, T, S, D, H, D_FF = 3, 4, 6, 10, 2, 7
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
ORDERS = pytest.mark.parametrize("norm_first", [False, True], ids=["post", "pre"])
ACTIVATIONS = pytest.mark.parametrize("activation", [F.relu, F.gelu], ids=["relu", "gelu"])
PADDED = {T: padding_mask(torch.tensor([4, 1, 3]), T), S: padding_mask(torch.tensor([2, 6, 5]), S)}  # (B, 1, length)


def normal(*shape: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=generator(seed), dtype=dtype)


def some_mask(*shape: int) -> Tensor:
    """Random, with at least one allowed key in each row."""
    mask = torch.rand(shape, generator=generator(5)) < 0.5
    mask[..., 0] = True
    return mask


# ---- GRU ------------------------------------------------------------------------------------------------------------

CELLS = [(layer, reverse) for layer in (0, 1) for reverse in (False, True)]


class BidirectionalGRU(nn.Module):
    """Two layers of our cells, each layer reading what both directions of the layer below say."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList(GRUCell(2 * D_FF if layer else D, D_FF) for layer, _ in CELLS)

    def forward(self, x: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        last = []
        for _ in range(2):
            halves = []
            for reverse in (False, True):
                state, states = hidden[len(last)], []
                for step in (x.flip(1) if reverse else x).unbind(dim=1):
                    state = self.cells[len(last)](step, state)
                    states.append(state)
                last.append(state)
                halves.append(torch.stack(states[::-1] if reverse else states, dim=1))
            x = torch.cat(halves, dim=2)
        return x, torch.stack(last)


def cells_from_torch(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        f"cells.{i}.{name}": tensor
        for i, (layer, reverse) in enumerate(CELLS)
        for name, tensor in gru_cell_from_torch(state, layer, reverse).items()
    }


@DTYPES
def test_gru_cells_make_torchs_bidirectional_gru(dtype):
    theirs = randomize(nn.GRU(D, D_FF, num_layers=2, batch_first=True, bidirectional=True, dtype=dtype))
    ours = BidirectionalGRU().to(dtype)
    x, hidden = normal(B, T, D, dtype=dtype), normal(len(CELLS), B, D_FF, dtype=dtype, seed=1)
    assert_equal_to_peer(ours, theirs, cells_from_torch, ours, theirs, x, hidden)


# ---- several heads --------------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize("masked", [False, True], ids=["padding", "padding and each query"])
def test_multi_head_attention_is_torchs_head_by_head(dtype, masked):
    """Queries, keys and values from three places, both of the peer's masks; the weights of each head too."""
    theirs = randomize(nn.MultiheadAttention(D, H, batch_first=True, dtype=dtype))
    ours = MultiHeadAttention(D, H).to(dtype)
    between = some_mask(T, S) if masked else torch.ones(T, S, dtype=torch.bool)
    turned = {"key_padding_mask": ~PADDED[S][:, 0], "attn_mask": ~between}
    assert_equal_to_peer(
        ours,
        theirs,
        multi_head_from_torch,
        lambda *inputs: ours(*inputs, PADDED[S] & between),
        lambda *inputs: theirs(*inputs, **turned, average_attn_weights=False),
        normal(B, T, D, dtype=dtype),
        normal(B, S, D, dtype=dtype, seed=1),
        normal(B, S, D, dtype=dtype, seed=2),
    )


# ---- encoder and decoder layers -------------------------------------------------------------------------------------


@DTYPES
@ORDERS
@ACTIVATIONS
@pytest.mark.parametrize("masked", ["nothing", "padding", "padding and causal"])
def test_encoder_layer_is_torchs(dtype, norm_first, activation, masked):
    """An eps of a tenth: one that is not passed on shows."""
    options = {"activation": activation, "layer_norm_eps": 0.1, "norm_first": norm_first}
    theirs = randomize(nn.TransformerEncoderLayer(D, H, D_FF, 0.0, batch_first=True, dtype=dtype, **options))
    ours = EncoderLayer(D, H, D_FF, **options).to(dtype)
    causal = causal_mask(S) if "causal" in masked else torch.ones(S, S, dtype=torch.bool)
    padding = PADDED[S] if "padding" in masked else None

    def call_ours(x):
        return (ours(x, None if padding is None else padding & causal),)

    def call_theirs(x):
        return (theirs(x, src_mask=~causal, src_key_padding_mask=None if padding is None else ~padding[:, 0]),)

    assert_equal_to_peer(ours, theirs, encoder_layer_from_torch, call_ours, call_theirs, normal(B, S, D, dtype=dtype))


@DTYPES
@ORDERS
@ACTIVATIONS
@pytest.mark.parametrize("masked", [False, True], ids=["open", "masked"])
def test_decoder_layer_is_torchs(dtype, norm_first, activation, masked):
    """Target and source of unequal lengths; masked: the target causal and padded, the source padded."""
    options = {"activation": activation, "layer_norm_eps": 0.1, "norm_first": norm_first}
    theirs = randomize(nn.TransformerDecoderLayer(D, H, D_FF, 0.0, batch_first=True, dtype=dtype, **options))
    ours = DecoderLayer(D, H, D_FF, **options).to(dtype)
    masks = (PADDED[T] & causal_mask(T), PADDED[S]) if masked else (None, None)
    turned = (
        {
            "tgt_mask": ~causal_mask(T),
            "tgt_key_padding_mask": ~PADDED[T][:, 0],
            "memory_key_padding_mask": ~PADDED[S][:, 0],
        }
        if masked
        else {}
    )
    assert_equal_to_peer(
        ours,
        theirs,
        decoder_layer_from_torch,
        lambda x, memory: (ours(x, memory, *masks),),
        lambda x, memory: (theirs(x, memory, **turned),),
        normal(B, T, D, dtype=dtype),
        normal(B, S, D, dtype=dtype, seed=1),
    )


# ---- towers ---------------------------------------------------------------------------------------------------------


@DTYPES
@ORDERS
def test_transformer_encoder_is_torchs(dtype, norm_first):
    """The norm behind the last layer is ours where norm_first; theirs is an option of its own."""
    layer = nn.TransformerEncoderLayer(D, H, D_FF, 0.0, batch_first=True, dtype=dtype, norm_first=norm_first)
    norm = nn.LayerNorm(D, dtype=dtype) if norm_first else None
    theirs = randomize(nn.TransformerEncoder(layer, 3, norm, enable_nested_tensor=False))
    ours = TransformerEncoder(D, H, D_FF, 3, norm_first=norm_first).to(dtype)
    assert_equal_to_peer(
        ours,
        theirs,
        encoder_from_torch,
        lambda x: (ours(x, PADDED[S]),),
        lambda x: (theirs(x, src_key_padding_mask=~PADDED[S][:, 0]),),
        normal(B, S, D, dtype=dtype),
    )


@DTYPES
@ORDERS
def test_transformer_decoder_is_torchs(dtype, norm_first):
    layer = nn.TransformerDecoderLayer(D, H, D_FF, 0.0, batch_first=True, dtype=dtype, norm_first=norm_first)
    theirs = randomize(nn.TransformerDecoder(layer, 3, nn.LayerNorm(D, dtype=dtype) if norm_first else None))
    ours = TransformerDecoder(D, H, D_FF, 3, norm_first=norm_first).to(dtype)
    assert_equal_to_peer(
        ours,
        theirs,
        decoder_from_torch,
        lambda x, memory: (ours(x, memory, causal_mask(T), PADDED[S]),),
        lambda x, memory: (theirs(x, memory, ~causal_mask(T), memory_key_padding_mask=~PADDED[S][:, 0]),),
        normal(B, T, D, dtype=dtype),
        normal(B, S, D, dtype=dtype, seed=1),
    )


def from_torch_transformer(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Both towers of nn.Transformer, which has neither embeddings nor an output layer."""
    translated = {}
    for tower, translate in (("encoder", encoder_from_torch), ("decoder", decoder_from_torch)):
        inside = {name.removeprefix(f"{tower}."): state[name] for name in state if name.startswith(f"{tower}.")}
        translated |= {f"{tower}.{name}": tensor for name, tensor in translate(inside).items()}
    return translated


@DTYPES
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_transformer_is_torchs_between_embeddings_and_output(dtype):
    """The same sentences through the same embeddings: shift, both masks and the towers' wiring."""
    V = 11
    ours = randomize(Transformer(V, V + 2, D, H, D_FF, num_layers=2, bos_id=1).to(dtype), seed=1)
    theirs = randomize(nn.Transformer(D, H, 2, 2, D_FF, 0.0, batch_first=True, norm_first=True, dtype=dtype))
    ours.load_state_dict(from_torch_transformer(theirs.state_dict()), strict=False)
    lengths = PADDED[S].sum(dim=(1, 2))
    source = torch.randint(3, V, (B, S), generator=generator())
    targets = torch.randint(3, V, (B, T), generator=generator(1))
    goes_in = torch.cat([torch.ones(B, 1, dtype=torch.int64), targets[:, :-1]], dim=1)
    states = theirs(
        ours.embed(ours.source_embedding, source),
        ours.embed(ours.target_embedding, goes_in),
        tgt_mask=~causal_mask(T),
        src_key_padding_mask=~PADDED[S][:, 0],
        memory_key_padding_mask=~PADDED[S][:, 0],
    )
    assert_close(ours(source, lengths, targets), ours.output(states))
