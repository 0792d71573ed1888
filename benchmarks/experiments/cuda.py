"""Chapter 09: what low precision and the order of clipping do to a training."""

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment
from course.data.text import Characters, reference_text
from course.training import learning_rate_at
from solutions.cuda import train_step
from solutions.language_model import CausalLanguageModel

# One small language model on Python's reference text for all of them.
MODEL: Settings = {"max_length": 32, "d_model": 64, "num_heads": 4, "d_ff": 256, "num_layers": 2}
STEPS, BATCH_SIZE, ADAM_RATE, SGD_RATE = 400, 32, 2e-3, 0.1
SETTINGS: Settings = {"steps": STEPS, "batch_size": BATCH_SIZE, "learning_rate": ADAM_RATE, **MODEL}


@cache
def text() -> tuple[Tensor, Tensor, int]:
    """Training windows and 512 validation windows of 33 characters that do not overlap, and the vocabulary's size."""
    training, validation = reference_text()
    characters = Characters(training)
    windows = [characters.encode(part).unfold(0, 33, 33) for part in (training, validation)]
    return windows[0], windows[1][:512], len(characters)


class Stream:
    """Batches of the training windows, each epoch in an order of its own; where it stands can be saved."""

    def __init__(self, seed: int):
        self.windows, self.seed, self.position = text()[0], seed, 0

    def __next__(self) -> Tensor:
        epoch, batch = divmod(self.position, len(self.windows) // BATCH_SIZE)
        order = torch.randperm(len(self.windows), generator=torch.Generator().manual_seed(1000 * self.seed + epoch))
        self.position += 1
        return self.windows[order[batch * BATCH_SIZE : (batch + 1) * BATCH_SIZE]]

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.position = state["position"]


def model_of(seed: int, dropout: float = 0.0) -> CausalLanguageModel:
    torch.manual_seed(seed)
    return CausalLanguageModel(text()[2], **MODEL, dropout=dropout)


def loss_of(model: nn.Module, windows: Tensor) -> Tensor:
    return model.loss(windows)


@torch.no_grad()
def validation_loss(model: nn.Module) -> float | None:
    """Nats per character on the validation text, in float32; None where it is no number any more."""
    loss = model.float().eval().loss(text()[1]).item()
    return loss if loss == loss else None


def fixed_scale(scale: float) -> torch.amp.GradScaler:
    """A scaler whose scale no training of this length raises."""
    return torch.amp.GradScaler("cpu", init_scale=scale, growth_interval=10**9)


# ---- precision ------------------------------------------------------------------------------------------------------

# name: (dtype of the products, dtype of the weights, scale of the loss)
PRECISIONS = {
    "float32": (torch.float32, torch.float32, 1.0),
    "bfloat16 products": (torch.bfloat16, torch.float32, 1.0),
    "bfloat16 weights too": (torch.float32, torch.bfloat16, 1.0),
    "float16, scale 65536": (torch.float16, torch.float32, 2.0**16),
    "float16, scale 1": (torch.float16, torch.float32, 1.0),
    "float16, scale 1/512": (torch.float16, torch.float32, 2.0**-9),
    "float16, scale 1/4096": (torch.float16, torch.float32, 2.0**-12),
    "float32, scale 1/4096": (torch.float32, torch.float32, 2.0**-12),
}


@experiment("cuda_precision", SETTINGS)
def cuda_precision(seed: int) -> list[Record]:
    """The same training with products, weights and scales of the loss in several precisions: validation loss, nats.

    A scale below 1 stands for a loss that is the mean over so many times more predictions.
    """
    records: list[Record] = []
    for name, (products, weights, scale) in PRECISIONS.items():
        model, stream = model_of(seed).to(weights), Stream(seed)
        optimizer, scaler = torch.optim.Adam(model.parameters(), lr=ADAM_RATE), fixed_scale(scale)
        for step in range(STEPS):
            optimizer.param_groups[0]["lr"] = learning_rate_at(step, STEPS, ADAM_RATE)
            train_step(model, loss_of, next(stream), optimizer, scaler, 1.0, products)
        records.append({"precision": name, "seed": seed, "loss": validation_loss(model)})
    return records


# ---- the order of unscaling and clipping ----------------------------------------------------------------------------


def clip_first(
    model: nn.Module,
    loss_of: Any,
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype,
) -> None:
    """The wrong order: the threshold meets gradients that still carry the scale."""
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


# order: (how a step is taken, the threshold of clipping). The last two, with Adam only, are controls: what its eps has
# to do with it, and what it costs to cut every step down to the same length, as no gradient's norm is below 0.01 here.
ORDERS: dict[str, tuple[Any, float]] = {
    "unscale, clip": (train_step, 1.0),
    "clip, unscale": (clip_first, 1.0),
    "no clipping": (train_step, float("inf")),
    "clip, unscale, eps 1e-16": (clip_first, 1.0),
    "unscale, clip to 0.01": (train_step, 0.01),
}


@experiment("cuda_order", SETTINGS | {"learning_rate_sgd": SGD_RATE, "momentum_sgd": 0.9, "max_norm": 1.0, "eps": 1e-8})
def cuda_order(seed: int) -> list[Record]:
    """Clipping after unscaling, before it, and not at all; with Adam and with SGD: validation loss, nats.

    With Adam also the wrong order with a smaller eps, and the right one with a threshold that every gradient is above.
    """
    records: list[Record] = []
    for optimizer_name, rate in (("Adam", ADAM_RATE), ("SGD", SGD_RATE)):
        for order, (take_step, max_norm) in list(ORDERS.items())[: 5 if optimizer_name == "Adam" else 3]:
            model, stream, scaler = model_of(seed), Stream(seed), fixed_scale(2.0**16)
            adam = torch.optim.Adam(model.parameters(), lr=rate, eps=1e-16 if "eps" in order else 1e-8)
            sgd = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
            optimizer = adam if optimizer_name == "Adam" else sgd
            for step in range(STEPS):
                optimizer.param_groups[0]["lr"] = learning_rate_at(step, STEPS, rate)
                result = take_step(model, loss_of, next(stream), optimizer, scaler, max_norm, torch.float32)
                if max_norm == 0.01 and not result[1] > max_norm:
                    raise ValueError(f"{order}: the gradient's norm is {result[1]:g} in step {step}, {seed=}")
            records.append({"optimizer": optimizer_name, "order": order, "seed": seed, "loss": validation_loss(model)})
    return records
