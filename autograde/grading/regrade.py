"""`autograde regrade`: what is graded, once more, with the release and the grader as they are now.

Every submission faces the numbers that it was graded on before, so that what differs is the grader's or the release's
doing; where their key is gone, or there was none yet, it faces others, and that is said. What changes is shown first
and written only on request; points given by a person stay in any case.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from autograde import keys, plan
from autograde import progress as how_far
from autograde.folders import ClassFolder
from autograde.gradebook import enter, examination, late, store
from autograde.gradebook.late import Settled
from autograde.grading import lateness
from autograde.grading.executor import Job, engine
from autograde.grading.lateness import Attempts
from autograde.grading.run import (
    Progress,
    entered_though_stopped,
    line_of,
    named,
    read,
    record,
    records,
    silent,
    stage_best,
)
from autograde.grading.worker import task
from autograde.intake.intake import Intake
from autograde.ledger import Ledger, Record
from autograde.sandbox.launch import Launched
from course.key import Key


@dataclass(frozen=True)
class Change:
    """The verdict on one exercise of one submission, which is another now. `before` is None for a new exercise."""

    before: Record | None
    after: Record


@dataclass(frozen=True)
class Net:
    """What a student has of an assignment, after the penalty for lateness and with what a person gave: in the gradebook
    now, and when this is taken over."""

    assignment: str
    student: str
    before: float
    after: float


@dataclass
class Regraded:
    """What came of grading again: how much, and all that changed, by student and exercise. `failed` are students at
    whom the grader failed: their verdicts are what they were."""

    submissions: int = 0
    exercises: int = 0
    changes: list[Change] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    other_numbers: int = 0  # submissions whose key is not there any more
    nets: list[Net] = field(default_factory=list)
    settled: dict[str, Settled] = field(default_factory=dict)  # assignment -> what time did to its grades

    def take(self, student: str, before: dict[str, Record], made: dict[str, Record], after: dict[str, Record]) -> None:
        """Counts one submission: the records that counted, those that were made, and those that count with them."""
        self.submissions += 1
        self.exercises += len(made)
        changed = [Change(before.get(name), new) for name, new in after.items()]
        self.changes += [change for change in changed if _differs(change)]
        self.failed += [student] if any(new.grader_failed for new in made.values()) else []

    @property
    def students(self) -> set[str]:
        """Those whose points change."""
        return {c.after.student for c in self.changes if c.before is None or c.before.points != c.after.points}


def regrade(
    folder: ClassFolder,
    assignments: Sequence[str] = (),
    *,
    write: bool = False,
    students: Iterable[str] = (),
    jobs: int = 1,
    scheduler: str = "",
    ahead: Launched | None = None,
    progress: Progress = silent,
    steps: how_far.Progress = how_far.silent,
) -> Regraded:
    """Grades again the submissions that lie there and are in the ledger. Writes nothing, unless `write`.

    Raises what `grade` raises. A verdict that the grader fails to repeat stays.
    """
    named(folder, assignments, students)
    examination.require(folder)
    late.require(folder)
    ledger, regraded = Ledger(folder.ledger), Regraded()
    run, chosen = plan.new(assignments).run, set(students)
    with ledger.alone(), engine(jobs, scheduler, ahead) as workers:
        for assignment in assignments or folder.assignments():
            latest = ledger.latest(assignment)
            graded_once = {student for student, _ in latest}
            there = Attempts(folder, assignment, graded_once & chosen if chosen else graded_once)
            points: dict[str, dict[Path, dict[str, float]]] = {}
            released, done = folder.released(assignment).read_bytes(), 0
            keeping = entered_though_stopped(folder, assignment) if write else contextlib.nullcontext()
            notebook = nbformat.reads(released.decode(), as_version=4)
            with keeping, Intake(notebook) as intake:
                for digest in sorted({_key(each) for each in latest.values()}):
                    kept = keys.find(folder.ledger, digest)
                    of = task(assignment, released, kept or Key.fresh())
                    if write:
                        keys.keep(folder.ledger, of.key)
                    for job, graded in workers.grade(of, _of_key(digest, there, assignment, latest, intake)):
                        regraded.other_numbers += kept is None
                        before = _before(latest, job)
                        made, after = records(run, of, job, graded, before, ledger.points())
                        done += 1
                        regraded.take(job.student, before, made, after)
                        given = {name: one.points for name, one in after.items()}
                        points.setdefault(job.student, {})[job.path] = given
                        if write:
                            several = there.several(job.student)
                            record(folder, ledger, job, graded, made, after, counts=not several)
                        progress(assignment, done, len(there), line_of(job.student, after, fresh=True, made=made))
                if write:
                    stage_best(folder, ledger, there, notebook, intake)
            regraded.nets += _nets(folder, assignment, there, points)
            if write:
                regraded.refused += enter.enter(folder, assignment, steps)
                regraded.settled[assignment] = lateness.settle(folder, assignment)
    regraded.changes.sort(key=lambda c: (c.after.assignment, c.after.student, c.after.number))
    return regraded


def _nets(
    folder: ClassFolder, assignment: str, there: Attempts, points: dict[str, dict[Path, dict[str, float]]]
) -> list[Net]:
    """What each student has now, and with these points of the machine's."""
    nets = []
    for student, held in sorted(store.held(folder, assignment).items()):
        if given := points.get(student):
            path = there.best(student, {path: sum(one.values()) for path, one in given.items()}.get)
            after = there.net(student, path, held.points_with(given[path]))
            nets.append(Net(assignment, student, held.net, after))
    return nets


def _of_key(
    digest: str, there: Iterable[tuple[str, Path]], assignment: str, latest: dict[tuple[str, str], dict], intake: Intake
) -> Iterator[Job]:
    """The submissions that were graded with the key of this digest, as they were then."""
    for student, path in there:
        job = read(student, path, assignment, intake)
        before = _before(latest, job)
        if before and _key(before) == digest:
            yield job


def _before(latest: dict[tuple[str, str], dict[str, Record]], job: Job) -> dict[str, Record]:
    """The records of the submission that lies there, or of the student's newest where it cannot be read."""
    if records := latest.get((job.student, job.seen.sha256)):
        return records
    of_student = [records for (student, _), records in latest.items() if student == job.student and job.seen.failed]
    return max(of_student, key=lambda records: max(record.when for record in records.values()), default={})


def _key(records: dict[str, Record]) -> str:
    """The digest of the newest key of a submission's records."""
    return max(records.values(), key=lambda record: record.when).key


def _differs(change: Change) -> bool:
    """Whether a student would see another verdict; sentences that only name a number may differ."""
    before, after = change.before, change.after
    return before is None or _of(before) != _of(after)


def _of(record: Record) -> tuple:
    return record.points, record.max, record.verdict.outcome, record.verdict.diagnosis
