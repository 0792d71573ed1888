"""Experiments too long for a notebook: several seeds each, results committed in benchmarks/results/.

    python -m benchmarks.experiments                     list them
    python -m benchmarks.experiments seq2seq_numbers     run one and write benchmarks/results/seq2seq_numbers.json
    python -m benchmarks.experiments NAME --seeds 0 1 2 3

A module beside this one holds each chapter's. To add one: a function (seed) -> list of flat records, registered with
`@experiment("<chapter>_<what>", settings)`; its docstring says what is compared. Each result file holds the machine,
versions, date, command, seeds and settings with the records, one thread, so that a figure can say where its numbers
come from. Changing an experiment means running it again and committing its file.
"""

import datetime
import importlib
import json
import os
import pkgutil
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import nn

RESULTS = Path(__file__).parents[1] / "results"
Record = dict[str, str | int | float]


@dataclass(frozen=True)
class Experiment:
    name: str
    run: Callable[[int], list[Record]]
    settings: dict[str, object]


EXPERIMENTS: dict[str, Experiment] = {}


def experiment(name: str, settings: dict[str, object]):
    """Register a function from a seed to records under `name`; `settings` are written into its results."""

    def register(run: Callable[[int], list[Record]]) -> Callable[[int], list[Record]]:
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


def cpu_model() -> str:
    """The processor's name, as Linux or the platform module tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def run(name: str, seeds: list[int]) -> Path:
    """Run an experiment over the seeds on one thread and write its result file; returns where."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    chosen = every_experiment()[name]
    start = time.perf_counter()
    records = [record for seed in seeds for record in chosen.run(seed)]
    result = {
        "experiment": name,
        "about": (chosen.run.__doc__ or "").strip(),
        "machine": {"cpu": cpu_model(), "cores": os.cpu_count(), "threads_used": torch.get_num_threads()},
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": numpy.__version__},
        "date": datetime.date.today().isoformat(),
        "command": f"python -m benchmarks.experiments {name} --seeds {' '.join(map(str, seeds))}",
        "seeds": seeds,
        "settings": chosen.settings,
        "seconds": round(time.perf_counter() - start, 1),
        "records": [{key: rounded(value) for key, value in record.items()} for record in records],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    unfinished = path.with_suffix(".part")
    # one record a line: small files, readable diffs
    head = {key: value for key, value in result.items() if key != "records"}
    lines = ",\n".join("    " + json.dumps(record, ensure_ascii=False) for record in result["records"])
    text = json.dumps(head, indent=2, ensure_ascii=False)[:-2] + ',\n  "records": [\n' + lines + "\n  ]\n}\n"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
    return path
