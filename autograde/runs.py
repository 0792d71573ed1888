"""What a run was asked to do, kept beside the ledger until it is done.

Everybody in a run faces the same numbers. So a run that goes on where another was interrupted goes on under the same
name and seed, and what comes out is what the first would have given.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograde.folders import write_atomically

_FILE = "unfinished.json"


@dataclass(frozen=True)
class Plan:
    """One run: its name, its seed, and what it was asked for. No `students` means all of them."""

    run: str
    seed: int
    assignments: tuple[str, ...]
    students: tuple[str, ...] = ()
    again: bool = False

    def covers(self, other: Plan) -> bool:
        """Whether nothing of the other run is left once this one is done."""
        everybody = not self.students or (other.students and set(other.students) <= set(self.students))
        return bool(everybody) and set(other.assignments) <= set(self.assignments) and self.again >= other.again


def new(assignments: Iterable[str], students: Iterable[str] = (), again: bool = False) -> Plan:
    """A run that has not begun, with a seed that nobody can know."""
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
    return Plan(name, secrets.randbelow(1 << 31), tuple(assignments), tuple(students), again)


def unfinished(ledger: Path) -> Plan | None:
    """The run that was interrupted in this class, if one was."""
    try:
        values = json.loads((ledger / _FILE).read_bytes())
        values |= {name: tuple(values[name]) for name in ("assignments", "students")}
        return Plan(**values)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def begin(ledger: Path, plan: Plan) -> None:
    """Remembers the run until `end`."""
    write_atomically(ledger / _FILE, json.dumps(asdict(plan)) + "\n")


def end(ledger: Path) -> None:
    """Forgets the run: all that it was asked for is in the ledger."""
    (ledger / _FILE).unlink(missing_ok=True)
