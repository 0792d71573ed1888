"""Properties of attention that hold for every input, from the bare function up to whole models (chapters 04 to 08).

Each property is said once and asked of every module that has it, in float64, with drawn sizes and all weights random.
What belongs to one chapter alone is in that chapter's own tests: cached equals uncached in test_language_model.py, the
layout of patches in test_vit.py, the attentions over a recurrent encoder in test_bahdanau.py.
"""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course.watch import watch_attention
from solutions.dot_product import SelfAttention, causal_mask, padding_mask, scaled_dot_product_attention
from solutions.language_model import CausalLanguageModel
from solutions.multi_head import LearnedPositionalEncoding, MultiHeadAttention
from solutions.transformer import Transformer, TransformerDecoder, TransformerEncoder
from solutions.vit import VisionTransformer, patchify
from tests.solutions.peers.compare import generator, randomize

D, H, D_FF, V, LONGEST = 6, 2, 9, 8, 12
BOS = 1
SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 5)
ORDERS = st.sampled_from([False, True])  # norm_first
few = settings(max_examples=15, deadline=None)
close = partial(torch.testing.assert_close, atol=1e-10, rtol=1e-10)


@pytest.fixture(autouse=True, scope="module")
def _no_gradients():
    with torch.no_grad():
        yield


def made(module: nn.Module, seed: int) -> nn.Module:
    return randomize(module.double(), seed)


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator(seed), dtype=torch.float64)


def words(seed: int, *shape: int) -> Tensor:
    """Token ids, none of them reserved."""
    return torch.randint(3, V, shape, generator=generator(seed))


def some_mask(seed: int, *shape: int) -> Tensor:
    """Rows may allow nothing."""
    return torch.rand(shape, generator=generator(seed)) < 0.6


def some_order(seed: int, count: int) -> Tensor:
    return torch.randperm(count, generator=generator(seed))


def encoder(seed: int, norm_first: bool) -> nn.Module:
    return made(TransformerEncoder(D, H, D_FF, 2, norm_first=norm_first), seed)


def decoder(seed: int, norm_first: bool) -> nn.Module:
    return made(TransformerDecoder(D, H, D_FF, 2, norm_first=norm_first), seed)


def translator(seed: int, norm_first: bool = True) -> nn.Module:
    return made(Transformer(V, V, D, H, D_FF, 2, bos_id=BOS, norm_first=norm_first), seed)


def language_model(seed: int) -> nn.Module:
    return made(CausalLanguageModel(V, LONGEST, D, H, D_FF, 2), seed)


# ---- rows of weights sum to one over the allowed keys ---------------------------------------------------------------


def assert_shared_out(weights: Tensor, mask: Tensor | None) -> None:
    """Rows sum to one over the allowed keys, or are zero where none is; nothing goes to a forbidden key."""
    allowed = (torch.tensor(True) if mask is None else mask).expand(weights.shape)
    assert (weights >= 0).all() and not weights[~allowed].any()
    close(weights.sum(-1), allowed.any(-1).double())


@given(seed=SEEDS, B=SIZES, T=SIZES, S=SIZES, masked=st.booleans())
@few
def test_every_attention_shares_out_one(seed, B, T, S, masked):
    x, y = normal(seed, B, T, D), normal(seed + 1, B, S, D)
    across, within = (some_mask(seed, B, T, S), some_mask(seed, B, T, T)) if masked else (None, None)
    assert_shared_out(scaled_dot_product_attention(x, y, y, across)[1], across)
    assert_shared_out(made(SelfAttention(D), seed)(x, within)[1], within)
    weights = made(MultiHeadAttention(D, H), seed)(x, y, y, across)[1]
    assert weights.shape == (B, H, T, S)
    assert_shared_out(weights, across.unsqueeze(1) if masked else None)


