"""One step of training and one look at held-out data: what is computed, whatever stops the run or keeps its results."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from solutions.cuda import accumulate, train_step
from training.configuration import Configuration
from training.devices import Process, summed
from training.loading import seed_of
from training.tasks import Batch, Task


def seed_step(step: int, config: Configuration, process: Process) -> None:
    """Random numbers of this step in this process, whatever was drawn before."""
    seed = seed_of("step", config.seed, step, process.world_size, process.rank)
    if process.device.type == "cpu":
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)  # every device's; where a kind of device is absent this takes a millisecond


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

    unit: Tensor | None = None  # sums are counted in it: a loss of thousands, scaled, has gradients beyond float16

    def scaled_sum_of(model: nn.Module, piece: Batch) -> tuple[Tensor, Any]:
        nonlocal unit
        loss_sum, predictions = loss_sum_of(model, piece)
        unit = predictions if unit is None else unit
        return scaler.scale(loss_sum / unit), predictions / unit

    def one_exchange() -> Iterator[Batch]:
        """The pieces; as in DDP's no_sync, gradients travel once, with the last one."""
        for i, piece in enumerate(pieces):
            if isinstance(model, DistributedDataParallel):
                model.require_backward_grad_sync = i == len(pieces) - 1
            yield piece

    loss = accumulate(model, scaled_sum_of, one_exchange()) / scaler.scale(torch.ones((), device=process.device))
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    scaler.step(optimizer)
    scaler.update()
    return loss, norm


@torch.no_grad()
def evaluate(
    model: nn.Module, task: Task, batches: Iterable[Batch], config: Configuration, process: Process
) -> dict[str, float]:
    """Every score over all held-out data; batches: this process's part of them, on its device."""
    dtype = getattr(torch, config.dtype)
    totals = torch.zeros(len(task.score_names), 2, dtype=torch.float64, device=process.device)
    model.eval()
    for batch in batches:
        with torch.autocast(process.device.type, dtype=dtype, enabled=dtype != torch.float32):
            totals += task.scores(model, batch)
    model.train()
    sums, counts = summed(totals, process).unbind(dim=1)
    return dict(zip(task.score_names, (sums / counts).tolist(), strict=True))


def optimizer_of(model: nn.Module, config: Configuration, device: torch.device) -> torch.optim.AdamW:
    """AdamW that lets matrices decay, and neither biases nor the gains of norms, as ViTs and GPTs are trained."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, config.learning_rate, (0.9, config.beta2), fused=device.type == "cuda")


def rate(step: int, config: Configuration) -> float:
    """The share of the learning rate for the step after `step` steps: up in a line, down along a cosine."""
    if step < config.warm_up:
        return (step + 1) / config.warm_up
    done = (step - config.warm_up) / max(1, config.steps - config.warm_up)
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
