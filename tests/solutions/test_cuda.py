"""Chapter 09's solutions against what did it first, and the properties that hold for every input."""

import copy
import os
import pickle
import resource
import signal
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DistributedSampler
from torch.utils.flop_counter import FlopCounterMode

from course.fixtures.cuda import Training, TwoDevices, Unwritable
from solutions.cuda import (
    FusedCausalAttention,
    FusedMultiHeadAttention,
    StaticKeyValueCache,
    accumulate,
    attention_in_blocks,
    average_gradients,
    fuse_attention,
    load_checkpoint,
    low_precision_attention,
    measure_throughput,
    model_flops_utilisation,
    save_checkpoint,
    shard,
    train_step,
)
from solutions.dot_product import causal_mask, scaled_dot_product_attention
from solutions.language_model import CausalLanguageModel
from solutions.multi_head import MultiHeadAttention
from solutions.transformer import EncoderLayer, Transformer, TransformerEncoder
from solutions.vit import VisionTransformer
from tests.processes import start
from tests.solutions.peers.compare import TOLERANCE, assert_close, generator, randomise
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
    return randomise(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)), seed)


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
    attention = randomise(MultiHeadAttention(D, 3).to(dtype), seed)
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
    composed = randomise(make().to(dtype)).eval()
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
    model = randomise(EncoderLayer(8, 2, 16))
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


# ---- save_checkpoint, load_checkpoint -------------------------------------------------------------------------------


def parts(training: Training) -> list:
    return [training.model, training.optimizer, training.scheduler, training.scaler, training.data]