@given(seed=SEEDS, lengths=st.lists(SIZES, min_size=1, max_size=3), T=SIZES)
@few
def test_every_layer_of_a_whole_model_shares_out_one(seed, lengths, T):
    """Over the masks that the models make for themselves: causal, padding, none."""
    B, S = len(lengths), max(lengths)
    real = padding_mask(torch.tensor(lengths), S).unsqueeze(1)
    for model, inputs, masks in (
        (
            translator(seed),
            (words(seed, B, S), torch.tensor(lengths), words(seed + 1, B, T)),
            {"encoder": real, "decoder.layers.0.self": causal_mask(T), "decoder.layers.0.cross": real},
        ),
        (language_model(seed), (words(seed, B, T),), {"layers": causal_mask(T)}),
        (made(VisionTransformer((4, 6), 2, D, H, 2, D_FF, 3), seed), (normal(seed, B, 3, 4, 6),), {"encoder": None}),
    ):
        with watch_attention(model) as seen:
            model(*inputs)
        for start, mask in masks.items():
            watched = [weights for name, weights in seen.items() if name.startswith(start)]
            assert watched
            for weights in watched:
                assert_shared_out(weights, mask)


# ---- causality: what comes later changes nothing --------------------------------------------------------------------


def attend_to_the_past(attention, x: Tensor) -> Tensor:
    return attention(x, x, x, causal_mask(x.shape[1]))[0]


def memory_for(x: Tensor, seed: int) -> Tensor:
    return normal(seed, len(x), 3, D)


# Each reads x (B, T, D), with weights drawn from a seed; norm_first where there are norms.
CAUSAL_READERS = {
    "scaled_dot_product_attention": lambda x, seed, norm_first: attend_to_the_past(scaled_dot_product_attention, x),
    "SelfAttention": lambda x, seed, norm_first: made(SelfAttention(D), seed)(x, causal_mask(x.shape[1]))[0],
    "MultiHeadAttention": lambda x, seed, norm_first: attend_to_the_past(made(MultiHeadAttention(D, H), seed), x),
    "TransformerEncoder": lambda x, seed, norm_first: encoder(seed, norm_first)(x, causal_mask(x.shape[1])),
    "TransformerDecoder": lambda x, seed, norm_first: decoder(seed, norm_first)(
        x, memory_for(x, seed), causal_mask(x.shape[1])
    ),
}
# These read tokens (B, T), and mask the future themselves.
CAUSAL_MODELS = {
    "Transformer": lambda tokens, seed, norm_first: translator(seed, norm_first).decode(
        tokens, memory_for(tokens, seed)
    ),
    "CausalLanguageModel": lambda tokens, seed, norm_first: language_model(seed)(tokens),
}


def assert_the_future_never_matters(first: Tensor, second: Tensor, cut: int) -> None:
    """Outputs for inputs that agree up to the cut and nowhere behind it: the same up to the cut, and not at it."""
    close(first[:, :cut], second[:, :cut])
    assert ((first - second)[:, cut].abs() > 1e-9).any()


@pytest.mark.parametrize("reader", CAUSAL_READERS)
@given(seed=SEEDS, B=SIZES, past=SIZES, future=SIZES, norm_first=ORDERS)
@few
def test_what_comes_later_changes_nothing(reader, seed, B, past, future, norm_first):
    x = normal(seed, B, past + future, D)
    other = torch.cat([x[:, :past], 10 * normal(seed + 1, B, future, D)], dim=1)
    read = partial(CAUSAL_READERS[reader], seed=seed, norm_first=norm_first)
    assert_the_future_never_matters(read(x), read(other), past)


@pytest.mark.parametrize("model", CAUSAL_MODELS)
@given(seed=SEEDS, B=SIZES, past=SIZES, future=SIZES, norm_first=ORDERS)
@few
def test_what_is_written_later_changes_nothing(model, seed, B, past, future, norm_first):
    tokens = words(seed, B, past + future)
    other = tokens.clone()
    other[:, past:] = 3 + (tokens[:, past:] - 2) % (V - 3)  # another word everywhere
    read = partial(CAUSAL_MODELS[model], seed=seed, norm_first=norm_first)
    assert_the_future_never_matters(read(tokens), read(other), past)


