"""`autograde summary`: how an assignment went, and what there is left to look at.

Made from the gradebook (so a person's grades count), the ledger and what lies in submissions/; `summary_page` shows it.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field, replace
from datetime import datetime

from autograde import bank
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, store
from autograde.grading import judge
from autograde.ledger import Ledger, Record
from autograde.reports.roster_rows import only_in_roster
from autograde.reports.trace import Trace, how_long, traces
from course.exercises import Exercise
from course.verdict import YOUR_NUMBER, Outcome

FORMGRADER = "http://localhost:8888/formgrader"  # where JupyterLab answers unless its port is taken
# How an exercise came out, in the order in which the figure and the table show it.
OUTCOMES = {
    "all": "all points",
    "some": "some points",
    "none": "no points",
    "no answer": "no answer",
    "waiting": "waits for a person",
}


@dataclass(frozen=True)
class Row:
    """One exercise over all submissions: outcome -> how many."""

    number: str
    name: str
    max: float
    mean: float
    counts: dict[str, int]

    @property
    def share(self) -> float:
        """The mean as a share of the points, 0 to 1."""
        return self.mean / self.max if self.max else 0.0


@dataclass(frozen=True)
class Diagnosis:
    """A named mistake, or an option of a question taken wrongly: what students were told, and who they are."""

    number: str
    name: str
    message: str
    students: tuple[str, ...]
    question: bool = False

    @property
    def what(self) -> str:
        """What was wrong, in words, and where: a case of a question is named by its option alone."""
        if not self.question:
            return f"exercise {self.number}: {self.name}"
        option, _, how = self.name.partition(": ")
        if option == YOUR_NUMBER:
            return f"question {self.number}: a wrong number"
        return f"question {self.number}: option {option} {how or 'not in its place'}"


@dataclass(frozen=True)
class Look:
    """A submission that is unusual: `why` in a few words each, `details` the sentences for the instructor."""

    student: str
    points: float
    why: tuple[str, ...]
    details: tuple[str, ...]
    waits: bool
    page: str = ""  # formgrader's address of it


@dataclass
class Summary:
    """How an assignment went. `missing` handed nothing in, also those whom the roster alone knows; `ungraded` did but
    are not in the gradebook."""

    assignment: str
    totals: list[float]
    max: float
    rows: list[Row]
    diagnoses: list[Diagnosis]
    look: list[Look]
    late: list[str]
    missing: list[str]
    ungraded: list[str]
    seconds: list[float] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    last: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.totals) if self.totals else 0.0

    @property
    def middle_second(self) -> float:
        """Of the submissions' grading times."""
        return statistics.median(self.seconds)

    @property
    def waiting(self) -> list[str]:
        return [look.student for look in self.look if look.waits]


def summary(folder: ClassFolder, assignment: str) -> Summary:
    """Gathers it. Raises GradebookError where the gradebook cannot be reached."""
    out_of, by_student = Ledger(folder.ledger).points(), traces(folder, assignment)
    exercises = [replace(one, points=out_of.get(one.name, one.points)) for one in judge.of_assignment(assignment)]
    handed_in = {student for student, _ in folder.submissions(assignment)}
    with store.open_gradebook(folder) as book:
        enrolled = {student.id for student in book.students}
    there = enrolled | set(folder.students()) | handed_in | set(by_student)
    silent = {person.student for person in only_in_roster(folder, assignment, there)}
    graded, at = [by_student[student] for student in sorted(by_student)], formgrader(folder)
    records = [trace.record for trace in graded if trace.record is not None]
    return Summary(
        assignment,
        totals=[trace.points for trace in graded],
        max=float(sum(exercise.points for exercise in exercises)),
        rows=[_row(exercise, graded) for exercise in exercises],
        diagnoses=_diagnoses(exercises, graded),
        look=sorted(
            filter(None, (_look(trace, at) for trace in graded)),
            key=lambda look: (not look.waits, look.student),
        ),
        late=[
            f"{trace.student} ({how_long(trace.late) if trace.late else _how_late(trace)})"
            for trace in graded
            if trace.late or trace.marked
        ],
        missing=sorted(((enrolled | set(folder.students())) - handed_in - set(by_student)) | silent),
        ungraded=sorted(handed_in - set(by_student)),
        seconds=[record.seconds for record in records],
        runs=sorted({record.run for record in records}),
        last=_to_the_minute(max((record.when for record in records), default="")),
    )


