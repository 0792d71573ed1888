"""The ledger: the grader's append-only record of verdicts, one JSON line an exercise, one file an assignment.

Nothing in it is ever changed or removed; the newest verdict on a submission and exercise counts, unless its run was
taken back: undone.jsonl names those (`autograde undo`). What an exercise is out of in this class, where that is not
what the course says, stands in points.jsonl, by the run that changed it. A record of the grader's own failure is kept
beside the verdicts, and counts only where there is none. All records of a submission are appended in one write, so a
run that is killed leaves a submission wholly recorded or (its last line cut short) not at all, and the next run goes on
from there. Fields may be added; a field's meaning may not change, because old ledgers are read for ever.

On disk a student is a number, and people.json says whose it is: that file alone connects verdicts with people. Lines of
before there were numbers have names; `autograde upgrade` and `autograde forget` give those their numbers, and nothing
else writes over a line: of one that is forgotten, the number and the points stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from autograde.files import add, objects, open_to_add, write_atomically
from course.verdict import Verdict

_PEOPLE = "people.json"
_UNDONE, _POINTS = "undone.jsonl", "points.jsonl"  # beside the assignments' own, whose names begin with a number


class LedgerBusy(RuntimeError):
    """Another run is at work on this class."""


class LedgerDamaged(ValueError):
    """A file beside the records cannot be read: which, and what to do."""


def nobody(number: int) -> str:
    """How one who is forgotten is called: no folder's name begins so."""
    return f"/{number}"


@dataclass(frozen=True)
class Record:
    """The verdict on one exercise of one submission, and what it was come to by.

    `key` is the digest of what the numbers were drawn from (see `autograde.keys`). `seconds` are of wall time, for the
    whole submission; `peak_memory` is in bytes. `notes` are for the student, `details` for the instructor.
    `needs_person` says that the points are not to be trusted until someone has looked; `grader_failed`, that this is so
    because the grader failed, and not the submission: such a record is no verdict, never stands in the place of one,
    and the next run tries again.
    """

    run: str
    when: str
    student: str
    assignment: str
    submission: str
    release: str
    versions: dict[str, str]
    exercise: str
    number: str
    points: float
    max: float
    verdict: Verdict
    key: str
    seconds: float = 0.0
    peak_memory: int = 0
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    needs_person: bool = False
    grader_failed: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.points <= self.max:
            raise ValueError(f"{self.exercise}: {self.points:g} points are not between 0 and {self.max:g}")

    def as_json(self) -> dict[str, Any]:
        """The record as one line of the ledger holds it."""
        return vars(self) | {"verdict": self.verdict.as_json()}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Record:
        """The record of a line. Raises ValueError, TypeError, KeyError or AttributeError where it is none."""
        values = {name: value for name, value in stored.items() if name in _FIELDS}  # a later version may have more
        return cls(**values | {"verdict": Verdict.from_json(stored["verdict"])})


_FIELDS = {f.name for f in fields(Record)}


def counting(before: Record | None, after: Record) -> Record:
    """Which of two records of the same submission and exercise counts: the later, unless it is no verdict."""
    return before if after.grader_failed and before is not None and not before.grader_failed else after


@dataclass(frozen=True)
class Changed:
    """An exercise's points in one class, as a run (`autograde points`) changed them."""

    run: str
    when: str
    exercise: str
    points: float


