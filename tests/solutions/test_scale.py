"""Chapter 10's solutions against what did it first, and the properties that hold for every input."""

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
from torch.utils.data import DistributedSampler
from torch.utils.flop_counter import FlopCounterMode

from course.fixtures.scale import Training, TwoDevices, Unwritable
from solutions.scale import (
    average_gradients,
    load_checkpoint,
    model_flops_utilisation,
    save_checkpoint,
    shard,
)
from solutions.transformer import TransformerEncoder
from tests.processes import start
from tests.solutions.peers.compare import generator, randomize

SEEDS = st.integers(0, 2**31 - 1)


def gradients(model: nn.Module) -> list[Tensor]:
    return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]


def close(ours, theirs, tolerance: float) -> None:
    torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=tolerance)


def classifier(seed: int = 0) -> nn.Module:
    return randomize(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)), seed)


def batch(seed: int, size: int = 12) -> tuple[Tensor, Tensor]:
    return torch.randn(size, 6, generator=generator(seed)), torch.randint(3, (size,), generator=generator(seed))


def mean_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return F.cross_entropy(model(batch[0]).float(), batch[1])


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


@pytest.mark.filterwarnings("ignore:for .* copying from a non-meta parameter")
def test_on_another_device_the_moments_go_there_and_adams_count_of_steps_stays_here(saved):
    """On a GPU, for which "meta" stands, the count would be read back for every parameter in every step."""
    _, path, _ = saved
    there = Training(2)
    there.model.to("meta")
    there.optimizer = torch.optim.Adam(there.model.parameters())
    there.scheduler = torch.optim.lr_scheduler.LambdaLR(there.optimizer, lambda step: 1.0)
    assert load_checkpoint(path, *parts(there)) == 2
    for state in there.optimizer.state.values():
        assert {name: tensor.device.type for name, tensor in state.items()} == {
            "step": "cpu", "exp_avg": "meta", "exp_avg_sq": "meta",
        }  # fmt: skip


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


def test_palms_published_utilization():
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