def test_without_the_mask_the_future_matters():
    """The control: the perturbation above is one that shows."""
    x = normal(0, 2, 5, D)
    other = torch.cat([x[:, :3], normal(1, 2, 2, D)], dim=1)
    for read in (encoder(0, True), partial(decoder(0, True), memory=normal(2, 2, 3, D))):
        assert ((read(x) - read(other))[:, :3].abs() > 1e-6).any(dim=2).all()


# ---- order: attention has none --------------------------------------------------------------------------------------


@given(seed=SEEDS, B=SIZES, T=SIZES, masked=st.booleans(), norm_first=ORDERS)
@few
def test_shuffled_tokens_give_shuffled_outputs(seed, B, T, masked, norm_first):
    """Self-attention, several heads and a whole encoder: the mask is shuffled with the tokens, rows and columns."""
    x, order = normal(seed, B, T, D), some_order(seed, T)
    mask = some_mask(seed, B, T, T) if masked else None
    shuffled = mask[:, order][:, :, order] if masked else None
    heads = made(MultiHeadAttention(D, H), seed)
    for attend in (made(SelfAttention(D), seed), lambda x, mask: heads(x, x, x, mask)):
        (output, weights), (other, other_weights) = attend(x, mask), attend(x[:, order], shuffled)
        close(other, output[:, order])
        close(other_weights, weights[..., order, :][..., order])
    whole = encoder(seed, norm_first)
    close(whole(x[:, order], shuffled), whole(x, mask)[:, order])


@given(seed=SEEDS, B=SIZES, T=SIZES, S=SIZES, masked=st.booleans(), norm_first=ORDERS)
@few
def test_the_order_of_what_is_asked_never_matters(seed, B, T, S, masked, norm_first):
    """Cross-attention: keys and values are a set. A decoder's memory too."""
    x, memory, order = normal(seed, B, T, D), normal(seed + 1, B, S, D), some_order(seed, S)
    mask = some_mask(seed, B, T, S) if masked else None
    shuffled = mask[:, :, order] if masked else None
    heads, whole = made(MultiHeadAttention(D, H), seed), decoder(seed, norm_first)
    close(heads(x, memory[:, order], memory[:, order], shuffled)[0], heads(x, memory, memory, mask)[0])
    close(whole(x, memory[:, order], causal_mask(T), shuffled), whole(x, memory, causal_mask(T), mask))


@given(seed=SEEDS, B=SIZES, T=st.integers(2, 6))
@few
def test_with_positions_the_order_matters(seed, B, T):
    """The control: the same encoder behind a table of positions."""
    x, whole = (
        normal(seed, B, T, D),
        nn.Sequential(made(LearnedPositionalEncoding(LONGEST, D), seed), encoder(seed, True)),
    )
    assert ((whole(x.roll(1, 1)) - whole(x).roll(1, 1)).abs() > 1e-6).any()


@given(seed=SEEDS, B=SIZES, pool=st.sampled_from(["class", "mean"]))
@few
def test_a_picture_without_positions_is_a_set_of_patches(seed, B, pool):
    model = made(VisionTransformer((4, 6), 2, D, H, 2, D_FF, 3, pool=pool), seed)
    images, order = normal(seed, B, 3, 4, 6), some_order(seed, 6)
    shuffled = F.fold(patchify(images, 2)[:, order].transpose(1, 2), (4, 6), 2, stride=2)
    model.positions.weight.zero_()
    close(model(shuffled), model(images))


# ---- padding never matters ------------------------------------------------------------------------------------------


