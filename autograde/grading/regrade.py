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
from autograde.folders import ClassFolder
from autograde.gradebook import enter, examination
from autograde.grading.executor import Job, engine
from autograde.grading.run import Progress, entered_though_stopped, line_of, named, read, record, records, silent
from autograde.grading.worker import task
from autograde.intake.jail import Intake
from autograde.ledger import Ledger, Record
from autograde.sandbox.launch import Launched
from course.checks.engine.draw import Key


@dataclass(frozen=True)
class Change:
    """The verdict on one exercise of one submission, which is another now. `before` is None for a new exercise."""

    before: Record | None
    after: Record


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
) -> Regraded:
    """Grades again the submissions that lie there and are in the ledger. Writes nothing, unless `write`.

    Raises what `grade` raises. A verdict that the grader fails to repeat stays.
    """
    named(folder, assignments, students)
    examination.require(folder)
    ledger, regraded = Ledger(folder.ledger), Regraded()
    run, chosen = plan.new(assignments).run, set(students)
    with ledger.alone(), engine(jobs, scheduler, ahead) as workers:
        for assignment in assignments or folder.assignments():
            latest = ledger.latest(assignment)
            graded_once = {student for student, _ in latest}
            there = [
                h for h in folder.submissions(assignment) if h[0] in graded_once and (not chosen or h[0] in chosen)
            ]
            released, done = folder.released(assignment).read_bytes(), 0
            keeping = entered_though_stopped(folder, assignment) if write else contextlib.nullcontext()
            with keeping, Intake(nbformat.reads(released.decode(), as_version=4)) as intake:
                for digest in sorted({_key(each) for each in latest.values()}):
                    kept = keys.find(folder.ledger, digest)
                    of = task(assignment, released, kept or Key.fresh())
                    if write:
                        keys.keep(folder.ledger, of.key)
                    for job, graded in workers.grade(of, _of_key(digest, there, assignment, latest, intake)):
                        regraded.other_numbers += kept is None
                        before = _before(latest, job)
                        made, after = records(run, of, job, graded, before)
                        regraded.submissions, done = regraded.submissions + 1, done + 1
                        regraded.exercises += len(made)
                        changed = [Change(before.get(name), new) for name, new in after.items()]
                        regraded.changes += [change for change in changed if _differs(change)]
                        regraded.failed += [job.student] if any(new.grader_failed for new in made.values()) else []
                        if write:
                            record(folder, ledger, job, graded, made, after)
                        progress(assignment, done, len(there), line_of(job.student, after, fresh=True, made=made))
            if write:
                regraded.refused += enter.enter(folder, assignment)
    regraded.changes.sort(key=lambda c: (c.after.assignment, c.after.student, c.after.number))
    return regraded


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
