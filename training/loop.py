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
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from solutions.cuda import fuse_attention, load_checkpoint, save_checkpoint
from training.configuration import Configuration, TrainingError, explained, parse, read_toml
from training.devices import Process, distributed, summed, this_process
from training.folder import Curves, check_folder, open_folder, quiet_writer
from training.step import Samples, evaluate, rate, seed_step, take_step, to_device
from training.tasks import Task, make_task


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


class Run:
    """A training that stands at a step: `take` goes on by one, `write_down`, `look` and `save` keep what came of it.

    Its folder is held by `held`, and let go with it.
    """

    def __init__(self, config: Configuration, resume: bool, process: Process, held: contextlib.ExitStack):
        self.config, self.process, self.first = config, process, process.rank == 0
        self.folder = Path(config.out)
        self.checkpoint = self.folder / "checkpoint.pt"
        check_folder(self.folder, config, resume)  # before the data are read, which may take minutes
        with explained(f"cannot train {config.model} on {config.data}"):
            self.task = make_task(config)
        self._build()
        self._take_folder(resume, held)
        self.step = self.saved = 0
        self.goes_on = self.checkpoint.exists()
        if self.goes_on:
            with explained(f"{self.checkpoint} does not fit this run, and is left as it is"):
                self.step = self.saved = load_checkpoint(self.checkpoint, *self._parts())
        self.curves = Curves(self.folder, config.tensorboard and self.first, first_step=self.step + 1)
        self.model = distributed(self.bare, process)
        if config.compile:  # in place: names of parameters stay
            self.model.compile()  # DDP from outside: the compiler cuts its graph where a bucket of gradients is full
        self.scores: dict[str, float] = {}
        self.pending: list[tuple[int, Tensor, Tensor, float]] = []  # steps whose losses are still on the device

    def _build(self) -> None:
        config, kind = self.config, self.process.device.type
        self.bare = fuse_attention(self.task.model, self.task.is_causal) if config.fused else self.task.model
        self.bare.to(self.process.device).train()
        self.optimizer = torch.optim.AdamW(
            self.bare.parameters(), config.learning_rate, weight_decay=config.weight_decay, fused=kind == "cuda"
        )
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: rate(step, config))
        self.scaler = torch.amp.GradScaler(kind, enabled=config.dtype == "float16")
        if self.scaler.is_enabled():  # it leaves steps out on purpose, the first one often
            warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step")
        self.samples = Samples(self.task, self.process, config.seed)

    def _parts(self) -> tuple[Any, ...]:
        """What a checkpoint holds, in the order in which it is asked for."""
        return self.bare, self.optimizer, self.scheduler, self.scaler, self.samples

    def _take_folder(self, resume: bool, held: contextlib.ExitStack) -> None:
        refusal = None
        if self.first:
            try:
                held.enter_context(open_folder(self.folder, self.config, resume))
            except TrainingError as error:
                refusal = error
        refused = torch.tensor(int(refusal is not None), device=self.process.device)
        if summed(refused, self.process):  # all wait for it
            raise refusal or TrainingError(f"process 0 cannot use {self.folder}")

    def say(self, text: str) -> None:
        if self.first:
            tqdm.write(text, file=sys.stderr)

    def take(self) -> None:
        """One step."""
        config, task = self.config, self.task
        seed_step(self.step, config, self.process)
        numbers = self.samples.next(config.batch_size)
        size = len(numbers) // config.accumulate
        batches = [task.batch_of(numbers[i : i + size]) for i in range(0, len(numbers), size)]
        pieces = [to_device(batch, self.process.device) for batch in batches]
        learning_rate = self.scheduler.get_last_lr()[0]
        loss, norm = take_step(self.model, task, pieces, self.optimizer, self.scaler, config, self.process)
        self.scheduler.step()
        self.step += 1
        self.pending.append((self.step, loss, norm, float(learning_rate)))

    def due(self, every: int) -> bool:
        """Whether something that is done every so many steps is done after this one; after the last one, all is."""
        return self.step % every == 0 or self.step == self.config.steps

    def write_down(self) -> str:
        """Write the losses since the last time; the last of them."""
        if not self.pending:  # stopped just after the last time
            return ""
        rows = read_off(self.pending, self.process)
        self.pending.clear()
        for step, loss, norm, learning_rate in rows:
            values = {"train/loss": loss, "train/gradient_norm": norm, "train/learning_rate": learning_rate}
            self.curves.add(step, values)
        check_finite(rows, self.scaler, self._last_good())
        return f"{rows[-1][1]:.3f}"

    def look(self) -> None:
        """The scores on held-out data."""
        self.scores = evaluate(self.bare, self.task, self.config, self.process)
        self.curves.add(self.step, {f"held_out/{name}": value for name, value in self.scores.items()})

    def save(self) -> None:
        self.curves.flush()  # before the checkpoint: the curves have all that it counts as done
        if self.first:
            if not all(parameter.isfinite().all() for parameter in self.bare.parameters()):
                raise TrainingError(f"step {self.step}: some weights are no longer finite; {self._last_good()}")
            with explained(f"cannot write the checkpoint of step {self.step}; {self._last_good()}"):
                save_checkpoint(self.checkpoint, self.step, *self._parts())
        self.saved = self.step

    def _last_good(self) -> str:
        return (
            f"{self.checkpoint} keeps step {self.saved}" if self.saved or self.goes_on else "there is no checkpoint yet"
        )

    def said_of_scores(self) -> str:
        return "held out " + ", ".join(f"{name} {value:.4g}" for name, value in self.scores.items())


