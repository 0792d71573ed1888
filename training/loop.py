"""Chapter 10's training program: `python -m training --model vit`, made of the course's own components.

A run lives in one folder: configuration.toml, checkpoint.pt, TensorBoard's event files, and of a text its tokens. The
same command again goes on from the checkpoint; with another configuration it is refused, so that nothing that stands in
a folder is ever mixed with something else or lost. On one GPU or the CPU as it is; on several with

    torchrun --nproc-per-node 4 -m training --model vit

where each process takes its part of every batch (DistributedDataParallel) and process 0 alone writes.

Exact resume rests on three things: the checkpoint holds all states; every batch and every step seed the random numbers
anew, from the run's seed, the step and the process, so that no generator has to be saved; and the curves have every
step up to the checkpoint on the disk before the checkpoint is, while later ones are declared void when the run goes on.
"""

import contextlib
import dataclasses
import functools
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

from solutions.cuda import fuse_attention
from solutions.scale import load_checkpoint, save_checkpoint
from training.configuration import Configuration, TrainingError, explained, parse, read_toml
from training.devices import Process, distributed, summed, this_process
from training.folder import Curves, check_folder, keep_configuration, open_curves, open_folder
from training.loading import Loader, Samples, num_workers, seeded
from training.speed import peaks
from training.step import evaluate, optimizer_of, rate, seed_step, take_step
from training.tasks import Task, make_task


def run(config: Configuration, resume: bool = False) -> tuple[dict[str, float], int]:
    """Train as configured, from the folder's checkpoint if it has one; with resume=True it must.

    Returns the last scores on held-out data and the signal that ended the run early, or 0. Raises TrainingError, and
    leaves the last good checkpoint as it was, for everything that the person who started it can mend.
    """
    with contextlib.ExitStack() as held:  # what is let go at the end, however that comes
        # ---- where: the device, and the folder with its data
        process = held.enter_context(this_process(config))
        device, first = process.device, process.rank == 0
        folder, checkpoint = Path(config.out), Path(config.out, "checkpoint.pt")
        task = task_in(folder, config, resume, process, held)

        # ---- what: the model and all that a checkpoint holds
        model = fuse_attention(task.model, task.is_causal) if config.fused else task.model
        model.to(device).train()
        optimizer = optimizer_of(model, config, device)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, config))
        scaler = torch.amp.GradScaler(device.type, enabled=config.dtype == "float16")
        samples = Samples(task, config, process)
        parts = (model, optimizer, scheduler, scaler, samples)

        # ---- from where: the beginning, or the checkpoint
        step, saved = 0, None
        if checkpoint.exists():
            with explained(f"{checkpoint} does not fit this run, and is left as it is"):
                step = saved = load_checkpoint(checkpoint, *parts)
            say(f"going on after step {step} of {config.steps} ({checkpoint})", process)

        # ---- with what: several processes, a compiler, workers that make batches, curves
        trained_model = distributed(model, process)
        if config.compile:  # in place: names of parameters stay
            trained_model.compile()  # DDP from outside: the compiler cuts its graph where a bucket of gradients is full
        if scaler.is_enabled():  # it leaves steps out on purpose, the first one often
            warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step")
        workers = num_workers(config, task, process)
        samples.step = step
        batches = iter(Loader(functools.partial(seeded, task.batch_of), samples, workers, config, process))
        places = range(process.rank, len(task.held_out), process.world_size)
        held_out = Loader(task.held_out.__getitem__, places, workers, config, process)
        curves = held.enter_context(open_curves(folder, config.tensorboard and first, first_step=step + 1))
        received = held.enter_context(stop_signals())
        bar = held.enter_context(progress(step, config, process))
        peak = peaks(config, process) if step < config.steps else {}

        # ---- the steps
        scores: dict[str, float] = {}
        pending: list[tuple[int, Tensor, Tensor, float]] = []  # steps whose losses are still on the device
        since, clock, broken = step, time.perf_counter(), None
        while step < config.steps and not stop_asked(received, step, config, process):
            try:
                pieces = [next(batches) for _ in range(config.accumulate)]
            except TrainingError as error:  # data that cannot be read: the steps so far are kept
                broken = error
                break
            seed_step(step, config, process)
            learning_rate = float(scheduler.get_last_lr()[0])
            loss, norm = take_step(trained_model, task, pieces, optimizer, scaler, config, process)
            scheduler.step()
            step += 1
            pending.append((step, loss, norm, learning_rate))
            bar.update()

            last = step == config.steps
            logs, looks, saves = (
                step % every == 0 for every in (config.log_every, config.evaluate_every, config.checkpoint_every)
            )
            if not (logs or looks or saves or last):
                continue
            last_loss = write_down(pending, curves, scaler, process, last_good(checkpoint, saved))
            bar.set_postfix(loss=last_loss, refresh=False)
            if logs:
                speed = (step - since) * config.batch_size / (time.perf_counter() - clock)
                curves.add(step, speeds(speed, task, peak))
            if looks or last:
                scores = evaluate(model, task, held_out, config, process)
                curves.add(step, {f"held_out/{name}": value for name, value in scores.items()})
                say(f"step {step}: {in_words(scores)}", process)
            if saves or last:
                save(checkpoint, step, parts, curves, process, last_good(checkpoint, saved))
                saved = step
            since, clock = step, time.perf_counter()  # of training alone

        # ---- the end, or a stop
        if step > (saved or 0) and (broken is None or process.world_size == 1):  # else the others are in the next step
            write_down(pending, curves, scaler, process, last_good(checkpoint, saved))
            save(checkpoint, step, parts, curves, process, last_good(checkpoint, saved))
            saved = step
        if broken is not None:
            raise TrainingError(f"step {step + 1}: {broken}; {last_good(checkpoint, saved)}")
        if step < config.steps:
            say(f"stopped after step {step} of {config.steps}; the same command goes on", process)
            return scores, received[0] if received else signal.SIGTERM
        if not scores:
            scores = evaluate(model, task, held_out, config, process)
            say(f"{folder} is finished; its scores once more: {in_words(scores)}", process)
        return scores, 0