class Ledger:
    """The ledger of one class: `append` a submission's records, `latest` reads them back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, assignment: str) -> Path:
        return self.folder / f"{assignment}.jsonl"

    def append(self, records: Sequence[Record]) -> None:
        """Writes a submission's records, all of one assignment, in one append that is on disk at the end."""
        if not records:
            return
        (assignment,) = {record.assignment for record in records}
        numbers = self.numbers({record.student for record in records})
        stored = [record.as_json() | {"student": numbers[record.student]} for record in records]
        lines = "".join(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in stored).encode()
        add(self.path(assignment), lines)

    def read(self, assignment: str) -> Iterator[Record]:
        """All records in the order in which they were written; a line cut short by a killed run is passed over."""
        people = self.people()
        for stored in objects(self.path(assignment), ("student", "verdict")):
            if isinstance(number := stored["student"], int):
                stored["student"] = people.get(number) or nobody(number)
            try:
                record = Record.from_json(stored)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            yield record

    def people(self) -> dict[int, str | None]:
        """Number -> student, None for one who is forgotten. Raises LedgerDamaged where the file cannot be read: without
        it, nobody knows whose verdicts these are."""
        try:
            stored = json.loads((self.folder / _PEOPLE).read_bytes())
            return {int(number): None if student is None else str(student) for number, student in stored.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, AttributeError) as error:
            path = self.folder / _PEOPLE
            raise LedgerDamaged(f"{path} cannot be read ({error}). To do: bring it back from a backup") from None

    def numbers(self, students: Collection[str]) -> dict[str, int]:
        """Student -> number, a new one for those who have none. They are on disk when this returns."""
        people = self.people()
        number_of = {student: number for number, student in people.items() if student is not None}
        fresh = sorted(set(students) - set(number_of))
        number_of |= {student: number for number, student in enumerate(fresh, max(people, default=0) + 1)}
        if fresh:
            self._write_people(people | {number_of[student]: student for student in fresh})
        return {student: number_of[student] for student in students}

    def _write_people(self, people: dict[int, str | None]) -> None:
        write_atomically(self.folder / _PEOPLE, json.dumps(people, ensure_ascii=False, indent=0) + "\n")

    def forget(self, student: str, assignments: Iterable[str]) -> None:
        """Leaves of a student's records a number without a name, and the points; no text, and no digest of a file. The
        name goes last: a forgetting that is killed is begun again."""
        names = {name for assignment in assignments for name in self.names(assignment)}
        mine = self.numbers({student, *names})[student]
        for assignment in assignments:
            if self.path(assignment).exists():
                write_atomically(self.path(assignment), "".join(self._rewritten(assignment, mine)))
        people = self.people()
        self._write_people({number: None if number == mine else name for number, name in people.items()})

    def number(self, assignments: Iterable[str]) -> None:
        """Gives those who stand in the files by name, as they did before there were numbers, theirs."""
        for assignment in assignments:
            if names := self.names(assignment):
                self.numbers(names)
                write_atomically(self.path(assignment), "".join(self._rewritten(assignment)))

    def names(self, assignment: str) -> set[str]:
        """Students who stand in the file by name."""
        students = (line["student"] for line in objects(self.path(assignment), ("student",)))
        return {student for student in students if isinstance(student, str)}

    def _rewritten(self, assignment: str, mine: int = 0) -> Iterator[str]:
        """The file's lines, students as numbers, and this one's without what is theirs."""
        numbers = {student: number for number, student in self.people().items() if student is not None}
        for line in objects(self.path(assignment), ("student", "verdict")):
            line["student"] = numbers.get(line["student"], line["student"])
            if line["student"] == mine:
                line |= {"submission": "", "flags": [], "notes": [], "details": []}
                verdict = Verdict.from_json(line["verdict"])
                line["verdict"] = Verdict(verdict.outcome, verdict.fraction).as_json()
            yield json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"

    def counted(self, assignment: str) -> Iterator[Record]:
        """The records whose runs were not taken back."""
        undone = set(self.undone())
        return (record for record in self.read(assignment) if record.run not in undone)

    def undone(self) -> dict[str, bool]:
        """Run that was taken back -> whether that is done, or was begun and has to be gone on with."""
        return {line["run"]: bool(line["done"]) for line in objects(self.folder / _UNDONE, ("run", "done"))}

    def undo(self, run: str, *, done: bool) -> None:
        """Takes back a run: its records count no more from when this is begun."""
        self._add(_UNDONE, {"run": run, "done": done})

    def points(self) -> dict[str, float]:
        """Exercise -> what it is out of in this class, for those of which that was changed."""
        undone = set(self.undone())
        return {each.exercise: each.points for each in self.changed_points() if each.run not in undone}

    def changed_points(self) -> list[Changed]:
        """Every time that an exercise's points were changed, in order."""
        names = ("run", "when", "exercise", "points")
        return [Changed(**{name: line[name] for name in names}) for line in objects(self.folder / _POINTS, names)]

    def change_points(self, changed: Changed) -> None:
        """Adds what an exercise is out of from now on."""
        self._add(_POINTS, vars(changed))

    def _add(self, name: str, line: dict[str, Any]) -> None:
        add(self.folder / name, json.dumps(line).encode() + b"\n")

    def latest(self, assignment: str) -> dict[tuple[str, str], dict[str, Record]]:
        """(student, submission) -> exercise -> the record that counts."""
        latest: dict[tuple[str, str], dict[str, Record]] = {}
        for record in self.counted(assignment):
            records = latest.setdefault((record.student, record.submission), {})
            records[record.exercise] = counting(records.get(record.exercise), record)
        return latest

    def failures(self, assignment: str) -> set[tuple[str, str]]:
        """(student, submission) of those at which the grader failed when it tried last."""
        newest = {(r.student, r.submission, r.exercise): r.grader_failed for r in self.counted(assignment)}
        return {(student, submission) for (student, submission, _), failed in newest.items() if failed}

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Holds the class for one command; raises `LedgerBusy` at once where another has it. Released when the process
        ends, however it ends."""
        with os.fdopen(open_to_add(self.folder / ".lock"), "a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                holder = file.read().strip() or "unknown"
                raise LedgerBusy(
                    f"another run or command (process {holder}) is at work on this class: wait for it, or end it"
                ) from None
            file.seek(0)
            file.truncate()
            file.write(str(os.getpid()))
            file.flush()
            yield
