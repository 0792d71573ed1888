"""Experiments too long for a notebook: several seeds each, results committed in benchmarks/results/.

    python -m benchmarks.experiments                     list them
    python -m benchmarks.experiments seq2seq_numbers     run one and write benchmarks/results/seq2seq_numbers.json
    python -m benchmarks.experiments NAME --seeds 0 1 2 3

A module beside this one holds each chapter's. To add one: a function (seed) -> list of flat records, registered with
`@experiment("<chapter>_<what>", settings)`; its docstring says what is compared. Each result file holds the machine,
versions, date, command, seeds and settings with the records, one thread, so that a figure can say where its numbers
come from. Changing an experiment means running it again and committing its file.
"""

import importlib
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.record import Record, write

Settings = dict[str, Any]  # numbers, words and lists of them, as a result file holds them
Run = Callable[[int], list[Record]]


@dataclass(frozen=True)
class Experiment:
    name: str
    run: Run
    settings: Settings


EXPERIMENTS: dict[str, Experiment] = {}


def experiment(name: str, settings: Settings) -> Callable[[Run], Run]:
    """Register a function from a seed to records under `name`; `settings` are written into its results."""

    def register(run: Run) -> Run:
        EXPERIMENTS[name] = Experiment(name, run, settings)
        return run

    return register


def every_experiment() -> dict[str, Experiment]:
    """The experiments of all chapters, by name."""
    for module in pkgutil.iter_modules(__path__):
        if module.name != "__main__":
            importlib.import_module(f"{__name__}.{module.name}")
    return EXPERIMENTS


def parameter_count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def run(name: str, seeds: list[int]) -> Path:
    """Run an experiment over the seeds on one thread and write its result file; returns where."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    chosen = every_experiment()[name]
    start = time.perf_counter()
    records = [record for seed in seeds for record in chosen.run(seed)]
    return write(
        name,
        chosen.run.__doc__ or "",
        records,
        command=f"python -m benchmarks.experiments {name} --seeds {' '.join(map(str, seeds))}",
        settings=chosen.settings,
        seconds=time.perf_counter() - start,
        seeds=seeds,
    )
