"""What was sent to a platform through its interface, and what it has confirmed: ledger/sent.jsonl, a line for each.

A line is written before a grade is sent and another once the platform has confirmed it, so that whatever ends a run,
the next one knows what may have arrived: such a grade is ours, and none that a person gave there. Points that stand
there already and are the same as here get a line as confirmed without being sent. Students are the ledger's numbers
here, too; `user` is the platform's own number of theirs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from autograde.files import add, objects, write_atomically

_SENT = "sent.jsonl"
_THERE = ("platform", "address", "course", "item")  # what names an assignment on a platform
_NEEDED = {*_THERE, "student", "user", "points", "page", "confirmed"}


@dataclass(frozen=True)
class Target:
    """One assignment on a platform: `course` and `item` are the platform's own numbers, as text. `assignment` is the
    class's own that goes there."""

    platform: str
    address: str
    course: str
    item: str
    assignment: str = ""


@dataclass
class History:
    """What went to one person: the points confirmed last, those that may have arrived since, the name of the page
    confirmed last, and the class's assignment of the newest line."""

    confirmed: float | None = None
    begun: set[float] = field(default_factory=set)
    page: str = ""
    assignment: str = ""

    def ours(self, points: float) -> bool:
        """Whether points that stand on the platform may be those that were sent."""
        sent = self.begun if self.confirmed is None else {self.confirmed, *self.begun}
        return any(abs(points - one) < 0.005 for one in sent)


class Sent:
    """The file of one class."""

    def __init__(self, ledger: Path) -> None:
        self.path = ledger / _SENT

    def of(self, target: Target) -> dict[str, History]:
        """The platform's number of a person -> what went to them."""
        people: dict[str, History] = {}
        for line in objects(self.path, _NEEDED):
            if any(line[name] != getattr(target, name) for name in _THERE):
                continue
            history = people.setdefault(line["user"], History())
            history.assignment = line.get("assignment", "")
            if not line["confirmed"]:
                history.begun.add(float(line["points"]))
                continue
            history.confirmed, history.begun = float(line["points"]), set()
            history.page = line["page"] or history.page
        return people

    def add(self, target: Target, student: int, user: str, points: float, page: str, *, confirmed: bool) -> None:
        """Adds a line, which is on disk when this returns. `student` is the ledger's number, `page` the name of the
        page that goes with the points, "" for none."""
        when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        line = vars(target) | {"student": student, "user": user, "points": points, "page": page}
        line |= {"confirmed": confirmed, "when": when}
        add(self.path, json.dumps(line, sort_keys=True).encode() + b"\n")

    def forget(self, student: int) -> bool:
        """Takes a student's lines out; whether there were any."""
        lines = list(objects(self.path, _NEEDED))
        left = [line for line in lines if line["student"] != student]
        if len(left) == len(lines):
            return False
        write_atomically(self.path, "".join(json.dumps(line, sort_keys=True) + "\n" for line in left))
        return True
