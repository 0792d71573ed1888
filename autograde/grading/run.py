"""`autograde grade`: every submission through intake, sandbox and judge into the ledger, then once through nbgrader.

A submission that fails in any way, even through a fault of the grader's, gets its records and the run goes on; at one
that the grader failed at, the next run tries again. Where submissions cannot be isolated any more, the run stops
(`isolation`). A run that is killed loses the submissions that were under way: the next run finds the others in the
ledger, and goes on under the same key. Only this process writes, whoever grades (`engine`): the ledger as verdicts
come, the gradebook at the end.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat

from autograde import keys, moments
from autograde import plan as runs
from autograde import progress as how_far
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import enter, examination, late, store
from autograde.gradebook.late import Settled
from autograde.grading import isolation, judge, lateness
from autograde.grading.executor import Engine, EngineError, Job, engine
from autograde.grading.lateness import Attempts
from autograde.grading.worker import Graded, Task, notebook_to_show, task
from autograde.intake import received
from autograde.intake.intake import Intake
from autograde.intake.people import spelled_apart
from autograde.intake.submissions import finish_what_was_begun
from autograde.ledger import Ledger, Record, counting
from autograde.plan import Plan
from autograde.sandbox.launch import Launched
from course.wording import listed

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Line:
    """One submission in the summary of a run. `score` is the gradebook's where a person's grades change it (`manual`);
    `failed` says that the grader failed at it in this run, at a part at least."""

    assignment: str
    student: str
    score: float
    max: float
    outcomes: dict[str, str]
    flags: tuple[str, ...]
    needs_person: bool
    seconds: float
    fresh: bool  # judged in this run, rather than found in the ledger
    manual: bool = False
    failed: bool = False


@dataclass
class Summary:
    """What a run did. `refused` are (assignment, student) that nbgrader would not take, `unrecognized` what lies in
    submissions/ and is no submission, `outdated` those whose grades stand though another version of the course or an
    earlier release gave them.
    """

    run: str
    lines: list[Line] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    unrecognized: list[str] = field(default_factory=list)
    outdated: list[tuple[str, str]] = field(default_factory=list)
    settled: dict[str, Settled] = field(default_factory=dict)  # assignment -> what time did to its grades


Progress = Callable[[str, int, int, Line | None], None]  # (assignment, done, of, the submission just done)


def silent(assignment: str, done: int, of: int, line: Line | None) -> None:
    """A `Progress` that says nothing."""


def grade(
    folder: ClassFolder,
    assignments: Sequence[str] = (),
    *,
    again: bool = False,
    outdated: bool = False,
    resume: bool = False,
    students: Iterable[str] = (),
    jobs: int = 1,
    scheduler: str = "",
    ahead: Launched | None = None,
    progress: Progress = silent,
    steps: how_far.Progress = how_far.silent,
) -> Summary:
    """Grades what has been handed in for these assignments (all that are released, for none).

    A submission that is graded is not run again, unless `again`. Where another version of the grader, or an earlier
    release, graded it, its grade stands too, and is told, unless such are asked for (`outdated`): no grade becomes
    another because the course has changed.
    Where a run was interrupted, what it left is graded under its name and key; `resume` goes on with all that it was
    asked for, and with nothing else. `jobs`, `scheduler` and what was launched `ahead` say where:
    see `engine`.

    Raises doctor's error where the sandbox cannot be had, isolation.Stopped where it is lost on the way, EngineError
    where workers cannot be had, ValueError for an unknown assignment or student, nothing to resume, or a class whose
    nbgrader would run submissions unprotected, LedgerBusy where another run is at work, and GradebookError where the
    gradebook cannot be reached: the verdicts are in the ledger then, and the next run enters them.
    """
    named(folder, assignments, students)
    examination.require(folder)
    late.require(folder)
    ledger = Ledger(folder.ledger)
    with ledger.alone(), engine(jobs, scheduler, ahead) as workers:
        finish_what_was_begun(folder)  # or else who was being collected would have handed nothing in
        plan, left = _planned(folder, assignments, again, outdated, resume, students)
        whole = left is None or plan.covers(left)  # else the interrupted run is still to be gone on with
        if whole:
            runs.begin(folder.ledger, plan)
        keys.keep(folder.ledger, plan.key)
        run = _Run(folder, ledger, plan, steps)
        run.summary.unrecognized = folder.unrecognized()
        for assignment in plan.assignments:
            run.assignment(assignment, workers, progress, more=assignment != plan.assignments[-1])
        if whole:
            runs.end(folder.ledger)
        return run.summary


def _planned(
    folder: ClassFolder,
    assignments: Sequence[str],
    again: bool,
    outdated: bool,
    resume: bool,
    students: Iterable[str],
) -> tuple[Plan, Plan | None]:
    """What a run is to do, and the interrupted one that it may go on with."""
    left = runs.unfinished(folder.ledger)
    if resume and left is None:
        raise ValueError("no run was interrupted in this class: there is nothing to resume")
    plan = left if resume and left else runs.new(assignments or folder.assignments(), students, again, outdated)
    if left is not None and not again:
        plan = replace(plan, run=left.run, key=left.key)
    return plan, left


@dataclass(frozen=True)
class Due:
    """What a run would grade of an assignment: `students` in order (one twice where an earlier attempt is graded too),
    and how many submissions it would leave as they are."""

    assignment: str
    students: list[str]
    left: int


def due(
    folder: ClassFolder,
    assignments: Sequence[str] = (),
    *,
    again: bool = False,
    outdated: bool = False,
    resume: bool = False,
    students: Iterable[str] = (),
    steps: how_far.Progress = how_far.silent,
) -> list[Due]:
    """What `grade` would grade, told without running or writing anything. Raises as it does, but for what only running
    shows: whether the sandbox, the workers and the gradebook's database can be had."""
    named(folder, assignments, students)
    examination.require(folder)
    late.require(folder)
    ledger = Ledger(folder.ledger)
    with ledger.alone():
        plan, _ = _planned(folder, assignments, again, outdated, resume, students)
        run, due = _Run(folder, ledger, plan, steps), []
        for name in plan.assignments:
            run.begin(name)
            those = []
            for count, (student, path) in enumerate(run.attempts):
                steps(f"{name}: reading", count, len(run.attempts))
                digest, _ = received.digest(path, name)
                if run.is_due(student, digest, run.latest.get((student, digest), {})):
                    those.append(student)
            due.append(Due(name, those, len(run.attempts) - len(those)))
    return due


