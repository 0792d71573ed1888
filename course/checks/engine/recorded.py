"""Recorded tables: what each check's cases see of the reference and of every wrong answer, as numbers.

Files are `course/checks/recorded/<exercise>.npz`, written by `python -m tools.notebooks refresh` and never edited. They
hold observations and messages, no code of any answer.
"""

import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.checks.engine.check import Check
from course.checks.engine.table import UNSTEADY, Diagnosis, Observation, Table
from course.key import RECORDED_KEY
from course.protocol.wire import Foreign

RECORDED = Path(__file__).parents[1] / "recorded"


def dump(check: Check, table: Table) -> bytes:
    """The table of a check as a compressed npz, each different array once; the same table gives the same bytes. What a
    wrong answer shares with the reference is not written again."""
    # Of each dtype, one behind the other: an array of its own takes 300 bytes.
    numbers: dict[str, list[np.ndarray]] = {}
    filled: dict[str, int] = {}
    places: dict[bytes, list[Any]] = {}

    def put(value: Any) -> Any:
        if isinstance(value, Tensor):
            value = value.float() if value.is_floating_point() else value
            array = value.contiguous().numpy()
            kind = array.dtype.name
            key = repr((kind, array.shape)).encode() + array.tobytes()
            if key not in places:
                places[key] = [kind, filled.get(kind, 0), list(array.shape)]
                numbers.setdefault(kind, []).append(array.flatten())
                filled[kind] = filled.get(kind, 0) + array.size
            return {"array": places[key]}
        if isinstance(value, Foreign):
            return {"foreign": value.type_name}
        if value is UNSTEADY:
            return {"unsteady": True}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise TypeError(f"an observation of type {type(value).__name__} cannot be recorded")

    def observations(seen: Sequence[Observation]) -> list[Any]:
        return [[{k: put(v) for k, v in o.values.items()}, {k: put(v) for k, v in o.hidden.items()}, o.raised]
                for o in seen]  # fmt: skip

    right = observations(table.reference)
    manifest = {
        "key": table.key.digest,
        "cases": _titles(check),
        "reference": right,
        "diagnoses": [[m.name, m.message, _less(observations(m.observations), right)] for m in table.diagnoses],
    }
    text = np.frombuffer(json.dumps(manifest, ensure_ascii=False, sort_keys=True).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, manifest=text, **{kind: np.concatenate(parts) for kind, parts in numbers.items()})  # type: ignore[arg-type]
    return buffer.getvalue()


def _less(wrong: list[Any], right: list[Any]) -> list[Any]:
    """Observations of a wrong answer without what the reference's have too: what is its own, and what it has not."""

    def less(values: dict[str, Any], others: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        own = {name: value for name, value in values.items() if name not in others or others[name] != value}
        return own, [name for name in others if name not in values]

    return [[less(a[0], b[0]), less(a[1], b[1]), a[2]] for a, b in zip(wrong, right, strict=True)]


def _more(wrong: list[Any], right: list[Any]) -> list[Any]:
    """What `_less` was made of."""

    def more(less: list[Any], others: dict[str, Any]) -> dict[str, Any]:
        own, gone = less
        return {name: value for name, value in others.items() if name not in gone} | own

    return [[more(a[0], b[0]), more(a[1], b[1]), a[2]] for a, b in zip(wrong, right, strict=True)]


def _titles(check: Check) -> list[str]:
    return [case.title for case in check.cases]


def load(check: Check) -> Table:
    """The recorded table of a check. Raises FileNotFoundError, or ValueError where it has other numbers or cases than
    the check has now, with the way on."""
    path = RECORDED / f"{check.name}.npz"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: `make refresh` records the checks' tables")
    with np.load(path) as archive:
        manifest = json.loads(archive["manifest"].tobytes())
        arrays = {n: torch.from_numpy(archive[n]) for n in archive.files if n != "manifest"}

    if manifest.get("key") != RECORDED_KEY.digest:
        raise ValueError(f"{path} was recorded with another key: `make refresh` records the checks' tables")

    if (cases := manifest.get("cases")) != _titles(check):
        other = sorted(set(cases or ()) ^ set(_titles(check))) or ["their order"]
        raise ValueError(f"{path} is older than the check of {check.name} ({'; '.join(other)}): run `make refresh`")

    def take(value: Any) -> Any:
        if isinstance(value, dict):
            if "foreign" in value:
                return Foreign(value["foreign"])
            if "unsteady" in value:
                return UNSTEADY
            kind, start, shape = value["array"]
            return arrays[kind][start : start + math.prod(shape)].view(shape)
        return value

    def observations(recorded: list[Any]) -> tuple[Observation, ...]:
        return tuple(
            Observation({k: take(v) for k, v in values.items()}, {k: take(v) for k, v in hidden.items()},
                        tuple(raised) if raised else None)
            for values, hidden, raised in recorded
        )  # fmt: skip

    right = manifest["reference"]
    diagnoses = tuple(
        Diagnosis(n, message, observations(_more(seen, right))) for n, message, seen in manifest["diagnoses"]
    )
    return Table(RECORDED_KEY, observations(right), diagnoses)