# ---- before the first step ------------------------------------------------------------------------------------------


def task_in(folder: Path, config: Configuration, resume: bool, process: Process, held: contextlib.ExitStack) -> Task:
    """The model and its data. Process 0 takes the folder, for as long as `held` holds, and prepares the data there; the
    others wait for it, and stop where it was refused."""

    def made() -> Task:
        with explained(f"cannot train {config.model} on {config.data}"):
            return make_task(config)

    task, refusal = None, None
    goes_on = check_folder(folder, config, resume)  # before the data are read, which may take minutes
    if process.rank == 0:
        try:
            held.enter_context(open_folder(folder, config, resume))
            task = made()
            if config.verify and not goes_on:
                task.verify()
            keep_configuration(folder, config)
        except TrainingError as error:
            refusal = error
    refused = torch.tensor(int(refusal is not None), device=process.device)
    if summed(refused, process):
        raise refusal or TrainingError(f"process 0 cannot use {folder}")
    return task or made()


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


def progress(step: int, config: Configuration, process: Process) -> tqdm:
    quiet = None if process.rank == 0 else True
    return tqdm(total=config.steps, initial=step, desc=config.model, unit="step", disable=quiet)


def say(text: str, process: Process) -> None:
    if process.rank == 0:
        tqdm.write(text, file=sys.stderr)


def in_words(scores: dict[str, float]) -> str:
    return "held out " + ", ".join(f"{name} {value:.4g}" for name, value in scores.items())


# ---- between steps --------------------------------------------------------------------------------------------------