@given(SEEDS, st.integers(0, 6), st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_resumed_steps_are_equal_to_the_last_bit(tmp_path_factory, seed, before, after):
    path = tmp_path_factory.mktemp("checkpoint") / "file"
    torch.manual_seed(seed)
    training = Training(seed % 1000)
    training.steps(before)
    save_checkpoint(path, before, *parts(training))
    losses = training.steps(after)
    torch.manual_seed(seed + 1)
    resumed = Training(seed % 1000 + 1)
    assert load_checkpoint(path, *parts(resumed)) == before
    assert resumed.steps(after) == losses
    for ours, theirs in zip(resumed.model.state_dict().values(), training.model.state_dict().values(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.fixture
def saved(tmp_path):
    """A training that has been saved, the file, and its bytes."""
    training, path = Training(1), tmp_path / "checkpoint"
    training.steps(2)
    save_checkpoint(path, 2, *parts(training))
    return training, path, path.read_bytes()


@pytest.mark.parametrize("broken", ["save", "fsync", "replace", "flush", "state"])
def test_the_old_file_stays_whole_wherever_writing_fails(saved, monkeypatch, broken):
    training, path, before = saved
    training.steps(1)
    given_ = parts(training)

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    if broken == "save":
        write = torch.save
        monkeypatch.setattr(torch, "save", lambda state, file: (write(state["model"], file), full()))
    elif broken == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    elif broken == "replace":
        monkeypatch.setattr(Path, "replace", full)
    elif broken == "flush":
        monkeypatch.setattr(os, "fsync", lambda number: os.close(number))  # the file is gone when it is to be closed
    else:
        given_[-1] = Unwritable(10, 4)
    with pytest.raises((OSError, TypeError)):
        save_checkpoint(path, 3, *given_)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["checkpoint"]
    monkeypatch.undo()
    assert load_checkpoint(path, *parts(Training(2))) == 2


def _save_on_a_full_disk(path):
    training = Training(1)
    training.steps(3)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # the file system refuses to let a file grow any further
    try:
        save_checkpoint(path, 3, *parts(training))
    except (OSError, RuntimeError):
        os._exit(7)
    os._exit(0)


def test_a_disk_that_is_full_is_an_error_and_costs_nothing(saved):
    _, path, before = saved
    assert len(before) > 4000
    child = start(_save_on_a_full_disk, path)
    child.join()
    assert child.exitcode == 7
    assert path.read_bytes() == before


def _save_for_ever(path, step):
    training = Training(1)
    while True:
        step += 1
        save_checkpoint(path, step, *parts(training))


def test_killed_at_any_time_the_file_is_whole(saved):
    _, path, before = saved
    step = 2
    for round_ in range(6):
        child = start(_save_for_ever, path, step)
        while path.read_bytes() == before and child.is_alive():
            time.sleep(0.01)
        time.sleep(0.017 * round_)
        child.kill()
        child.join()
        before, last = path.read_bytes(), step
        step = load_checkpoint(path, *parts(Training(2)))
        assert step > last


@given(share=st.floats(0, 0.999))
@settings(max_examples=20, deadline=None)
def test_a_file_cut_anywhere_is_a_value_error_with_the_path(tmp_path_factory, share):
    path = tmp_path_factory.mktemp("cut") / "checkpoint"
    save_checkpoint(path, 0, *parts(Training(1)))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match="checkpoint"):
        load_checkpoint(path, *parts(Training(1)))


def test_random_numbers_of_every_gpu_are_kept(tmp_path):
    """Of two, in name; they are left alone where there are as many no longer."""
    training, gpus = Training(1), TwoDevices()
    gpus.begin()
    try:
        before = gpus.states()
        save_checkpoint(tmp_path / "two", 1, *parts(training))
        gpus.draw()
        load_checkpoint(tmp_path / "two", *parts(training))
        assert all(map(torch.equal, gpus.states(), before))
    finally:
        gpus.end()
    assert load_checkpoint(tmp_path / "two", *parts(training)) == 1


class Bomb:
    def __reduce__(self):
        return Path.touch, (Path(self.path),)

    def __init__(self, path):
        self.path = path


def test_no_file_other_files_and_code_in_a_file(tmp_path):
    training = Training(1)
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / "none", *parts(training))
    bomb, path = tmp_path / "went off", tmp_path / "other"
    for content in (b"", b"a text", pickle.dumps({"step": 1}, 2), pickle.dumps(Bomb(bomb), 2)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="other"):
            load_checkpoint(path, *parts(training))
    torch.save({"step": 1, "model": Bomb(bomb)}, path)
    with pytest.raises(ValueError, match="other"):
        load_checkpoint(path, *parts(training))
    assert not bomb.exists()


# ---- model_flops_utilisation ----------------------------------------------------------------------------------------


def test_palms_published_utilisation():
    """46.2 % for 540 billion parameters at 238,300 tokens per second on 6,144 TPU v4 (Chowdhery et al., 2022).

    PaLM's heads together are narrower than its model, 48 * 256, and it is their width that the attention's term means.
    """
    share = model_flops_utilisation(540_350_000_000, 118, 48 * 256, 2048, 238_300 / 2048, 6144 * 275e12)
    assert share == pytest.approx(0.462, abs=0.0005)


def test_the_operations_are_those_that_torch_counts():
    """For an encoder's matrices and its attention, forward and backward; torch counts no biases and no norms."""
    d_model, layers, length = 32, 3, 24
    encoder = TransformerEncoder(d_model, num_heads=4, d_ff=64, num_layers=layers)
    x = torch.randn(1, length, d_model, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        encoder(x).sum().backward()
    weights = sum(p.numel() for p in encoder.parameters() if p.ndim == 2)
    assert model_flops_utilisation(weights, layers, d_model, length, 1.0, 1.0) == counter.get_total_flops()


# ---- shard, average_gradients ---------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 100), st.integers(0, 100))
@settings(max_examples=50, deadline=None)
def test_shards_are_torchs_distributed_samplers(num_samples, world_size, epoch, seed):
    for rank in range(world_size):
        sampler = DistributedSampler(range(num_samples), num_replicas=world_size, rank=rank, seed=seed)
        sampler.set_epoch(epoch)
        assert shard(num_samples, rank, world_size, epoch, seed) == list(sampler)


def _in_two_processes(rank, folder):
    """Three steps by average_gradients and three by DDP, on this process's half of each batch; the weights of both."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)

    def all_reduce(tensor):
        summed = tensor.clone()
        dist.all_reduce(summed)
        return summed

    ours = classifier(5)
    theirs = nn.parallel.DistributedDataParallel(classifier(5))
    for model in (ours, theirs):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
        for epoch in range(3):
            mine = shard(12, rank, 2, epoch)
            optimizer.zero_grad()
            mean_loss(model, tuple(part[mine] for part in batch(5))).backward()
            if model is ours:
                average_gradients(model, all_reduce, 2)
            optimizer.step()
    torch.save([list(ours.parameters()), list(theirs.parameters())], f"{folder}/{rank}")
    dist.destroy_process_group()


def test_two_processes_and_ddp_learn_what_one_process_learns(tmp_path):
    children = [start(_in_two_processes, rank, tmp_path) for rank in range(2)]
    for child in children:
        child.join(timeout=60)
    assert [child.exitcode for child in children] == [0, 0]
    alone = classifier(5)
    optimizer = torch.optim.SGD(alone.parameters(), lr=0.5, momentum=0.9)
    for _ in range(3):
        optimizer.zero_grad()
        mean_loss(alone, batch(5)).backward()
        optimizer.step()
    results = [torch.load(tmp_path / str(rank), weights_only=False) for rank in range(2)]
    for weights in (of for one in results for of in one):
        close(weights, list(alone.parameters()), 1e-5)
    assert all(map(torch.equal, results[0][0], results[1][0]))


def test_parameters_without_a_gradient_take_part():
    """Two processes side by side: what one of them has no gradient for, the other has."""
    models = [nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 1)]) for _ in range(2)]
    x = torch.ones(1, 2)
    models[0][0](x).sum().backward()
    models[1][1](x).sum().backward()
    expected = [(a + b) / 2 for a, b in zip(*map(gradients, models), strict=True)]
    given_ = [gradients(model) for model in models]
    for rank, model in enumerate(models):
        others = iter(given_[1 - rank])
        average_gradients(model, lambda tensor, others=others: tensor + next(others), 2)
        close(gradients(model), expected, 1e-6)


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
