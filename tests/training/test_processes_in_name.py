"""Several processes that are one: each rank in its turn, in PyTorch's fake process group, which talks to nobody.

What a rank would do by itself is real: its device, its part of the data, what it writes. What the others would have
sent is not: a sum over the processes is this rank's own number. Real processes run in `test_training.py`.
"""

import os
from collections import Counter
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore

from training import devices, loading, loop, speed, step
from training.configuration import Configuration, TrainingError
from training.devices import Process
from training.loading import Samples
from training.step import seed_step
from training.tasks import make_task

TINY = {"model": "vit", "d_model": 8, "num_heads": 2, "num_layers": 1, "d_ff": 16, "batch_size": 16, "samples": 100,
        "steps": 3, "log_every": 1, "evaluate_every": 3, "checkpoint_every": 3}  # fmt: skip
WORLDS = [2, 8]


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", "1")
    with torch.random.fork_rng(devices=[]):
        yield
    assert not dist.is_initialized()


@pytest.fixture
def as_rank(monkeypatch):
    """The variables that torchrun sets, and a group that is one in name; the backends that were asked for."""
    asked = []
    really = dist.init_process_group

    def init(backend, timeout):
        asked.append(backend)
        really("fake", store=FakeStore(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))

    def become(rank: int, world_size: int):
        for name, value in (("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", world_size)):
            monkeypatch.setenv(name, str(value))
        return asked

    monkeypatch.setattr(dist, "init_process_group", init)
    return become


@pytest.fixture
def gpus(monkeypatch):
    """Machines with so many GPUs, in name: tensors that are made there stay here."""

    def there_are(count: int) -> list:
        chosen: list = []
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: True)
        monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
        monkeypatch.setattr(torch, "empty", lambda *size, device=None: None)
        return chosen

    return there_are


@pytest.mark.parametrize("world_size", WORLDS)
def test_each_rank_has_a_gpu_of_its_own_and_they_talk_by_nccl(world_size, as_rank, gpus):
    chosen = gpus(world_size)
    for rank in range(world_size):
        asked = as_rank(rank, world_size)
        with devices.this_process(Configuration(device="cuda", batch_size=16)) as process:
            assert process == Process(rank, world_size, torch.device("cuda", rank))
            assert dist.get_rank() == rank and dist.get_world_size() == world_size
    assert chosen == [torch.device("cuda", rank) for rank in range(world_size)]
    assert asked == ["nccl"] * world_size


@pytest.mark.parametrize("world_size", WORLDS)
def test_with_a_gpu_too_few_the_last_rank_says_so(world_size, as_rank, gpus):
    gpus(world_size - 1)
    as_rank(world_size - 1, world_size)
    with pytest.raises(TrainingError, match=f"device cuda:{world_size - 1}: torch sees {world_size - 1} GPUs"):
        with devices.this_process(Configuration(device="cuda", batch_size=16)):
            pass


@pytest.mark.parametrize("world_size", WORLDS)
def test_a_batch_that_cannot_be_shared_out_is_refused_before_anybody_waits(world_size, as_rank):
    asked = as_rank(0, world_size)
    with pytest.raises(TrainingError, match=f"got 17 and {world_size} x 1"):
        with devices.this_process(Configuration(device="cpu", batch_size=17)):
            pass
    assert asked == []


@pytest.mark.parametrize("world_size", WORLDS)
def test_ranks_share_every_epoch_out_and_draw_different_numbers(world_size):
    config = Configuration(**{**TINY, "batch_size": 48})
    task = make_task(config)
    parts, seeds = [], set()
    for rank in range(world_size):
        process = Process(rank, world_size, torch.device("cpu"))
        samples = Samples(task, config, process)
        parts.append([number for step in range(2) for number in samples.of_step(step)])
        seed_step(5, config, process)
        seeds.add(torch.randint(2**40, (1,)).item())
    assert len({len(part) for part in parts}) == 1
    once = Counter(number for part in parts for number in part)
    assert len(once) == 96 and set(once.values()) == {1}  # of 100 samples, in one epoch
    assert len(seeds) == world_size


def alone(state, bucket) -> torch.futures.Future[torch.Tensor]:
    """This rank's own gradients, in the place of all ranks' mean."""
    done: torch.futures.Future = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


