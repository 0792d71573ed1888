"""What a run was asked to do, kept beside the ledger until it is done.

Everybody in a run faces the same numbers. So a run that goes on where another was interrupted goes on under the same
name and key, and what comes out is what the first would have given. The key lies elsewhere (`keys`).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograde import keys
from autograde.files import write_atomically
from course.key import Key

_FILE = "unfinished.json"


@dataclass(frozen=True)
class Plan:
    """One run: its name, its key, and what it was asked for. No `students` means all of them."""

    run: str
    key: Key
    assignments: tuple[str, ...]
    students: tuple[str, ...] = ()
    again: bool = False
    outdated: bool = False  # also what another version of the course, or an earlier release, graded

    def covers(self, other: Plan) -> bool:
        """Whether nothing of the other run is left once this one is done."""
        everybody = not self.students or (other.students and set(other.students) <= set(self.students))
        asked = self.again >= other.again and (self.again or self.outdated) >= other.outdated
        return bool(everybody) and set(other.assignments) <= set(self.assignments) and asked


def new(assignments: Iterable[str], students: Iterable[str] = (), again: bool = False, outdated: bool = False) -> Plan:
    """A run that has not begun, with a key that nobody can know."""
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
    return Plan(name, Key.fresh(), tuple(assignments), tuple(students), again, outdated)


def unfinished(ledger: Path) -> Plan | None:
    """The run that was interrupted in this class, if one was. Raises OSError where what is kept of it is there and
    cannot be read: another run would begin in its place, with other numbers."""
    try:
        values = json.loads((ledger / _FILE).read_bytes())
        values |= {name: tuple(values[name]) for name in ("assignments", "students")}
        return Plan(**{**values, "key": keys.find(ledger, values["key"]) or Key.fresh()})
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


def begin(ledger: Path, plan: Plan) -> None:
    """Remembers the run until `end`, and its key for good."""
    keys.keep(ledger, plan.key)
    write_atomically(ledger / _FILE, json.dumps({**vars(plan), "key": plan.key.digest}) + "\n")


def end(ledger: Path) -> None:
    """Forgets the run: all that it was asked for is in the ledger."""
    (ledger / _FILE).unlink(missing_ok=True)
