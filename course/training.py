"""One plain training loop for the chapters, and where to find results that took too long for a notebook.

`fit` is the loop of chapter 00 with three things that sequence models want: a short warm-up, a learning rate that
falls to the end, and clipped gradients. Change it and the committed results must be measured again: they used it.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

from course import committed


def learning_rate_at(step: int, steps: int, peak: float, warm_up: int = 50) -> float:
    """Up in a line over `warm_up` steps, then down along a cosine to a twentieth of `peak` at the last step."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return peak * min(1.0, (step + 1) / warm_up) * (0.05 + 0.95 * cosine)


def fit(
    model: nn.Module,
    loss_of: Callable[[Any], Tensor],
    batches: Iterator[Any],
    steps: int,
    learning_rate: float,
    clip: float = 1.0,
    label: str = "training",
) -> list[float]:
    """Take `steps` steps of Adam on `loss_of(batch)`, a scalar; returns each step's loss. Shows a progress bar."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    losses = []
    model.train()
    for step in tqdm(range(steps), desc=label):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate_at(step, steps, learning_rate)
        loss = loss_of(next(batches))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses


def committed_results(name: str) -> dict:
    """What `benchmarks/` measured and the repository keeps: benchmarks/results/<name>.json.

    Raises FileNotFoundError with the command that makes them.
    """
    try:
        return committed.read(name)
    except FileNotFoundError:
        program = f"curves {name.removeprefix('curves_')}" if name.startswith("curves_") else f"experiments {name}"
        raise FileNotFoundError(f"no results of {name!r}: run `python -m benchmarks.{program}` in a clone") from None