def named(folder: ClassFolder, assignments: Iterable[str], students: Iterable[str]) -> None:
    """Raises ValueError, with those there are, where one of them is unknown in this class."""
    released = folder.assignments()
    if unknown := sorted(set(assignments) - set(released)):
        there_are = (
            f"there are {', '.join(released)}" if released else "nothing is released yet: run `autograde release`"
        )
        raise ValueError(f"no assignment {', '.join(unknown)}; {there_are}")
    students_there = folder.students()
    if strangers := sorted(set(students) - set(students_there)):
        names = [*strangers, *students_there]
        distinct = [f"{name}{own}" for name, own in zip(names, spelled_apart(*names), strict=True)]
        there = distinct[len(strangers) :]
        there_are = f"there are {listed(there, 50)}" if there else f"no submissions in {folder.submitted}"
        raise ValueError(f"no student {', '.join(distinct[: len(strangers)])}; {there_are}")


class _Run:
    """One run over a class: one key, so that all submissions of it face the same numbers."""

    def __init__(self, folder: ClassFolder, ledger: Ledger, plan: Plan, steps: how_far.Progress):
        self.folder, self.ledger, self.plan, self.steps = folder, ledger, plan, steps
        self.summary = Summary(plan.run)

    def begin(self, name: str) -> None:
        """What is known of an assignment before anything of it is graded."""
        self.task = task(name, self.folder.released(name).read_bytes(), self.plan.key)
        self.entered = store.in_gradebook(self.folder, name)
        self.notebook = nbformat.reads(self.task.notebook, as_version=4)
        self.latest, self.failures = self.ledger.latest(name), self.ledger.failures(name)
        self.points = self.ledger.points()
        self.standings = store.standings(self.folder, name) if self.failures else {}
        self.lines: list[Line] = []
        self.outdated: set[str] = set()
        self.attempts = Attempts(self.folder, name, self.plan.students or None)

    def assignment(self, name: str, workers: Engine, progress: Progress, more: bool) -> None:
        """All submissions of one assignment, then their way into the gradebook; `more` assignments come after it."""
        self.begin(name)
        submissions = self.attempts
        progress(name, 0, len(submissions), None)

        def done(line: Line) -> None:
            self.lines.append(line)
            progress(name, len(self.lines), len(submissions), line)

        with entered_though_stopped(self.folder, name), Intake(self.notebook) as intake:
            for job, graded in workers.grade(self.task, self._to_grade(submissions, intake, done), more):
                before = self.latest.get((job.student, job.seen.sha256), {})
                made, count = records(self.plan.run, self.task, job, graded, before, self.points)
                several = self.attempts.several(job.student)
                record(self.folder, self.ledger, job, graded, made, count, counts=not several)
                done(line_of(job.student, count, fresh=True, made=made))
            best = stage_best(self.folder, self.ledger, self.attempts, self.notebook, intake)
        fresh = {line.student for line in self.lines if line.fresh}
        self.lines = [line for line in self.lines if line.student not in best]
        self.lines += [line_of(student, count, fresh=student in fresh) for student, count in best.items()]
        self.summary.refused += [(name, student) for student in enter.enter(self.folder, name, self.steps)]
        self.summary.outdated += [(name, student) for student in sorted(self.outdated)]
        self.summary.settled[name] = lateness.settle(self.folder, name)
        standings = store.standings(self.folder, name)
        self.lines.sort(key=lambda line: line.student)
        self.summary.lines += [_as_it_stands(line, standings) for line in self.lines]

    def _to_grade(
        self, submissions: Iterable[tuple[str, Path]], intake: Intake, done: Callable[[Line], None]
    ) -> Iterator[Job]:
        """Reads submissions as they are asked for and yields those to grade; the others are `done`."""
        for student, path in submissions:
            job = read(student, path, self.task.assignment, intake)
            before = self.latest.get((student, job.seen.sha256), {})
            if job.seen.failed or self.is_due(student, job.seen.sha256, before):
                yield replace(job, alone=(student, job.seen.sha256) in self.failures)
                continue
            if not self.attempts.several(student) and not self._entered(student, job.seen.sha256, before):
                notebook, reason = notebook_to_show(self.notebook, job.seen, intake)
                stage(self.folder, job, notebook, before, reason)
            self.outdated |= set() if self._current(before) else {student}
            done(line_of(student, before, fresh=False))

    def is_due(self, student: str, submission: str, before: dict[str, Record]) -> bool:
        """Whether a submission is to be graded in this run; `before` are the ledger's records of it."""
        stands = self._current(before) or self._stands(student, submission, before)
        return not stands or self._failed_and_left(student, submission, before)

    def _stands(self, student: str, submission: str, before: dict[str, Record]) -> bool:
        """Whether this very submission has a grade, which another version of the course or an earlier release gave it,
        and nobody asks for another. An exercise that there was not then may be missing, where the grade is entered."""
        if not before or self.plan.again or self.plan.outdated:
            return False
        whole = set(max_points(self.task.assignment, self.points)) <= set(before)
        entered = not self.attempts.several(student) and self._entered(student, submission, before)
        return (whole or entered) and all(r.max == self.points.get(r.exercise, r.max) for r in before.values())

    def _current(self, before: dict[str, Record]) -> bool:
        """Whether the ledger's records are of this very submission, all of it, under this release and this grader, out
        of the class's points, and of this run where everything is to be graded again."""
        now, out_of = (self.task.release, self.task.versions), max_points(self.task.assignment, self.points)
        return set(out_of) <= set(before) and all(
            (r.release, r.versions) == now
            and r.max == out_of.get(r.exercise, r.max)
            and (not self.plan.again or r.run == self.plan.run)
            for r in before.values()
        )

    def _failed_and_left(self, student: str, submission: str, before: dict[str, Record]) -> bool:
        """Whether the grader has no verdict on a part of it, and nobody has given points in its place."""
        if not any(record.grader_failed for record in before.values()):
            return False
        standing = self.standings.get(student)
        return standing is None or standing.needs_person or not self._entered(student, submission, before)

    def _entered(self, student: str, submission: str, before: dict[str, Record]) -> bool:
        stamp = store.entered(self.folder, self.task.assignment, student) or {}
        of_run = stamp.get("run") in {record.run for record in before.values()}
        return student in self.entered and stamp.get("submission") == submission and of_run


