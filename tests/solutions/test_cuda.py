"""Chapter 09's solutions against what did it first, and the properties that hold for every input."""

import copy
import time

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from solutions.cuda import (
    FusedCausalAttention,
    FusedMultiHeadAttention,
    StaticKeyValueCache,
    accumulate,
    attention_in_blocks,
    fuse_attention,
    low_precision_attention,
    measure_throughput,
    train_step,
)
from solutions.dot_product import causal_mask, scaled_dot_product_attention
from solutions.language_model import CausalLanguageModel
from solutions.multi_head import MultiHeadAttention
from solutions.transformer import EncoderLayer, Transformer
from solutions.vit import VisionTransformer
from tests.solutions.peers.compare import TOLERANCE, assert_close, generator, randomize
from training.configuration import Configuration
from training.tasks import make_task

SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 6)


def gradients(model: nn.Module) -> list[Tensor]:
    return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]


def close(ours, theirs, tolerance: float) -> None:
    torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=tolerance)


# ---- measure_throughput ---------------------------------------------------------------------------------------------


def test_throughput_of_steps_that_sleep_with_the_real_clock():
    rate = measure_throughput(lambda: time.sleep(0.01), items=8, num_steps=5, warm_up=1, synchronize=lambda: None)
    assert 0 < rate <= 800  # a busy machine may oversleep, and none sleeps less


# ---- train_step -----------------------------------------------------------------------------------------------------


def classifier(seed: int = 0) -> nn.Module:
    return randomize(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)), seed)


def batch(seed: int, size: int = 12) -> tuple[Tensor, Tensor]:
    return torch.randn(size, 6, generator=generator(seed)), torch.randint(3, (size,), generator=generator(seed))


def mean_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return F.cross_entropy(model(batch[0]).float(), batch[1])


def scaler_of(scale: float, growth_interval: int = 2000) -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", init_scale=scale, growth_interval=growth_interval)


