"""One format for everything that is measured here: `benchmarks/results/<name>.json`.

A result says what was measured (`about`), on which machine, with which versions, when, by which command and with which
settings; `records` is a list of flat records, one a line, so that a diff shows what moved. The book's page of
measurements and the notebooks' figures read these files; nobody types a number.

Some keys of a record mean the same in every file, and the page knows them (`theme/result_files.py`):

    measure           which of a file's tables it belongs to, where there are several
    peer, ratio       against whom, and how many times as good we are: above 1 is better than the peer, below 1 worse;
                      cpu_ratio is the same by CPU time
    <key>_low, _high  the spread of <key>: the least and the most of the rounds or seeds
"""

import datetime
import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

import torch

from course import files
from course.committed import RESULTS

Record = dict[str, Any]  # words, numbers, truth values and None
# What every file holds; one that was repeated over seeds holds "seeds" too.
KEYS = ("experiment", "about", "machine", "versions", "date", "command", "settings", "seconds", "records")


def cpu_model() -> str:
    """The processor's name, as Linux or the platform module tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def machine() -> dict[str, Any]:
    """The processor, its cores, the threads that torch uses, and the GPUs, if there are any."""
    facts: dict[str, Any] = {"cpu": cpu_model(), "cores": os.cpu_count(), "threads_used": torch.get_num_threads()}
    if torch.cuda.is_available():
        facts["gpu"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return facts


def versions(*libraries: str) -> dict[str, str]:
    """Python's version, torch's, numpy's and those of the libraries named that are installed."""
    versions = {"python": platform.python_version(), "torch": torch.__version__}
    for library in ("numpy", *libraries):
        try:
            versions[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def rounded(value: Any) -> Any:
    """Four digits are more than any of these measurements can carry."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def write(
    name: str,
    about: str,
    records: list[Record],
    *,
    command: str,
    settings: dict[str, Any],
    seconds: float,
    libraries: tuple[str, ...] = (),
    seeds: list[int] | None = None,
    folder: Path | None = None,
) -> Path:
    """Write a result whole, or leave the old one; returns where. `libraries` are those whose versions matter."""
    result = {
        "experiment": name,
        "about": " ".join(about.split()),
        "machine": machine(),
        "versions": versions(*libraries),
        "date": datetime.date.today().isoformat(),
        "command": command,
        **({} if seeds is None else {"seeds": seeds}),
        "settings": settings,
        "seconds": round(seconds, 1),
    }
    # one record a line: small files, readable diffs
    lines = ",\n".join(
        "    " + json.dumps({key: rounded(value) for key, value in record.items()}, ensure_ascii=False)
        for record in records
    )
    text = json.dumps(result, indent=2, ensure_ascii=False)[:-2] + ',\n  "records": [\n' + lines + "\n  ]\n}\n"
    folder = folder or RESULTS
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / f"{name}.json"
    files.replace(path, text)
    return path
