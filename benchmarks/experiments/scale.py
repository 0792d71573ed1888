"""Chapter 10: what a forgetful resume does to a training."""

import tempfile
from pathlib import Path

import torch
from torch import Tensor

from benchmarks.experiments import Record, experiment
from benchmarks.experiments.cuda import (
    ADAM_RATE,
    SETTINGS,
    STEPS,
    Stream,
    fixed_scale,
    loss_of,
    model_of,
    validation_loss,
)
from course.training import learning_rate_at
from solutions.cuda import train_step
from solutions.scale import load_checkpoint, save_checkpoint

STOP_EVERY = 50


class Forgotten:
    """Stands in a checkpoint in the place of something that is forgotten."""

    def state_dict(self) -> dict:
        return {}

    def load_state_dict(self, state: dict) -> None:
        pass


@experiment("scale_resume", SETTINGS | {"dropout": 0.1, "stop_every": STOP_EVERY})
def scale_resume(seed: int) -> list[Record]:
    """A training that is stopped every 50 steps and goes on from a checkpoint in which one thing is missing.

    Records: the validation loss at the end, nats; whether all weights are bit-equal to the undisturbed run's; and the
    training loss of every tenth step of the run with everything in its checkpoint and of each forgetful one.
    """
    records: list[Record] = []
    undisturbed: list[Tensor] = []
    for missing in ("never stopped", "nothing", "random numbers", "moments", "schedule", "place in the data"):
        losses = []
        with tempfile.TemporaryDirectory() as folder:
            for stop in (
                range(STEPS, STEPS + 1) if missing == "never stopped" else range(STOP_EVERY, STEPS + 1, STOP_EVERY)
            ):
                model = model_of(seed, dropout=0.1)  # a new process would begin so: everything made afresh
                optimizer, stream = torch.optim.Adam(model.parameters(), lr=ADAM_RATE), Stream(seed)
                schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: learning_rate_at(step, STEPS, 1.0))
                scaler = fixed_scale(1.0)
                kept = (
                    model,
                    Forgotten() if missing == "moments" else optimizer,
                    Forgotten() if missing == "schedule" else schedule,
                    scaler,
                    Forgotten() if missing == "place in the data" else stream,
                )
                path = Path(folder) / "checkpoint.pt"
                begin = load_checkpoint(path, *kept) if path.exists() else 0
                if missing == "random numbers":
                    torch.manual_seed(seed)
                if missing == "schedule" and begin:
                    optimizer.param_groups[0]["lr"] = learning_rate_at(
                        0, STEPS, ADAM_RATE
                    )  # the moments brought theirs
                if missing == "moments" and begin:
                    optimizer.param_groups[0]["lr"] = schedule.get_last_lr()[0]
                for _ in range(begin, stop):
                    losses.append(train_step(model, loss_of, next(stream), optimizer, scaler, 1.0)[0].item())
                    schedule.step()
                save_checkpoint(path, stop, *kept)
        weights = [parameter.detach().clone() for parameter in model.parameters()]
        undisturbed = undisturbed or weights
        equal = all(torch.equal(one, other) for one, other in zip(weights, undisturbed, strict=True))
        end = {"missing": missing, "seed": seed, "bit_equal": int(equal), "loss": validation_loss(model)}
        records.append(end)
        records += [
            {"missing": missing, "seed": seed, "step": step, "training_loss": sum(losses[step : step + 10]) / 10}
            for step in range(0, STEPS, 10)
        ]
    return records
