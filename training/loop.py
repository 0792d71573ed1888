"""Chapter 09's training program: `python -m training --model vit`, made of the course's own components.

A run lives in one folder: configuration.toml, checkpoint.pt and TensorBoard's event files. The same command again goes
on from the checkpoint; with another configuration it is refused, so that nothing that stands in a folder is ever mixed
with something else or lost. On one GPU or the CPU as it is; on several with

    torchrun --nproc-per-node 4 -m training --model vit

where each process takes its part of every batch (DistributedDataParallel) and process 0 alone writes.

Exact resume rests on three things: the checkpoint holds all states; every step seeds the random numbers anew, from the
run's seed, the step and the process, so that no process's generator has to be saved; and the curves have every step up
to the checkpoint on the disk before the checkpoint is, while later ones are declared void when the run goes on.
"""

import contextlib
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from filelock import FileLock, Timeout
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

from course import files
from solutions.cuda import accumulate, fuse_attention, load_checkpoint, save_checkpoint, shard, train_step
from training.configuration import Configuration, TrainingError, as_toml, differences, explained, parse, read_toml
from training.tasks import Batch, Task, make_task

# ---- processes and devices ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Process:
    """Which of how many processes this is, and the device that it computes on."""

    rank: int
    world_size: int
    device: torch.device


@contextlib.contextmanager
def this_process(config: Configuration) -> Iterator[Process]:
    """This process among those that torchrun started, or the only one."""
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    wanted = config.device if config.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    with explained(f"device {config.device}"):
        device = torch.device(wanted)
        if device.type not in ("cpu", "cuda"):
            raise TrainingError(f"device is auto, cpu, cuda or cuda:NUMBER, got {config.device!r}")
        if device.type == "cuda":
            if not torch.cuda.is_available():
                raise TrainingError(f"device {config.device}: torch sees no GPU here; use --device cpu")
            device = torch.device("cuda", device.index or int(os.environ.get("LOCAL_RANK", "0")))
            torch.cuda.set_device(device)
        torch.empty(0, device=device)
    if config.batch_size % (world_size * config.accumulate):
        raise TrainingError(
            f"batch_size must be a multiple of processes times accumulate, "
            f"got {config.batch_size} and {world_size} x {config.accumulate}"
        )
    if world_size == 1:
        yield Process(0, 1, device)
        return
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Process(dist.get_rank(), world_size, device)
    finally:
        dist.destroy_process_group()


def summed(x: Tensor, process: Process) -> Tensor:
    """The sum over all processes, in every process."""
    if process.world_size > 1:
        dist.all_reduce(x)
    return x


# ---- one step -------------------------------------------------------------------------------------------------------