@pytest.mark.parametrize("world_size", WORLDS)
def test_rank_0_alone_writes_and_says(world_size, as_rank, tmp_path, capsys):
    """Each rank trains whole: the model in DDP, compiled from outside, its share of each batch, its look; one folder
    comes of it."""
    wrapped, compiled, sizes = [], [], []

    def distributed(model, process):
        made = devices.distributed(model, process)
        made.register_comm_hook(None, alone)  # the group in name gives no sum, for which DDP would wait
        wrapped.append(type(made))
        return made

    for rank in range(world_size):
        as_rank(rank, world_size)
        out = tmp_path / str(rank)
        config = Configuration(**TINY, device="cpu", compile=True, out=str(out))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.nn.Module, "compile", lambda module: compiled.append(type(module)))
            patch.setattr(loop, "distributed", distributed)
            real = loop.take_step
            patch.setattr(loop, "take_step", lambda *a, real=real: sizes.append(len(a[2][0][0])) or real(*a))
            scores, stopped = loop.run(config)
        assert stopped == 0 and scores
        said = capsys.readouterr().err
        written = sorted(path.name.partition(".")[0] for path in out.iterdir()) if out.exists() else []
        assert ("held out" in said) == (rank == 0)
        assert {"checkpoint", "configuration", "events"} <= set(written) if rank == 0 else written == []
    assert wrapped == compiled == [DistributedDataParallel] * world_size
    assert sizes == [16 // world_size] * 3 * world_size


@pytest.mark.parametrize("world_size", WORLDS)
def test_a_folder_that_rank_0_cannot_have_ends_every_rank(world_size, as_rank, tmp_path, monkeypatch):
    """The others learn it by the sum that all wait for; here they are handed it."""
    monkeypatch.setattr(loop, "summed", lambda x, process: torch.ones_like(x))
    as_rank(1, world_size)
    with pytest.raises(TrainingError, match="process 0 cannot use"):
        loop.run(Configuration(**TINY, device="cpu", out=str(tmp_path / "x")))


def test_what_a_gpu_is_handed(monkeypatch):
    """A batch from pinned memory that is not waited for; a seed for every device; a model in DDP with its device; the
    optimizer in one kernel; its own data sheet."""
    process, config, made = Process(1, 2, torch.device("cuda", 1)), Configuration(**TINY), []

    def data_loader(of, pin_memory, **options):
        made.append(pin_memory)
        return [(SimpleNamespace(to=lambda device, non_blocking: (device, non_blocking)),)]

    monkeypatch.setattr(loading, "DataLoader", data_loader)
    assert list(loading.Loader(None, [], 0, config, process)) == [((process.device, True),)] and made == [True]
    assert loading.num_workers(config, SimpleNamespace(decodes=False), process) == 1

    seeds = []
    monkeypatch.setattr(torch, "manual_seed", seeds.append)
    for rank in (0, 1):
        seed_step(5, config, Process(rank, 2, process.device))
    assert len(set(seeds)) == 2  # one for each rank

    monkeypatch.setattr(devices, "DistributedDataParallel", lambda model, ids, **_: (model, ids))
    assert devices.distributed("model", process) == ("model", [process.device])

    monkeypatch.setattr(torch.optim, "AdamW", lambda *_, fused: fused)
    assert step.optimizer_of(torch.nn.Linear(2, 2), config, process.device) is True

    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Tesla T4")
    monkeypatch.setattr(speed, "measured_peak", lambda *_: 1e12)
    assert speed.peaks(config, process) == {"measured_peak": 2e12, "data_sheet": 2 * 8.1e12}


def test_what_another_rank_broke_is_said_in_one_line(as_rank, monkeypatch, capsys):
    as_rank(3, 8)
    monkeypatch.setattr(loop, "parse", lambda arguments: (SimpleNamespace(), False))

    def lost(*_):
        raise RuntimeError("Connection closed by peer [127.0.0.1]:1234")

    monkeypatch.setattr(loop, "run", lost)
    with pytest.raises(SystemExit) as ended:
        loop.main([])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: process 3: another process has ended; it says why\n"