def stop_asked(received: list[int], step: int, config: Configuration, process: Process) -> bool:
    """Whether to stop before the next step. Several processes must stop at the same one, so they ask each other, but
    not so often that the answer is waited for."""
    if process.world_size == 1:
        return bool(received)
    if step % config.log_every:
        return False
    return bool(summed(torch.tensor(len(received), device=process.device), process))


def write_down(
    pending: list[tuple[int, Tensor, Tensor, float]],
    curves: Curves,
    scaler: torch.amp.GradScaler,
    process: Process,
    kept: str,
) -> str:
    """Write the steps taken since the last time: loss of the whole batch, norm, learning rate. Waits for the device.

    Returns the last loss. Raises TrainingError, with the step, at the first loss that is no number. A norm that is none
    is refused as well, unless a scaler watches: it leaves such a step out and lowers its scale.
    """
    if not pending:  # stopped just after the last time
        return ""
    steps, losses, norms, rates = zip(*pending, strict=True)
    pending.clear()
    means = (summed(torch.stack(losses), process) / process.world_size).tolist()
    rows = list(zip(steps, means, torch.stack(norms).tolist(), rates, strict=True))
    for step, loss, norm, learning_rate in rows:
        curves.add(step, {"train/loss": loss, "train/gradient_norm": norm, "train/learning_rate": learning_rate})
    for step, loss, norm, learning_rate in rows:
        for name, value in (("loss", loss), ("norm of the gradients", 0.0 if scaler.is_enabled() else norm)):
            if not math.isfinite(value):
                raise TrainingError(
                    f"step {step}: the {name} is {value}, at a learning rate of {learning_rate:.3g}; {kept}. "
                    f"Try a lower --learning-rate, a longer --warm-up or --dtype float32, with another --out"
                )
    return f"{means[-1]:.3f}"


def speeds(samples_per_second: float, task: Task, peak: dict[str, float]) -> dict[str, float]:
    """Curves of the speed, and of the share of each peak that the training uses, where a sample's size is known."""
    values = {"train/samples_per_second": samples_per_second}
    if task.tokens_per_sample:
        values["train/tokens_per_second"] = samples_per_second * task.tokens_per_sample
    if task.flops_per_sample:
        values |= {f"train/share_of_{of}": samples_per_second * task.flops_per_sample / peak[of] for of in peak}
    return values


def save(checkpoint: Path, step: int, parts: tuple[Any, ...], curves: Curves, process: Process, kept: str) -> None:
    curves.flush()  # before the checkpoint: the curves have all that it counts as done
    if process.rank == 0:
        if not all(parameter.isfinite().all() for parameter in parts[0].parameters()):
            raise TrainingError(f"step {step}: some weights are no longer finite; {kept}")
        with explained(f"cannot write the checkpoint of step {step}; {kept}"):
            save_checkpoint(checkpoint, step, *parts)


def last_good(checkpoint: Path, saved: int | None) -> str:
    return "there is no checkpoint yet" if saved is None else f"{checkpoint} keeps step {saved}"


# ---- afterwards -----------------------------------------------------------------------------------------------------


def trained(folder: str | Path) -> Task:
    """What a run has learned so far, on the CPU: its task, whose model has the weights of the last checkpoint."""
    config = Configuration(**read_toml(Path(folder) / "configuration.toml"))
    task = make_task(dataclasses.replace(config, out=str(folder)))
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
    except RuntimeError as error:  # those that torch gives no class of their own
        if "can't allocate memory" in str(error):
            sys.exit(complain(f"the memory is full: raise --accumulate or lower --batch-size ({error})"))
        if "DataLoader worker" in str(error):
            sys.exit(complain(f"a process that makes batches has ended, of want of memory as a rule: lower "
                              f"--num-workers or --prefetch-factor ({error})"))  # fmt: skip
        if type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
            why = str(error).strip().partition("\n")[0]
            sys.exit(complain(f"torch.compile cannot compile here ({why}): --no-compile leaves it out"))
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