class Samples:
    """The endless order of training samples, and where in it the training stands.

    Epoch after epoch as `shard` orders it. The state counts the samples of all processes together, so that a run may go
    on with another number of processes: where that number divides the data, in the same batches.
    """

    def __init__(self, task: Task, process: Process, seed: int):
        self.num_samples, self.fingerprint = task.num_samples, task.fingerprint
        self.process, self.seed = process, seed
        self.taken = 0
        self._epoch, self._order = -1, list[int]()

    def next(self, count: int) -> list[int]:
        """This process's part of the next `count` samples."""
        numbers: list[int] = []
        place = self.taken // self.process.world_size
        per_epoch = -(-self.num_samples // self.process.world_size)
        while len(numbers) < count // self.process.world_size:
            epoch, start = divmod(place + len(numbers), per_epoch)
            if epoch != self._epoch:
                self._order = shard(self.num_samples, self.process.rank, self.process.world_size, epoch, self.seed)
                self._epoch = epoch
            numbers += self._order[start : start + count // self.process.world_size - len(numbers)]
        self.taken += count
        return numbers

    def state_dict(self) -> dict[str, Any]:
        return {"taken": self.taken, "fingerprint": self.fingerprint}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["fingerprint"] != self.fingerprint:
            raise ValueError(f"it was trained on other data ({state['fingerprint']}; now {self.fingerprint})")
        self.taken = state["taken"]


def seed_step(step: int, config: Configuration, process: Process) -> None:
    """Random numbers of this step in this process, whatever was drawn before."""
    seed = ((config.seed * 1_000_003 + step) * process.world_size + process.rank) % 2**63
    if process.device.type == "cpu":
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)  # every device's; where a kind of device is absent this takes a millisecond


def to_device(batch: Batch, device: torch.device) -> Batch:
    if device.type != "cuda":
        return tuple(x.to(device) for x in batch)
    return tuple(x.pin_memory().to(device, non_blocking=True) for x in batch)  # copies while earlier kernels run


def take_step(
    model: nn.Module,
    task: Task,
    pieces: list[Batch],
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    config: Configuration,
    process: Process,
) -> tuple[Tensor, Tensor]:
    """train_step, or the same with accumulate for a batch in several pieces.

    DDP averages the processes' gradients, but what is wanted is the mean over all predictions, and one process's
    sentences may be longer than another's. So each divides its sum by the *mean number of predictions* of a process.
    Returns this process's loss, whose mean over the processes is the whole batch's, and the gradients' norm.
    """
    dtype = getattr(torch, config.dtype)

    def loss_sum_of(model: nn.Module, piece: Batch) -> tuple[Tensor, Tensor]:
        with torch.autocast(process.device.type, dtype=dtype, enabled=dtype != torch.float32):
            loss_sum, predictions = task.loss_sum(model, piece)
        return loss_sum, summed(predictions, process) / process.world_size

    if len(pieces) == 1:

        def loss_of(model: nn.Module, batch: Batch) -> Tensor:
            loss_sum, predictions = loss_sum_of(model, batch)
            return loss_sum / predictions

        return train_step(model, loss_of, pieces[0], optimizer, scaler, config.clip, dtype)

    def scaled_sum_of(model: nn.Module, piece: Batch) -> tuple[Tensor, Any]:
        loss_sum, predictions = loss_sum_of(model, piece)
        return scaler.scale(loss_sum), predictions

    def one_exchange() -> Iterator[Batch]:
        for i, piece in enumerate(pieces):
            if isinstance(
                model, DistributedDataParallel
            ):  # as in its no_sync: gradients travel once, with the last piece
                model.require_backward_grad_sync = i == len(pieces) - 1
            yield piece

    loss = accumulate(model, scaled_sum_of, one_exchange()) / scaler.scale(torch.ones((), device=process.device))
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    scaler.step(optimizer)
    scaler.update()
    return loss, norm


@torch.no_grad()
def evaluate(model: nn.Module, task: Task, config: Configuration, process: Process) -> dict[str, float]:
    """Every score over all held-out data; each process looks at its part of the batches."""
    dtype = getattr(torch, config.dtype)
    totals = torch.zeros(len(task.score_names), 2, dtype=torch.float64, device=process.device)
    model.eval()
    for batch in task.held_out[process.rank :: process.world_size]:
        with torch.autocast(process.device.type, dtype=dtype, enabled=dtype != torch.float32):
            totals += task.scores(model, to_device(batch, process.device))
    model.train()
    sums, counts = summed(totals, process).unbind(dim=1)
    return dict(zip(task.score_names, (sums / counts).tolist(), strict=True))


def rate(step: int, config: Configuration) -> float:
    """The share of the learning rate for the step after `step` steps: up in a line, down along a cosine."""
    if step < config.warm_up:
        return (step + 1) / config.warm_up
    done = (step - config.warm_up) / max(1, config.steps - config.warm_up)
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))


# ---- the run's folder -----------------------------------------------------------------------------------------------


