"""Where a grade comes from: the file that was graded, the run, its key and versions, and what a person changed.

A grade is what stands in the gradebook. The graded notebook says of which submission and which run it was made, the
ledger holds that run's records for ever, and the file in submissions/ either is that submission still or is another one
by now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from nbgrader.api import Assignment, BaseCell, Comment, Gradebook, SubmittedAssignment, SubmittedNotebook

from autograde import keys
from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.gradebook.store import Given
from autograde.grading import lateness
from autograde.intake import provenance, received
from autograde.ledger import Ledger, Record, counting
from course.exercises import exercise_of


@dataclass
class Trace:
    """One graded submission: exercise -> what was given, and exercise -> the record that this came from.

    `submission` is the digest of the file that was graded, `run` the name of the run; both are "", and there are no
    records, where stock nbgrader graded it. `penalty` is what being late cost; `points` are before it. `marked`: the
    platform says that it came late, and nobody here knows how late.
    """

    student: str
    assignment: str
    given: dict[str, Given] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    submission: str = ""
    run: str = ""
    records: dict[str, Record] = field(default_factory=dict)
    handed_in: datetime | None = None
    late: timedelta = timedelta()
    extension: timedelta = timedelta()
    marked: bool = False
    penalty: float = 0.0
    notebook: str = ""  # its id in the gradebook, and in formgrader's address of it

    @property
    def points(self) -> float:
        return round(sum(given.points for given in self.given.values()), 2)

    @property
    def max(self) -> float:
        return sum(given.max for given in self.given.values())

    @property
    def record(self) -> Record | None:
        """One of its run's records: of the submission as a whole, all of them say the same."""
        return max(self.records.values(), key=lambda record: record.run == self.run, default=None)

    @property
    def unsaid(self) -> str:
        """Why nobody here knows how late it is, where the platform marked it."""
        return "without saying when" if self.handed_in is None else "and no due date is set here"

    @property
    def details(self) -> list[str]:
        """What the instructor is told, of the submission and of each exercise: where the grader failed, its error."""
        return list(dict.fromkeys(detail for record in self.records.values() for detail in record.details))

    @property
    def waits(self) -> list[str]:
        """Exercises that a person has still to look at."""
        return [name for name, given in self.given.items() if given.waits]

    @property
    def changed(self) -> list[str]:
        """Exercises whose points are a person's."""
        return [name for name, given in self.given.items() if given.by_hand is not None or given.extra]


def traces(folder: ClassFolder, assignment: str, students: Collection[str] = ()) -> dict[str, Trace]:
    """student -> the graded submission: of all in the gradebook, or of these.

    Raises GradebookError where the gradebook cannot be reached.
    """
    with store.open_gradebook(folder) as book:
        by_student = in_gradebook(book, assignment)
        due = book.find_assignment(assignment).duedate
    if students:
        by_student = {student: trace for student, trace in by_student.items() if student in students}
    for student, trace in by_student.items():
        stamp = store.entered(folder, assignment, student) or {}
        trace.submission, trace.run = stamp.get("submission", ""), stamp.get("run", "")
    for student, path in folder.submissions(assignment):
        marked = by_student.get(student)
        if marked and not marked.extension and (marked.handed_in is None or due is None):
            marked.marked = provenance.read(lateness.graded(folder, assignment, student, path)).get("late") is True
    counted: dict[tuple[str, str], Record] = {}  # of the submission that was graded: (student, exercise) -> what counts
    for record in Ledger(folder.ledger).counted(assignment):
        graded = by_student.get(record.student)
        if graded is not None and record.submission == graded.submission:
            key = record.student, record.exercise
            counted[key] = counting(counted.get(key), record)
            if record.run == graded.run:
                graded.records[record.exercise] = counted[key]
    return by_student


def in_gradebook(book: Gradebook, assignment: str) -> dict[str, Trace]:
    """What the gradebook alone knows, without the submissions' digests and records."""
    student, by_student = SubmittedAssignment.student_id, {}
    times = SubmittedAssignment.timestamp, SubmittedAssignment.extension, Assignment.duedate
    for who, handed_in, extension, due in store.submissions(book, assignment).with_entities(student, *times):
        over = handed_in - due - (extension or timedelta()) if handed_in and due else timedelta()
        late, extra = max(over, timedelta()), extension or timedelta()
        by_student[who] = Trace(who, assignment, handed_in=handed_in, late=late, extension=extra)
    for who, given in store.given(book, assignment).items():
        by_student[who].given = given
    notebooks = store.submitted_notebooks(book, assignment)
    of_notebook = SubmittedNotebook.id, SubmittedNotebook.late_submission_penalty
    for who, notebook, penalty in notebooks.with_entities(student, *of_notebook):
        by_student[who].penalty += penalty or 0.0
        by_student[who].notebook = notebook
    comments = notebooks.join(Comment, Comment.notebook_id == SubmittedNotebook.id).join(Comment.cell)
    for who, cell, comment in comments.with_entities(student, BaseCell.name, Comment.manual_comment):
        if comment:
            by_student[who].comments[exercise_of(cell)] = comment
    return by_student