def run(config: Configuration, resume: bool = False) -> tuple[dict[str, float], int]:
    """Train as configured, from the folder's checkpoint if it has one; with resume=True it must.

    Returns the last scores on held-out data and the signal that ended the run early, or 0. Raises TrainingError, and
    leaves the last good checkpoint as it was, for everything that the person who started it can mend.
    """
    with this_process(config) as process, contextlib.ExitStack() as held:
        training = Run(config, resume, process, held)
        if training.goes_on:
            training.say(f"going on after step {training.step} of {config.steps} ({training.checkpoint})")
        with quiet_writer(), contextlib.closing(training.curves), stop_signals() as received:
            train(training, received)
            if training.step > training.saved:  # stopped in between
                training.write_down()
                training.save()
        if training.step < config.steps:
            training.say(f"stopped after step {training.step} of {config.steps}; the same command goes on")
            return training.scores, received[0] if received else signal.SIGTERM
        if not training.scores:
            training.say(f"{training.folder} is finished; its scores once more")
            training.scores = evaluate(training.bare, training.task, config, process)
            training.say(training.said_of_scores())
        return training.scores, 0


def train(training: Run, received: list[int]) -> None:
    """Step after step, to the last one or until a signal was received."""
    config, since, clock = training.config, training.step, time.perf_counter()
    bar = tqdm(
        total=config.steps, initial=since, desc=config.model, unit="step", disable=None if training.first else True
    )
    with bar:
        while training.step < config.steps and not stop_asked(received, training.step, config, training.process):
            training.take()
            bar.update()
            logs = training.step % config.log_every == 0
            looks, saves = training.due(config.evaluate_every), training.due(config.checkpoint_every)
            if not (logs or looks or saves):
                continue
            bar.set_postfix(loss=training.write_down(), refresh=False)
            if logs:
                speed = (training.step - since) * config.batch_size / (time.perf_counter() - clock)
                training.curves.add(training.step, {"train/samples_per_second": speed})
            if looks:
                training.look()
                training.say(f"step {training.step}: {training.said_of_scores()}")
            if saves:
                training.save()
            since, clock = training.step, time.perf_counter()  # of training alone


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
