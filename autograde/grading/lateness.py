"""When submissions came, as their files say, carried into the gradebook (`gradebook.late`); and which attempt counts.

Where the class's policy is that the best of several attempts counts, those in earlier/ are graded too, and the one with
most points after its own penalty goes into the gradebook; of equal ones, the newest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from autograde import moments
from autograde.folders import ClassFolder
from autograde.gradebook import extensions, late, store
from autograde.gradebook.late import HandedIn, Settled
from autograde.gradebook.policy import LatePolicy, later, length, local
from autograde.intake import provenance, received
from autograde.ledger import Ledger


def settle(folder: ClassFolder, assignment: str, *, write: bool = True) -> Settled:
    """Makes the times and penalties of an assignment's submissions in the gradebook what they are now."""
    return late.settle(folder, assignment, of_assignment(folder, assignment), write=write)


@dataclass(frozen=True)
class Extended:
    """An extension: when the assignment is due for everybody, and now for this student, in words and in the class's
    zone ("" without a due date); and what that does to grades."""

    student: str
    assignment: str
    extra: timedelta
    due: str
    due_now: str
    settled: Settled


def extend(folder: ClassFolder, student: str, assignment: str, words: str, *, write: bool = True) -> Extended:
    """Gives a student more time, in place of what was given before; "0d" takes it back.

    Days are those of the clock in the class's zone: two days more end at the same hour, also where clocks were changed
    between; 48 hours are 48 hours. Raises ValueError, BadExtensions, GradebookError, and LedgerBusy while a run is
    grading this class.
    """
    late.require(folder)
    rule, wanted = late.policy(folder), length(words)
    due, _ = late.dates(folder, assignment)
    extra = later(due, wanted, ZoneInfo(rule.zone)) - due if due is not None else wanted.usual
    with Ledger(folder.ledger).alone():
        if write:
            extensions.grant(folder, student, assignment, extra)
        said = of_assignment(folder, assignment)
        settled = late.settle(folder, assignment, said, write=write, granted={(student, assignment): extra})
    at, now = [local(moment, rule.zone) for moment in (due, due + extra)] if due else ("", "")
    return Extended(student, assignment, extra, at, now, settled.only(student))


def of_assignment(folder: ClassFolder, assignment: str) -> dict[str, HandedIn]:
    """student -> what is known of when the submission came that is in the gradebook."""
    return {
        student: handed_in(folder, assignment, student, graded(folder, assignment, student, path))
        for student, path in folder.submissions(assignment)
    }


def handed_in(folder: ClassFolder, assignment: str, student: str, path: Path) -> HandedIn:
    """What is known of when the submission in this folder came."""
    came = provenance.read(path)
    stamp = received.stamp(path)
    collected = _collected(came)
    return HandedIn(stamp, came.get("late") is True, collected, partial(_stands, folder, assignment, student, path))


def attempts(folder: ClassFolder, assignment: str, student: str) -> list[Path]:
    """The folders of attempts that a later one took the place of."""
    kept = folder.earlier / student / assignment
    return sorted(path for path in kept.glob("*") if path.is_dir() and not path.name.startswith("."))


def graded(folder: ClassFolder, assignment: str, student: str, path: Path) -> Path:
    """Which attempt is in the gradebook: the one in submissions/ where there is no other, or none of them is."""
    earlier = attempts(folder, assignment, student)
    if not earlier:
        return path
    return next((each for each in [path, *earlier] if _stands(folder, assignment, student, each)), path)


class Attempts:
    """The attempts of an assignment that are graded: student -> their folders, the newest first, and no more than it
    unless the best of several counts."""

    def __init__(self, folder: ClassFolder, assignment: str, students: Collection[str] | None = None) -> None:
        self.folder, self.assignment = folder, assignment
        best = late.policy(folder).attempts == "best"
        self.of = {
            student: [path, *(attempts(folder, assignment, student)[::-1] if best else [])]
            for student, path in folder.submissions(assignment)
            if students is None or student in students
        }

    def __iter__(self) -> Iterator[tuple[str, Path]]:
        return ((student, path) for student, paths in self.of.items() for path in paths)

    def __len__(self) -> int:
        return sum(map(len, self.of.values()))

    def several(self, student: str) -> bool:
        """Whether it is not known before all are graded which of them counts."""
        return len(self.of.get(student, ())) > 1

    @cached_property
    def _rules(self) -> tuple[Any, datetime | None, dict[str, timedelta]]:
        return late.plugin(self.folder), *late.dates(self.folder, self.assignment)

    def net(self, student: str, path: Path, points: float) -> float:
        """What so many points of an attempt are worth, after its own penalty."""
        of, due, extra = self._rules
        said = handed_in(self.folder, self.assignment, student, path)
        rule = of if isinstance(of, LatePolicy) else LatePolicy()
        now, _ = late.times(said, None, due, extra.get(student) or None, rule)
        return round(points - late.penalty(of, student, points, now.late), 2)

    def best(self, student: str, points: Callable[[Path], float | None]) -> Path:
        """The attempt that counts, by the points of each; None for one that has none yet."""
        given = {path: points(path) for path in self.of[student]}
        nets = {path: self.net(student, path, some) for path, some in given.items() if some is not None}
        return max(nets, key=lambda path: nets[path], default=self.of[student][0])  # the first of equal ones


def _stands(folder: ClassFolder, assignment: str, student: str, path: Path) -> bool:
    stamp = store.entered(folder, assignment, student) or {}
    return stamp.get("submission") == received.digest(path, assignment)[0]


def _collected(came: dict) -> datetime:
    return moments.read(str(came.get("collected", ""))) or moments.now()