@given(SEEDS, st.sampled_from([1.0, 8.0, 2.0**16]), st.sampled_from([0.01, 1.0, 1e6]))
@settings(max_examples=20, deadline=None)
def test_a_step_is_the_plain_one_with_clipping_whatever_the_scale(seed, scale, max_norm):
    ours, reference = classifier(seed), classifier(seed)
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9) for model in (ours, reference)]
    scaler = scaler_of(scale)
    for step in range(3):
        loss, norm = train_step(ours, mean_loss, batch(seed + step), optimizers[0], scaler, max_norm)
        optimizers[1].zero_grad()
        expected = mean_loss(reference, batch(seed + step))
        expected.backward()
        close(norm, nn.utils.clip_grad_norm_(reference.parameters(), max_norm), 1e-5)
        optimizers[1].step()
        close(loss, expected.detach(), 1e-5)
        assert not loss.requires_grad
    close(list(ours.parameters()), list(reference.parameters()), 1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_all_three_precisions_learn_a_batch(dtype):
    model = classifier(1)
    optimizer, scaler, examples = torch.optim.Adam(model.parameters(), lr=0.02), scaler_of(2.0**10), batch(1)
    losses = [train_step(model, mean_loss, examples, optimizer, scaler, 1.0, dtype)[0].item() for _ in range(60)]
    assert losses[-1] < 0.25 * losses[0]
    assert all(p.dtype == torch.float32 for p in model.parameters())


def test_small_gradients_are_lost_in_float16_and_saved_by_the_scale():
    def small(model, batch):
        return 1e-7 * mean_loss(model, batch)

    norms = {}
    for name, scale, dtype in (("exact", 1.0, torch.float32), ("lost", 1.0, torch.float16),
                               ("saved", 2.0**20, torch.float16)):  # fmt: skip
        model = classifier(2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        norms[name] = train_step(model, small, batch(2), optimizer, scaler_of(scale), 1.0, dtype)[1].item()
    assert norms["lost"] < 0.5 * norms["exact"]
    assert norms["saved"] == pytest.approx(norms["exact"], rel=0.02)


def test_an_infinite_gradient_leaves_the_step_out_and_lowers_the_scale():
    model, scaler = classifier(3), scaler_of(2.0**12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    before = [p.clone() for p in model.parameters()]
    _, norm = train_step(model, lambda m, b: 1e36 * mean_loss(m, b), batch(3), optimizer, scaler, 1.0)
    assert not norm.isfinite() and scaler.get_scale() == 2.0**11
    assert all(map(torch.equal, before, model.parameters()))
    train_step(model, mean_loss, batch(3), optimizer, scaler, 1.0)
    assert not torch.equal(before[0], next(model.parameters()))


# ---- low_precision_attention ----------------------------------------------------------------------------------------


@given(SEEDS, SIZES, st.integers(1, 200), SIZES)
@settings(max_examples=30, deadline=None)
def test_rows_sum_to_one_and_the_output_is_near_float32s(seed, T, S, d):
    g = generator(seed)
    query, key, value = torch.randn(T, d, generator=g), torch.randn(S, d, generator=g), torch.randn(S, 3, generator=g)
    output, weights = low_precision_attention(query, key, value)
    assert output.dtype == weights.dtype == torch.float32
    close(weights.sum(-1), torch.ones(T), 1e-5)
    rounded = [tensor.bfloat16().float() for tensor in (query, key, value)]
    torch.testing.assert_close(output, scaled_dot_product_attention(*rounded)[0], atol=0.06, rtol=0.05)


# ---- FusedMultiHeadAttention, fuse_attention ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(seed=SEEDS, T=SIZES, S=SIZES, kind=st.sampled_from(["none", "(T, S)", "(B, T, S)", "(B, 1, S)", "empty rows"]))
@settings(max_examples=25, deadline=None)
def test_the_fused_attention_is_the_plain_one_with_its_gradients(dtype, seed, T, S, kind):
    B, D, g = 2, 12, generator(seed)
    attention = randomize(MultiHeadAttention(D, 3).to(dtype), seed)
    shape = {"none": None, "(T, S)": (T, S), "(B, 1, S)": (B, 1, S)}.get(kind, (B, T, S))
    mask = None if shape is None else torch.rand(shape, generator=g) < 0.5
    if mask is not None and kind != "empty rows":
        mask[..., seed % S] = True
    given_ = [torch.randn(B, length, D, generator=g, dtype=dtype, requires_grad=True) for length in (T, S, S)]
    cotangent, seen = torch.randn(B, T, D, generator=g, dtype=dtype), []
    for module in (attention, FusedMultiHeadAttention(attention)):
        attention.zero_grad()
        output, weights = module(*given_, mask)
        grads = torch.autograd.grad(output, [*given_, *attention.parameters()], cotangent)
        seen.append([output, *grads])
    assert weights is None
    for fused, composed in zip(seen[1], seen[0], strict=True):
        assert_close(fused, composed)


SIZES_OF_ALL = {"d_model": 8, "num_heads": 2, "d_ff": 16}
MODELS = {
    "EncoderLayer": (lambda: EncoderLayer(**SIZES_OF_ALL), lambda g: [torch.randn(2, 5, 8, generator=g)]),
    "VisionTransformer": (
        lambda: VisionTransformer((4, 6), 2, num_layers=2, num_classes=3, num_channels=1, **SIZES_OF_ALL),
        lambda g: [torch.rand(2, 1, 4, 6, generator=g)],
    ),
    "CausalLanguageModel": (
        lambda: CausalLanguageModel(vocab_size=7, max_length=9, num_layers=2, **SIZES_OF_ALL),
        lambda g: [torch.randint(7, (2, 6), generator=g)],
    ),
    "Transformer": (
        lambda: Transformer(source_size=9, target_size=7, num_layers=2, bos_id=1, **SIZES_OF_ALL),
        lambda g: [
            torch.randint(1, 9, (2, 5), generator=g),
            torch.tensor([5, 3]),
            torch.randint(7, (2, 4), generator=g),
        ],
    ),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_the_same_with_fused_attention(name, dtype):
    make, inputs = MODELS[name]
    composed = randomize(make().to(dtype)).eval()
    fused = fuse_attention(copy.deepcopy(composed))
    assert not any(type(m) is MultiHeadAttention for m in fused.modules())
    assert any(isinstance(m, FusedMultiHeadAttention) for m in fused.modules())
    assert list(composed.state_dict()) == list(fused.state_dict())
    given_ = [x.to(dtype) if x.is_floating_point() else x for x in inputs(generator(1))]
    outputs = [model(*given_) for model in (composed, fused)]
    for output in outputs:
        output.square().mean().backward()
    assert_close(outputs[1], outputs[0])
    for ours, theirs in zip(gradients(fused), gradients(composed), strict=True):
        assert_close(ours, theirs)


def test_the_parameters_are_the_same_objects_so_an_optimizer_goes_on():
    model = randomize(EncoderLayer(8, 2, 16))
    before = {name: id(p) for name, p in model.named_parameters()}
    assert {name: id(p) for name, p in fuse_attention(model).named_parameters()} == before


# ---- attention_in_blocks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(seed=SEEDS, T=SIZES, S=st.integers(1, 20), block_size=st.integers(1, 25), spread=st.sampled_from([1.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_attention_in_blocks_is_attention_for_any_block_size(dtype, seed, T, S, block_size, spread):
    g = generator(seed)
    query, key, value = (torch.randn(2, n, d, generator=g, dtype=dtype) for n, d in ((T, 4), (S, 4), (S, 3)))
    expected = scaled_dot_product_attention(spread * query, key, value)[0]
    output = attention_in_blocks(spread * query, key, value, block_size)
    close(output, expected, 30 * TOLERANCE[dtype] if spread > 1 else TOLERANCE[dtype])


def test_attention_in_blocks_has_the_gradients_of_attention():
    g = generator(0)
    given_ = [torch.randn(2, n, 4, generator=g, dtype=torch.float64, requires_grad=True) for n in (3, 7, 7)]
    expected = torch.autograd.grad(scaled_dot_product_attention(*given_)[0].square().sum(), given_)
    close(torch.autograd.grad(attention_in_blocks(*given_, 2).square().sum(), given_), expected, 1e-10)


# ---- accumulate -----------------------------------------------------------------------------------------------------


def summed_loss(model: nn.Module, piece: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    return F.cross_entropy(model(piece[0]), piece[1], reduction="sum"), len(piece[1])


@given(SEEDS, st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any))
@settings(max_examples=30, deadline=None)
def test_pieces_of_any_size_give_the_gradients_of_the_whole_batch(seed, sizes):
    inputs, targets = batch(seed, sum(sizes))
    model = classifier(seed).double()
    inputs = inputs.double()
    loss = accumulate(model, summed_loss, iter(list(zip(inputs.split(sizes), targets.split(sizes), strict=True))))
    in_pieces = gradients(model)
    model.zero_grad()
    whole = F.cross_entropy(model(inputs), targets)
    whole.backward()
    close(loss.double(), whole.detach(), 1e-6)  # the sum begins in float32
    close(in_pieces, gradients(model), 1e-10)


# ---- FusedCausalAttention, fuse_attention, StaticKeyValueCache -------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 7])
def test_the_causal_mask_as_a_flag_is_the_causal_mask(length):
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2)
    x = torch.randn(3, length, 8)
    plain, _ = attention(x, x, x, causal_mask(length))
    torch.testing.assert_close(FusedCausalAttention(attention)(x, x, x)[0], plain)


class CopiesTo16Bits(TorchDispatchMode):
    """Counts the copies from float32 to bfloat16, by the shape of what is copied."""

    def __init__(self):
        super().__init__()
        self.shapes = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        if operation is torch.ops.aten._to_copy.default and kwargs["dtype"] == torch.bfloat16:
            self.shapes.append(tuple(args[0].shape))
        return operation(*args, **(kwargs or {}))


@pytest.mark.parametrize("kind", [FusedMultiHeadAttention, FusedCausalAttention])
def test_a_self_attention_copies_its_input_to_16_bits_once(kind):
    """Autocast alone would copy it for each of the three maps. The output is the same, bit by bit."""
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2)
    fused, x = kind(attention), torch.randn(3, 5, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with CopiesTo16Bits() as seen:
            output, _ = fused(x, x, x)
        queries, keys, values = (
            project(x).unflatten(2, (2, 4)).transpose(1, 2) for project in (fused.W_Q, fused.W_K, fused.W_V)
        )
        heads = F.scaled_dot_product_attention(queries, keys, values, is_causal=kind is FusedCausalAttention)
        expected = fused.W_O(heads.transpose(1, 2).flatten(2))
    assert seen.shapes.count((3, 5, 8)) == 1
    assert torch.equal(output, expected)


def test_a_memory_is_copied_to_16_bits_once_too():
    torch.manual_seed(0)
    fused, x, memory = FusedMultiHeadAttention(MultiHeadAttention(8, 2)), torch.randn(3, 5, 8), torch.randn(3, 7, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with CopiesTo16Bits() as seen:
            output, _ = fused(x, memory, memory)
        expected, _ = fused(x, memory, memory.clone())
    assert seen.shapes.count((3, 7, 8)) == seen.shapes.count((3, 5, 8)) == 1
    assert torch.equal(output, expected)


def test_what_autocast_leaves_alone_is_left_alone():
    attention = FusedMultiHeadAttention(MultiHeadAttention(8, 2).double())
    x = torch.randn(3, 5, 8, dtype=torch.float64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert attention(x, x, x)[0].dtype == torch.float64
    stand_in = FusedMultiHeadAttention(MultiHeadAttention(8, 2).to("meta"))  # a device that has no autocast
    x = torch.empty(3, 5, 8, device="meta")
    assert stand_in(x, x, x)[0].dtype == torch.float32


def test_only_attention_that_is_causal_is_told_so():
    model = Transformer(11, 12, 16, 2, 32, 2, bos_id=1)
    names = [name for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)]
    fuse_attention(model, lambda name: name.startswith("decoder.") and name.endswith(".self_attention"))
    kinds = {name: type(model.get_submodule(name)) for name in names}
    assert len(kinds) == 6
    assert {name for name, kind in kinds.items() if kind is FusedCausalAttention} == {
        f"decoder.layers.{i}.self_attention" for i in range(2)
    }
    assert set(kinds.values()) == {FusedCausalAttention, FusedMultiHeadAttention}


@pytest.mark.parametrize("name", ["transformer", "language-model"])
def test_a_tasks_causal_attention_computes_what_its_model_does(name):
    """The loss and each gradient of a batch."""
    config = Configuration(model=name, d_model=16, num_heads=2, num_layers=2, d_ff=32, samples=20, batch_size=4)
    task, fused = make_task(config), make_task(config)
    fuse_attention(fused.model, fused.is_causal)
    assert any(isinstance(module, FusedCausalAttention) for module in fused.model.modules())
    batch = task.batch_of([0, 1, 2, 3])
    for each in (task, fused):
        each.loss_sum(each.model, batch)[0].backward()
    for one, other in zip(task.model.parameters(), fused.model.parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("pieces", [[9], [1] * 9, [3, 1, 4, 1], [1, 5, 3]])
def test_a_cache_with_room_from_the_start_gives_the_models_logits(pieces):
    torch.manual_seed(0)
    model = CausalLanguageModel(11, 12, 16, 2, 32, 3).double().eval()
    tokens = torch.randint(11, (2, 9))
    cache = StaticKeyValueCache(model, 2)
    logits = torch.cat([cache(piece) for piece in tokens.split(pieces, dim=1)], dim=1)
    torch.testing.assert_close(logits, model(tokens).detach(), rtol=0, atol=1e-12)
    assert cache.length == 9


@pytest.mark.parametrize("shape", [(2, 4), (1, 1), (3, 1)])
def test_what_there_is_no_room_for_is_refused_and_not_read(shape):
    cache = StaticKeyValueCache(CausalLanguageModel(11, 6, 16, 2, 32, 1).eval(), 2)
    cache(torch.zeros(2, 3, dtype=torch.int64))
    before = cache.kept.clone()
    with pytest.raises(ValueError, match=r"room for \(2, 6\), 3 are read"):
        cache(torch.zeros(shape, dtype=torch.int64))
    assert cache.length == 3 and torch.equal(cache.kept, before)