def check_folder(folder: Path, config: Configuration, resume: bool) -> bool:
    """Whether there is a checkpoint to go on from. Raises TrainingError where going on would mix two runs."""
    checkpoint, settings = folder / "checkpoint.pt", folder / "configuration.toml"
    if settings.exists():
        changed = differences(Configuration(**read_toml(settings)), config)
        if changed:
            raise TrainingError(f"{folder} holds a run with another configuration ({changed}); choose another --out")
    elif checkpoint.exists():
        raise TrainingError(
            f"{folder} has a checkpoint but no configuration.toml to compare with; choose another --out"
        )
    if resume and not checkpoint.exists():
        raise TrainingError(f"--resume: there is no checkpoint {checkpoint}")
    return checkpoint.exists()


@contextlib.contextmanager
def open_folder(folder: Path, config: Configuration, resume: bool) -> Iterator[None]:
    """Make the folder, keep the configuration in it, and keep other runs out of it.

    The lock is the system's: it goes with the process, however that ends.
    """
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        with explained(f"cannot write to {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise TrainingError(
                    f"another run is at work in {folder}; wait for it, or choose another --out"
                ) from None
            check_folder(folder, config, resume)  # once more: from here on nobody else changes it
            if not (folder / "configuration.toml").exists():
                files.replace(folder / "configuration.toml", as_toml(config))
        yield
    finally:
        lock.release()


class Curves:
    """TensorBoard's event files, written by process 0 if they are wanted.

    first_step: what earlier files say of this step and later ones is void: TensorBoard's own mark of a restart.
    """

    def __init__(self, folder: Path, wanted: bool, first_step: int):
        self.folder, self.writer = folder, None
        if wanted:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                raise TrainingError("curves need TensorBoard: pip install tensorboard, or --no-tensorboard") from None
            with explained(f"cannot write curves to {folder}"), quiet_writer():
                self.writer = SummaryWriter(str(folder), purge_step=first_step)

    def add(self, step: int, values: dict[str, float]) -> None:
        if self.writer is not None:
            with explained(f"cannot write curves to {self.folder}"):
                for name, value in values.items():
                    self.writer.add_scalar(name, value, step)

    def flush(self) -> None:
        if self.writer is not None:
            with explained(f"cannot write curves to {self.folder}"):
                self.writer.flush()

    def close(self) -> None:
        if self.writer is not None:
            with contextlib.suppress(OSError):  # what mattered was flushed, and complained about, before
                self.writer.close()


@contextlib.contextmanager
def quiet_writer() -> Iterator[None]:
    """TensorBoard writes in a thread: what fails there is raised again by the next add or flush, so once is enough."""
    before = threading.excepthook
    threading.excepthook = lambda failed: None if issubclass(failed.exc_type, OSError) else before(failed)
    try:
        yield
    finally:
        threading.excepthook = before