def read(student: str, path: Path, assignment: str, intake: Intake) -> Job:
    """A submission as it lies there now, read once."""

    def seen() -> received.Received:
        return intake.receive(path, assignment)

    return Job(student, seen(), received.handed_in_at(path), again=seen, path=path)


@contextlib.contextmanager
def entered_though_stopped(folder: ClassFolder, assignment: str) -> Iterator[None]:
    """What was graded before a run had to stop goes into the gradebook; where that fails too, with the next run."""
    try:
        yield
    except (isolation.Stopped, EngineError):
        with contextlib.suppress(Exception):
            enter.enter(folder, assignment)
        raise


def record(
    folder: ClassFolder,
    ledger: Ledger,
    job: Job,
    graded: Graded,
    made: dict[str, Record],
    count: dict[str, Record],
    *,
    counts: bool = True,
) -> None:
    """Writes what was made of a submission; into the gradebook goes only what counts, and nothing where that is old, or
    where the file could not be read and one of the student's is in it, or where one of several attempts may count in
    its place (`counts`)."""
    (assignment,) = {new.assignment for new in made.values()}
    kept = job.seen.failed and store.entered(folder, assignment, job.student)
    if counts and not kept and any(count[exercise] is new for exercise, new in made.items()):
        stage(folder, job, graded.notebook, made, graded.reason)
    ledger.append(list(made.values()))


def max_points(assignment: str, changed: Mapping[str, float]) -> dict[str, float]:
    """Exercise -> what it is out of."""
    return {e.name: float(changed.get(e.name, e.points)) for e in judge.of_assignment(assignment)}