def how_long(late: timedelta) -> str:
    """1 day 21 h; below a day, 3 h 20 min."""
    minutes = max(1, round(late.total_seconds() / 60))
    days, hours = minutes // 1440, minutes // 60 % 24
    parts = [(days, "day" if days == 1 else "days"), (hours, "h")] if days else [(hours, "h"), (minutes % 60, "min")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count)


def in_words(folder: ClassFolder, trace: Trace) -> list[tuple[str, str]]:
    """(what, what is known of it) for the submission as a whole."""
    lines = []
    cost = f"; {trace.penalty:g} points are taken off for it" if trace.penalty else ""
    if trace.marked:
        lines.append(("Handed in", f"late, as the platform says {trace.unsaid}{cost}"))
        cost = ""
    if trace.handed_in is not None:
        late = f", {how_long(trace.late)} late" if trace.late else ""
        late += f" with an extension of {how_long(trace.extension)}" if trace.extension else ""
        lines.append(("Handed in", f"{trace.handed_in.replace(tzinfo=UTC):%Y-%m-%d %H:%M} UTC{late}{cost}"))
    record = trace.record
    if record is None:
        return [*lines, ("Graded", "by stock nbgrader, which keeps no record of the file, the key or the versions")]
    graded_with = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    lines += [
        ("Submission", f"sha256 {trace.submission}, {_file_now(folder, trace)}"),
        ("Graded", f"{record.when}, in the run {trace.run}"),
        ("Numbers", _numbers(folder, record)),
        ("Versions", f"{graded_with} ({_versions_now(folder, record)})"),
        ("Release", f"sha256 {record.release}, {_release_now(folder, record)}"),
    ]
    lines += [("Flag", flag) for flag in record.flags]
    return lines + [("Noted", detail) for detail in trace.details]


def by_hand(trace: Trace, exercise: str) -> str:
    """What a person did to an exercise's points, in words; "" where nobody did."""
    given, record = trace.given[exercise], trace.records.get(exercise)
    sentences = ["waits for a person"] if given.waits else []
    if given.by_hand is not None:
        sentences.append(f"{given.by_hand:g}" + (f" in place of {record.points:g}" if record else ""))
    if given.extra:
        sentences.append(f"{given.extra:+g} on top")
    if exercise in trace.comments:
        sentences.append(f"commented: {trace.comments[exercise]}")
    return "; ".join(sentences)


def history(folder: ClassFolder, student: str, assignment: str) -> list[str]:
    """Every time that the student was graded, a line each, where it was more than once."""
    by_run: dict[tuple[str, str], list[Record]] = {}
    undone = Ledger(folder.ledger).undone()
    for record in Ledger(folder.ledger).read(assignment):
        if record.student == student:
            by_run.setdefault((record.run, record.submission), []).append(record)
    return [
        f"{records[0].when}: {sum(r.points for r in records):g} of {sum(r.max for r in records):g} by the machine, "
        f"submission {submission[:12]}, run {run}{', taken back' if run in undone else ''}"
        for (run, submission), records in by_run.items()
        if len(by_run) > 1
    ]


def _file_now(folder: ClassFolder, trace: Trace) -> str:
    """What became of the file that was graded."""
    path = dict(folder.submissions(trace.assignment)).get(trace.student)
    if path is None:
        return "and nothing lies in submissions/ any more"
    stands = lateness.graded(folder, trace.assignment, trace.student, path)
    if stands != path:
        return f"kept in {stands.relative_to(folder.root)}: another attempt lies in submissions/"
    sha256, name = received.digest(path, trace.assignment)
    if sha256 == trace.submission:
        return f"still the file in submissions/: {name}" if name else "still nothing that could be graded"
    return f"but another file lies in submissions/ now (`autograde grade` grades it): {name}, sha256 {sha256}"


def _release_now(folder: ClassFolder, record: Record) -> str:
    released = folder.released(record.assignment)
    same = hashlib.sha256(released.read_bytes()).hexdigest() == record.release
    return "still the class's" if same else "another one than the class has now"


def _numbers(folder: ClassFolder, record: Record) -> str:
    """What the inputs were drawn from, without what would give them away."""
    there = keys.find(folder.ledger, record.key) is not None
    kept = "kept beside the ledger" if there else "which is not kept here any more: `autograde regrade` draws others"
    return f"drawn from the key with the sha256 {record.key}, {kept}"


def _versions_now(folder: ClassFolder, record: Record) -> str:
    """Whether this machine would grade with the same."""
    from autograde.grading.versions import versions  # which loads all that judges, and most that trace need none

    here = versions(record.assignment, folder.released(record.assignment).read_text("utf-8"))
    other = [f"{name} is {here[name]} here now" for name in here if here[name] != record.versions.get(name)]
    return "; ".join(other) if other else "the same here now"
