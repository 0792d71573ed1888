"""Where a submission came from, kept beside it as provenance.json: for an appeal, and to give feedback back under the
name that the platform gave.

    source      the archive or folder that was collected
    member      the names of its files there, below the source: notebooks and archives first, and no more than are kept
    platform    whose way of naming it was read by, and `key`, what stands for the student there
    name        the outermost name, which the platform gave
    student     whose it was taken for, and `with`, the others of a group
    handed_in   the moment, as the platform said it, and `late`, whether it said that it came late
    collected   when it was collected, in UTC

The names in it are students' own: text, and never a path.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograde.files import open_ordinary, write_atomically

PROVENANCE = "provenance.json"
_MOST = 16 << 20  # bytes of one that is read: more than is written of names as long as can be
_MEMBERS = 200  # of a submission's files whose names are kept
_WORK = (".ipynb", ".zip", ".tar", ".tgz", ".gz")


@dataclass(frozen=True)
class Provenance:
    """What is known of a submission where it is collected: see the module's docstring."""

    source: str
    member: Sequence[str]
    platform: str
    key: str
    name: str
    student: str
    together: Sequence[str] = ()
    handed_in: str = ""
    late: bool = False


def write(folder: Path, of: Provenance) -> None:
    """Puts it into a submission's folder."""
    said = asdict(of)
    said["with"] = said.pop("together")
    said["member"] = sorted(of.member, key=lambda name: not name.lower().endswith(_WORK))[:_MEMBERS]
    said["collected"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    write_atomically(folder / PROVENANCE, json.dumps(said, indent=1) + "\n")


def read(folder: Path) -> dict[str, Any]:
    """What stands in a submission's folder of it; {} where there is none that can be read."""
    try:
        with open_ordinary(folder / PROVENANCE) as file:
            said = json.loads(file.read(_MOST))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def without(folder: Path, student: str) -> bool:
    """Takes a student's name out of what is known of another's submission, of a group's; whether it stood there."""
    said = read(folder)
    others = said.get("with")
    if not isinstance(others, list) or student not in others:
        return False
    said["with"] = [other for other in others if other != student]
    for name in ("name", "key", "member", "source"):
        if student in json.dumps(said.get(name, ""), ensure_ascii=False):
            said[name] = [] if name == "member" else ""
    write_atomically(folder / PROVENANCE, json.dumps(said, indent=1) + "\n")
    return True