# ---- the run --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def stop_signals() -> Iterator[list[int]]:
    """A list that Ctrl-C or SIGTERM is put into, for the loop to see between two steps. The second one ends at once."""
    received: list[int] = []

    def receive(number: int, frame: Any) -> None:
        received.append(number)
        signal.signal(number, before[signal.Signals(number)])

    before = {number: signal.signal(number, receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def check_finite(rows: list[tuple[int, float, float, float]], scaler: torch.amp.GradScaler, kept: str) -> None:
    """Raises TrainingError, with the step, at the first loss that is no number.

    A norm that is none is refused as well, unless a scaler watches: it leaves such a step out and lowers its scale.
    """
    for step, loss, norm, learning_rate in rows:
        for name, value in (("loss", loss), ("norm of the gradients", 0.0 if scaler.is_enabled() else norm)):
            if not math.isfinite(value):
                raise TrainingError(
                    f"step {step}: the {name} is {value}, at a learning rate of {learning_rate:.3g}; {kept}. "
                    f"Try a lower --learning-rate, a longer --warm-up or --dtype float32, with another --out"
                )


def stop_asked(received: list[int], step: int, config: Configuration, process: Process) -> bool:
    """Whether to stop before the next step. Several processes must stop at the same one, so they ask each other, but
    not so often that the answer is waited for."""
    if process.world_size == 1:
        return bool(received)
    if step % config.log_every:
        return False
    return bool(summed(torch.tensor(len(received), device=process.device), process))


def read_off(
    pending: list[tuple[int, Tensor, Tensor, float]], process: Process
) -> list[tuple[int, float, float, float]]:
    """The steps taken since the last time: step, loss of the whole batch, norm, learning rate. Waits for the device."""
    steps, losses, norms, rates = zip(*pending, strict=True)
    means = summed(torch.stack(losses), process) / process.world_size
    return list(zip(steps, means.tolist(), torch.stack(norms).tolist(), rates, strict=True))


def run(config: Configuration, resume: bool = False) -> tuple[dict[str, float], int]:
    """Train as configured, from the folder's checkpoint if it has one; with resume=True it must.

    Returns the last scores on held-out data and the signal that ended the run early, or 0. Raises TrainingError, and
    leaves the last good checkpoint as it was, for everything that the person who started it can mend.
    """
    with this_process(config) as process, contextlib.ExitStack() as held:
        return loop(config, resume, process, held)


def loop(
    config: Configuration, resume: bool, process: Process, held: contextlib.ExitStack
) -> tuple[dict[str, float], int]:
    folder, first = Path(config.out), process.rank == 0
    checkpoint = folder / "checkpoint.pt"
    check_folder(folder, config, resume)  # before the data are read, which may take minutes
    with explained(f"cannot train {config.model} on {config.data}"):
        task = make_task(config)

    bare = fuse_attention(task.model) if config.fused else task.model
    bare.to(process.device).train()
    optimizer = torch.optim.AdamW(
        bare.parameters(), config.learning_rate, weight_decay=config.weight_decay, fused=process.device.type == "cuda"
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, config))
    scaler = torch.amp.GradScaler(process.device.type, enabled=config.dtype == "float16")
    if scaler.is_enabled():  # it leaves steps out on purpose, the first one often
        warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step")
    samples = Samples(task, process, config.seed)
    refusal = None
    if first:
        try:
            held.enter_context(open_folder(folder, config, resume))
        except TrainingError as error:
            refusal = error
    refusals = summed(torch.tensor(int(refusal is not None), device=process.device), process)  # all wait for it
    if refusals:
        raise refusal or TrainingError(f"process 0 cannot use {folder}")
    step, goes_on = 0, checkpoint.exists()
    if goes_on:
        with explained(f"{checkpoint} does not fit this run, and is left as it is"):
            step = load_checkpoint(checkpoint, bare, optimizer, scheduler, scaler, samples)
    saved = step
    curves = Curves(folder, config.tensorboard and first, first_step=step + 1)
    if config.compile:
        bare.compile()  # in place: names of parameters stay
    model = bare
    if process.world_size > 1:
        model = DistributedDataParallel(bare, [process.device] if process.device.type == "cuda" else None)

    def say(text: str) -> None:
        if first:
            tqdm.write(text, file=sys.stderr)

    def last_good() -> str:
        return f"{checkpoint} keeps step {saved}" if saved or goes_on else "there is no checkpoint yet"

    def write_down() -> None:
        if not pending:  # stopped just after the last time
            return
        rows = read_off(pending, process)
        pending.clear()
        for number, loss, norm, learning_rate in rows:
            values = {"train/loss": loss, "train/gradient_norm": norm, "train/learning_rate": learning_rate}
            curves.add(number, values)
        check_finite(rows, scaler, last_good())
        bar.set_postfix(loss=f"{rows[-1][1]:.3f}", refresh=False)

    def save() -> None:
        curves.flush()  # before the checkpoint: the curves have all that it counts as done
        if first:
            if not all(parameter.isfinite().all() for parameter in bare.parameters()):
                raise TrainingError(f"step {step}: some weights are no longer finite; {last_good()}")
            with explained(f"cannot write the checkpoint of step {step}; {last_good()}"):
                save_checkpoint(checkpoint, step, bare, optimizer, scheduler, scaler, samples)

    if goes_on:
        say(f"going on after step {step} of {config.steps} ({checkpoint})")
    scores: dict[str, float] = {}
    pending: list[tuple[int, Tensor, Tensor, float]] = []  # steps whose losses are still on the device
    bar = tqdm(total=config.steps, initial=step, desc=config.model, unit="step", disable=None if first else True)
    since, clock = step, time.perf_counter()
    with quiet_writer(), contextlib.closing(curves), bar, stop_signals() as received:
        while step < config.steps and not stop_asked(received, step, config, process):
            seed_step(step, config, process)
            numbers = samples.next(config.batch_size)
            size = len(numbers) // config.accumulate
            batches = [task.batch_of(numbers[i : i + size]) for i in range(0, len(numbers), size)]
            pieces = [to_device(batch, process.device) for batch in batches]
            learning_rate = scheduler.get_last_lr()[0]
            loss, norm = take_step(model, task, pieces, optimizer, scaler, config, process)
            scheduler.step()
            step += 1
            pending.append((step, loss, norm, float(learning_rate)))
            bar.update()

            logs, last = step % config.log_every == 0, step == config.steps
            looks, saves = last or step % config.evaluate_every == 0, last or step % config.checkpoint_every == 0
            if logs or looks or saves:
                write_down()
            if logs:
                speed = (step - since) * config.batch_size / (time.perf_counter() - clock)
                curves.add(step, {"train/samples_per_second": speed})
            if looks:
                scores = evaluate(bare, task, config, process)
                curves.add(step, {f"held_out/{name}": value for name, value in scores.items()})
                say(f"step {step}: held out " + ", ".join(f"{name} {value:.4g}" for name, value in scores.items()))
            if saves:
                save()
                saved = step
            if logs or looks or saves:
                since, clock = step, time.perf_counter()  # of training alone
        if step > saved:  # stopped in between
            write_down()
            save()
            saved = step
    if step < config.steps:
        say(f"stopped after step {step} of {config.steps}; the same command goes on")
        return scores, received[0] if received else signal.SIGTERM
    if not scores:
        say(f"{folder} is finished; its scores once more")
        scores = evaluate(bare, task, config, process)
        say("held out " + ", ".join(f"{name} {value:.4g}" for name, value in scores.items()))
    return scores, 0


def trained(folder: str | Path) -> Task:
    """What a run has learned so far, on the CPU: its task, whose model has the weights of the last checkpoint."""
    config = Configuration(**read_toml(Path(folder) / "configuration.toml"))
    task = make_task(config)
    state = torch.load(Path(folder) / "checkpoint.pt", map_location="cpu", weights_only=True)
    task.model.load_state_dict(state["model"])
    task.model.eval()
    return task


def main(arguments: list[str] | None = None) -> None:
    """The command. Ends with 0; 2 and one line where something has to be mended; 128 + signal where one stopped it."""
    try:
        _, stopped = run(*parse(arguments))
    except TrainingError as error:
        rank = os.environ.get("RANK", "0")
        sys.exit(complain(f"process {rank}: {error}" if rank != "0" else str(error)))
    except torch.OutOfMemoryError as error:
        sys.exit(complain(f"the GPU's memory is full: raise --accumulate or lower --batch-size ({error})"))
    except RuntimeError as error:  # two that torch gives no class of their own
        if "can't allocate memory" in str(error):
            sys.exit(complain(f"the memory is full: raise --accumulate or lower --batch-size ({error})"))
        if "by peer" in str(error) and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            sys.exit(complain(f"process {os.environ.get('RANK')}: another process has ended; it says why"))
        raise
    except KeyboardInterrupt:
        sys.exit(130)
    if stopped:
        sys.exit(128 + stopped)


def complain(text: str) -> int:
    print(f"error: {' '.join(text.split())}", file=sys.stderr)
    return 2