@given(seed=SEEDS, B=SIZES, T=SIZES, S=SIZES, extra=SIZES)
@few
def test_keys_that_are_forbidden_might_as_well_be_away(seed, B, T, S, extra):
    """Attention, and both towers of the Transformer, with large numbers in what is forbidden."""
    x, memory = normal(seed, B, T, D), normal(seed + 1, B, S, D)
    mask = some_mask(seed, B, T, S)
    longer = torch.cat([memory, 1e3 * normal(seed + 2, B, extra, D)], dim=1)
    longer_mask = F.pad(mask, (0, extra), value=False)
    heads = made(MultiHeadAttention(D, H), seed)
    for attend in (scaled_dot_product_attention, heads):
        (output, weights), (other, other_weights) = (
            attend(x, y, y, m) for y, m in ((memory, mask), (longer, longer_mask))
        )
        close(other, output)
        close(other_weights, F.pad(weights, (0, extra)))
    for norm_first in (False, True):
        whole = decoder(seed, norm_first)
        close(whole(x, longer, causal_mask(T), longer_mask), whole(x, memory, causal_mask(T), mask))


@given(seed=SEEDS, lengths=st.lists(SIZES, min_size=1, max_size=4), extra=st.integers(0, 3), norm_first=ORDERS)
@few
def test_an_encoder_reads_each_row_of_a_padded_batch_as_if_alone(seed, lengths, extra, norm_first):
    whole, S = encoder(seed, norm_first), max(lengths) + extra
    x = normal(seed, len(lengths), S, D)
    together = whole(x, padding_mask(torch.tensor(lengths), S))
    for b, n in enumerate(lengths):
        close(together[b, :n], whole(x[b : b + 1, :n])[0])


@given(
    seed=SEEDS,
    lengths=st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=4),
    extra=st.integers(0, 3),
    norm_first=ORDERS,
)
@few
def test_a_transformer_translates_each_row_of_a_padded_batch_as_if_alone(seed, lengths, extra, norm_first):
    """Whatever stands in the padding of the source and, behind its end, of the target."""
    model = translator(seed, norm_first)
    S, T = (max(n) + extra for n in zip(*lengths, strict=True))
    source, targets = words(seed, len(lengths), S), words(seed + 1, len(lengths), T)
    together = model(source, torch.tensor([s for s, _ in lengths]), targets)
    for b, (s, t) in enumerate(lengths):
        alone = model(source[b : b + 1, :s], torch.tensor([s]), targets[b : b + 1, :t])
        close(together[b, :t], alone[0])


# ---- step by step equals all at once --------------------------------------------------------------------------------


@given(seed=SEEDS, lengths=st.lists(SIZES, min_size=1, max_size=3), T=SIZES, norm_first=ORDERS)
@few
def test_a_transformer_writes_word_by_word_what_it_says_at_once(seed, lengths, T, norm_first):
    model, lengths = translator(seed, norm_first), torch.tensor(lengths)
    B, source = len(lengths), words(seed, len(lengths), int(lengths.max()))
    targets = words(seed + 1, B, T)
    at_once = model(source, lengths, targets)
    token, state = torch.full((B,), BOS), model.start(source, lengths)
    for t in range(T):
        logits, state = model.step(token, state)
        close(logits, at_once[:, t])
        token = targets[:, t]


# ---- pictures need not be square ------------------------------------------------------------------------------------


@given(seed=SEEDS, rows=SIZES, columns=SIZES, pool=st.sampled_from(["class", "mean", "first", "last"]))
@few
def test_a_picture_laid_on_its_side_with_all_that_knows_its_shape(seed, rows, columns, pool):
    """Image, patches' weights and table of positions turned over the diagonal: the same answer."""
    P, C = 2, 3
    upright = made(VisionTransformer((rows * P, columns * P), P, D, H, 2, D_FF, 4, pool=pool), seed)
    turned = VisionTransformer((columns * P, rows * P), P, D, H, 2, D_FF, 4, pool=pool).double().eval()
    state = upright.state_dict()
    table, classes = state["positions.weight"], int(pool == "class")
    patches = table[classes:].reshape(rows, columns, D).transpose(0, 1).flatten(0, 1)
    weight = state["patches.projection.weight"].reshape(D, C, P, P).transpose(2, 3).flatten(1)
    turned.load_state_dict(
        state | {"positions.weight": torch.cat([table[:classes], patches]), "patches.projection.weight": weight}
    )
    images = normal(seed, 2, C, rows * P, columns * P)
    close(turned(images.transpose(2, 3)), upright(images))
