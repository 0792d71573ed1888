"""Recorded tables: what each check's cases see of the reference and of every wrong answer, as numbers.

Files are `course/checks/recorded/<exercise>.npz`, written by `python -m tools.notebooks refresh` and never edited. They
hold observations and messages, no code of any answer.
"""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.checks.engine.draw import RECORDED_KEY
from course.checks.engine.table import Diagnosis, Observation, Table
from course.protocol.wire import Foreign

RECORDED = Path(__file__).parents[1] / "recorded"


def dump(table: Table) -> bytes:
    """The table as a compressed npz, each different array once; the same table gives the same bytes."""
    arrays: list[np.ndarray] = []
    places: dict[bytes, int] = {}

    def put(value: Any) -> Any:
        if isinstance(value, Tensor):
            value = value.float() if value.is_floating_point() else value
            array = value.contiguous().numpy()
            key = repr((array.dtype.str, array.shape)).encode() + array.tobytes()
            if key not in places:
                places[key] = len(arrays)
                arrays.append(array)
            return {"array": places[key]}
        if isinstance(value, Foreign):
            return {"foreign": value.type_name}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise TypeError(f"an observation of type {type(value).__name__} cannot be recorded")

    def observations(seen: tuple[Observation, ...]) -> list[Any]:
        return [[{k: put(v) for k, v in o.values.items()}, {k: put(v) for k, v in o.hidden.items()}, o.raised]
                for o in seen]  # fmt: skip

    manifest = {
        "key": table.key.digest,
        "reference": observations(table.reference),
        "diagnoses": [[m.name, m.message, observations(m.observations)] for m in table.diagnoses],
    }
    text = np.frombuffer(json.dumps(manifest, ensure_ascii=False, sort_keys=True).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, manifest=text, **{f"a{i}": a for i, a in enumerate(arrays)})  # type: ignore[arg-type]
    return buffer.getvalue()


def load(name: str) -> Table:
    """The recorded table of exercise `name`. Raises FileNotFoundError, or ValueError for other numbers, with the
    way on."""
    path = RECORDED / f"{name}.npz"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: `make refresh` records the checks' tables")
    with np.load(path) as archive:
        manifest = json.loads(archive["manifest"].tobytes())
        arrays = {n: torch.from_numpy(archive[n]) for n in archive.files if n != "manifest"}

    if manifest.get("key") != RECORDED_KEY.digest:
        raise ValueError(f"{path} was recorded with another key: `make refresh` records the checks' tables")

    def take(value: Any) -> Any:
        if isinstance(value, dict):
            return arrays[f"a{value['array']}"] if "array" in value else Foreign(value["foreign"])
        return value

    def observations(recorded: list[Any]) -> tuple[Observation, ...]:
        return tuple(
            Observation({k: take(v) for k, v in values.items()}, {k: take(v) for k, v in hidden.items()},
                        tuple(raised) if raised else None)
            for values, hidden, raised in recorded
        )  # fmt: skip

    diagnoses = tuple(Diagnosis(name, message, observations(seen)) for name, message, seen in manifest["diagnoses"])
    return Table(RECORDED_KEY, observations(manifest["reference"]), diagnoses)