def records(
    run: str, of: Task, job: Job, graded: Graded, before: dict[str, Record], changed: Mapping[str, float]
) -> tuple[dict[str, Record], dict[str, Record]]:
    """exercise -> the ledger's new record of it, and exercise -> the record that counts from now on, which is one of
    those `known` of the submission where the grader failed and has a verdict already. `changed` is what exercises are
    out of in this class, where that is not what the course says."""
    made, out_of = {}, max_points(of.assignment, changed)
    for exercise in judge.of_assignment(of.assignment):
        verdict = graded.verdicts[exercise.name]
        made[exercise.name] = Record(
            run=run,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            student=job.student,
            assignment=of.assignment,
            submission=job.seen.sha256,
            release=of.release,
            versions=of.versions,
            exercise=exercise.name,
            key=of.key.digest,
            number=exercise.number,
            points=verdict.points(out_of[exercise.name]),
            max=out_of[exercise.name],
            verdict=verdict,
            seconds=round(graded.seconds, 3),
            peak_memory=graded.peak_bytes,
            flags=graded.flags,
            notes=graded.notes,
            details=graded.details + ([verdict.internal] if verdict.internal else []),
            needs_person=bool(verdict.internal) or graded.needs_person,
            grader_failed=bool(verdict.internal) or graded.needs_person,
        )
    return made, {exercise: counting(before.get(exercise), new) for exercise, new in made.items()}


def stage(folder: ClassFolder, job: Job, notebook: nbformat.NotebookNode, made: dict[str, Record], reason: str) -> None:
    """Puts the merged notebook on the way to the gradebook, with what the feedback page says of the whole file."""
    first = next(iter(made.values()))
    stamp = {"submission": first.submission, "run": first.run, "notes": first.notes, "reason": reason}
    notebook.metadata["autograde"] = stamp
    target = folder.staged / job.student / first.assignment
    if moment := moments.read(job.handed_in_at):  # in a form that nbgrader reads as we do
        write_atomically(target / received.STAMP, f"{moment} UTC\n", lasting=False)
    text = json.dumps(notebook, ensure_ascii=False) + "\n"
    write_atomically(target / f"{first.assignment}.ipynb", text, lasting=False)


def stage_best(
    folder: ClassFolder, ledger: Ledger, attempts: Attempts, notebook: nbformat.NotebookNode, intake: Intake
) -> dict[str, dict[str, Record]]:
    """Of those with several attempts, puts the one that counts on the way to the gradebook, unless it is there; returns
    student -> its records."""
    several = [student for student in attempts.of if attempts.several(student)]
    latest, best = ledger.latest(attempts.assignment) if several else {}, {}
    for student in several:
        jobs = {path: read(student, path, attempts.assignment, intake) for path in attempts.of[student]}
        records_of = {path: latest.get((student, job.seen.sha256), {}) for path, job in jobs.items()}
        points = {path: sum(r.points for r in records.values()) for path, records in records_of.items() if records}
        if not points:
            continue
        path = attempts.best(student, points.get)
        job, best[student] = jobs[path], records_of[path]
        stamp = store.entered(folder, attempts.assignment, student) or {}
        runs_of = {record.run for record in best[student].values()}
        if stamp.get("submission") != job.seen.sha256 or stamp.get("run") not in runs_of:
            merged, reason = notebook_to_show(notebook, job.seen, intake)
            stage(folder, job, merged, best[student], reason)
    return best


def line_of(student: str, count: dict[str, Record], fresh: bool, made: dict[str, Record] | None = None) -> Line:
    """A submission's line, from the records that count and, where it is fresh, those just made."""
    listed, last = list(count.values()), next(iter((made or count).values()))
    return Line(
        listed[0].assignment,
        student,
        round(sum(r.points for r in listed), 2),
        sum(r.max for r in listed),
        {r.exercise: r.verdict.outcome for r in listed},
        tuple(last.flags),
        any(r.needs_person for r in listed),
        last.seconds,
        fresh,
        failed=any(r.grader_failed for r in (made or {}).values()),
    )


def _as_it_stands(line: Line, standings: dict[str, store.Standing]) -> Line:
    """The line with what people did in the gradebook; the ledger's where nbgrader did not take the submission."""
    standing = standings.get(line.student)
    if standing is None:
        return line
    score = standing.score if standing.manual or line.failed else line.score
    return replace(line, score=score, manual=standing.manual, needs_person=standing.needs_person)


def as_json(summary: Summary) -> str:
    """The summary for other programs."""
    content = {
        "run": summary.run,
        "submissions": [vars(line) for line in summary.lines],
        "unrecognized": summary.unrecognized,
    }
    return json.dumps(content, indent=1)
