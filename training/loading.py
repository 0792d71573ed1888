"""Which samples each step trains on, and the processes that make batches of them ahead of time.

A batch follows from the run's seed, the step and the process alone: which samples it has, and whatever is drawn to
augment them. So it does not matter how many workers make it, or when, and a run that goes on meets the same batches.
"""

import hashlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.data import DataLoader

from solutions.scale import shard
from training.configuration import Configuration, TrainingError, explained
from training.devices import Process
from training.tasks import Batch, Task


def seed_of(*what: int | str) -> int:
    """A seed below 2**63 for what is named so, `seed_of("step", 0, 17)`; another for whatever is named otherwise."""
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=8).digest(), "big") >> 1


class Samples:
    """The samples of every step, in pieces: (seed, numbers), from step `step` on.

    Epoch after epoch as `shard` orders it. The place counts the samples of all processes together, so a run may go on
    with another number of processes: where that number divides the data, in the same batches.
    """

    def __init__(self, task: Task, config: Configuration, process: Process):
        self.num_samples, self.fingerprint = task.num_samples, task.fingerprint
        self.config, self.process = config, process
        self.step = 0
        self._epoch, self._order = -1, torch.empty(0)

    def of_step(self, step: int) -> list[int]:
        """This process's part of the batch after `step` steps."""
        size = self.config.batch_size // self.process.world_size
        per_epoch = -(-self.num_samples // self.process.world_size)
        numbers: list[int] = []
        while len(numbers) < size:
            epoch, start = divmod(step * size + len(numbers), per_epoch)
            if epoch != self._epoch:
                order = shard(self.num_samples, self.process.rank, self.process.world_size, epoch, self.config.seed)
                self._epoch, self._order = epoch, torch.tensor(order)
            numbers += self._order[start : start + size - len(numbers)].tolist()
        return numbers

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        for step in range(self.step, self.config.steps):
            numbers = self.of_step(step)
            size = len(numbers) // self.config.accumulate
            for i in range(0, len(numbers), size):
                yield seed_of("batch", self.config.seed, step, self.process.rank, i), numbers[i : i + size]

    def state_dict(self) -> dict[str, Any]:
        return {"fingerprint": self.fingerprint}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["fingerprint"] != self.fingerprint:
            raise ValueError(f"it was trained on other data ({state['fingerprint']}; now {self.fingerprint})")


def seeded(batch_of: Callable[[list[int]], Batch], piece: tuple[int, list[int]]) -> Batch:
    seed, numbers = piece
    torch.default_generator.manual_seed(seed)
    return batch_of(numbers)


@dataclass(frozen=True)
class Made:
    """What a DataLoader asks for its items: make(what), or the error that stood in its way.

    As a value: an error that is raised in a worker comes with the worker's traceback.
    """

    make: Callable[[Any], Batch]

    def __getitem__(self, what: Any) -> Batch | TrainingError:
        try:
            with explained("data"):
                return self.make(what)
        except TrainingError as error:
            return error


class Loader:
    """Batches on the device, as often as one iterates: make(what) for each `what` of the order.

    With workers, processes make them ahead of time and stay for the next iteration. On a GPU a thread of the loader
    copies each into pinned memory, from which its copy to the GPU is queued like a kernel: the program waits for none.
    """

    def __init__(self, make: Callable[[Any], Batch], order: Iterable, count: int, config: Configuration, to: Process):
        self.device = to.device
        self.loader: DataLoader = DataLoader(
            Made(make),  # type: ignore[arg-type]  # has what is asked of it
            batch_size=None,  # one item is a whole batch already
            sampler=order,
            num_workers=count,
            prefetch_factor=config.prefetch_factor if count else None,
            persistent_workers=count > 0,
            pin_memory=self.device.type == "cuda",
            multiprocessing_context=fresh_processes() if count else None,
            worker_init_fn=begin_worker,
        )

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.loader:
            if isinstance(batch, TrainingError):
                raise batch
            yield tuple(x.to(self.device, non_blocking=True) for x in batch)


def num_workers(config: Configuration, task: Task, process: Process) -> int:
    """As many as were asked for. Else none on a CPU for data that lie in memory; one on a GPU, so that it does not wait
    for copies; and for images that have to be decoded up to eight, as this process's share of the cores allows."""
    if config.num_workers >= 0:
        return config.num_workers
    if not task.decodes:
        return int(process.device.type == "cuda")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(8, cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1")) - 1))


def fresh_processes() -> Any:
    """How workers are started: never as copies of this process, whose threads may hold locks, whose hold on the folder
    they would share, and whose GPU they could not use."""
    if "forkserver" not in multiprocessing.get_all_start_methods():  # Windows
        return multiprocessing.get_context("spawn")
    servers = multiprocessing.get_context("forkserver")
    servers.set_forkserver_preload(["training.tasks"])  # imports torch once for all of them
    return servers


def begin_worker(number: int) -> None:
    """Ctrl-C is the main process's to answer, and no worker outlives it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