def _how_late(trace: Trace) -> str:
    return "nobody knows how late" if trace.handed_in is None else "as the platform says; no due date is set here"


def students(folder: ClassFolder, assignment: str) -> set[str]:
    """All students whom submissions/, the gradebook or the roster knows."""
    with store.open_gradebook(folder) as book:
        there = {student.id for student in book.students} | set(folder.students())
    return there | {person.student for person in only_in_roster(folder, assignment, there)}


def _to_the_minute(when: str) -> str:
    """A ledger's time as people write it: 2026-11-22 08:45 UTC."""
    return f"{datetime.fromisoformat(when):%Y-%m-%d %H:%M %Z}" if when else ""


def _not_answered(record: Record) -> bool:
    return record.verdict.outcome is Outcome.NOT_ANSWERED


def _row(exercise: Exercise, graded: list[Trace]) -> Row:
    counts = dict.fromkeys(OUTCOMES, 0)
    points = []
    for trace in graded:
        given, record = trace.given.get(exercise.name), trace.records.get(exercise.name)
        points.append(given.points if given else 0.0)
        if given is not None and given.waits:
            outcome = "waiting"
        elif points[-1] >= exercise.points:
            outcome = "all"
        elif points[-1] > 0:
            outcome = "some"
        elif given is None or (record is not None and (_not_answered(record) or _unread(trace))):
            outcome = "no answer"
        else:
            outcome = "none"
        counts[outcome] += 1
    mean = statistics.fmean(points) if points else 0.0
    return Row(exercise.number, exercise.name, float(exercise.points), round(mean, 2), counts)


def _unread(trace: Trace) -> bool:
    """Whether nothing of the submission could be read, so that no answer of it was seen."""
    return trace.record is not None and bool({"unreadable", "nothing was handed in"} & set(trace.record.flags))


def _diagnoses(exercises: list[Exercise], graded: list[Trace]) -> list[Diagnosis]:
    """The commonest first; those of one exercise that are as common, in its answer bank's order."""
    made = []
    for exercise in exercises:
        records = [(trace.student, trace.records[exercise.name]) for trace in graded if exercise.name in trace.records]
        messages: dict[str, str] = {}
        if exercise.question:  # an option that was taken wrongly, with its explanation
            wrong_options = [
                (student, case)
                for student, record in records
                for case in record.verdict.cases
                if record.verdict.outcome is Outcome.FAIL and not case.passed
            ]
            who = [(student, case.title) for student, case in wrong_options]
            messages = {case.title: case.message for _, case in wrong_options}
        else:
            who = [(student, record.verdict.diagnosis) for student, record in records if record.verdict.diagnosis]
            messages = {wrong.name: wrong.message for wrong in bank.find(exercise).wrong}
        order = {name: place for place, name in enumerate(messages)}
        for name in sorted({name for _, name in who}, key=lambda name: order.get(name, len(order))):
            students = tuple(sorted({student for student, other in who if other == name}))
            made.append(Diagnosis(exercise.number, name, messages.get(name, ""), students, exercise.question))
    return sorted(made, key=lambda diagnosis: -len(diagnosis.students))


def formgrader(folder: ClassFolder) -> str:
    """Where formgrader answers: as `make formgrader` opens it, unless the class's configuration says otherwise."""
    return str(configuration.read(folder).Summary.get("formgrader", FORMGRADER)).rstrip("/")


def _look(trace: Trace, formgrader: str) -> Look | None:
    record = trace.record
    why = [f"{', '.join(_numbers(trace, trace.waits))}: needs a person"] if trace.waits else []
    why += record.flags if record else ["graded by stock nbgrader, without the sandbox"]
    why += [f"{', '.join(_numbers(trace, trace.changed))}: points by a person"] if trace.changed else []
    if not why:
        return None
    page = f"{formgrader}/submissions/{trace.notebook}/" if trace.notebook else ""
    return Look(trace.student, trace.points, tuple(why), tuple(trace.details), bool(trace.waits), page)


def _numbers(trace: Trace, names: list[str]) -> list[str]:
    """Exercises as people call them."""
    return [trace.records[name].number if name in trace.records else name for name in names]
