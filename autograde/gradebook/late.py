"""What time does to a grade: stamps, marks of lateness, extensions, due dates and the class's policy, made to agree.

nbgrader counts a penalty once, when a submission is entered. All that it rests on may change afterwards: a stamp comes,
a due date moves, somebody gets more time, a person gives points. So after each run, and after `autograde extend`, every
submission's time is looked at again, and what differs is entered. No submission is run for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from nbgrader.api import Assignment, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets import TraitError

from autograde.folders import ClassFolder
from autograde.gradebook import configuration, extensions, store
from autograde.gradebook.extensions import Extensions
from autograde.gradebook.policy import LatePolicy

_LEAST = 1.0  # seconds: what a platform's LATE proves where it does not say how late
_CLOCKS = timedelta(days=1)  # a stamp may be so far ahead: clocks go wrong, and zones are left out


@dataclass(frozen=True)
class HandedIn:
    """What is known of when a submission came: its `stamp` as written, "" for none; whether the platform says that it
    is `late`; `received`, after which it cannot have come; and whether it `stands` in the gradebook."""

    stamp: str
    late: bool
    received: datetime
    stands: Callable[[], bool]


@dataclass(frozen=True)
class Change:
    """A penalty that is another now: `points` are before it."""

    student: str
    points: float
    before: float
    after: float


@dataclass
class Settled:
    """What came of it: the penalties that changed, (student, why) of stamps that could not count, and the students
    whose submission has none, where there is a date that it could have missed."""

    changes: list[Change] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)

    def only(self, student: str) -> Settled:
        """The same, but of other students only what changed."""
        remarks = [(who, why) for who, why in self.remarks if who == student]
        return Settled(self.changes, remarks, [who for who in self.silent if who == student])


@dataclass(frozen=True)
class Times:
    """Of one submission: when it came, how much more time was given, and by how many seconds it is late."""

    handed_in: datetime | None
    extension: timedelta | None
    late: float


def plugin(folder: ClassFolder) -> Any:
    """The class's plugin for late penalties: ours, unless its configuration names another. Raises ValueError where
    what is set for it cannot be."""
    try:
        made = AssignLatePenalties(config=configuration.read(folder))
        made.init_plugin()
    except (TraitError, ValueError) as error:
        raise ValueError(f"{folder.config}: {error}") from None
    return made.plugin_inst


def policy(folder: ClassFolder) -> LatePolicy:
    """The class's zone and choice of attempts, where a plugin of the instructor's own has none too."""
    made = plugin(folder)
    return made if isinstance(made, LatePolicy) else LatePolicy()


def penalty(late_plugin: Any, student: str, points: float, late: float) -> float:
    """What a plugin takes off a submission's points, held between nothing and all of them."""
    taken = late_plugin.late_submission_penalty(student, points, late) if late > 0 and points > 0 else None
    return min(max(taken or 0.0, 0.0), max(points, 0.0))


def require(folder: ClassFolder) -> None:
    """Raises ValueError, with the file and what to mend, where the class's policy or its extensions cannot be read."""
    plugin(folder)
    extensions.read(folder)


def times(
    said: HandedIn | None, recorded: datetime | None, due: datetime | None, extra: timedelta | None, rule: LatePolicy
) -> tuple[Times, str]:
    """A submission's times, and why its stamp could not count, "" where it did. `recorded` is the gradebook's moment,
    for a submission of which nothing is said."""
    moment, why, marked = recorded, "", False
    if said is not None:
        moment, marked = rule.moment(said.stamp) if said.stamp else None, said.late
        if said.stamp and moment is None:
            why = f"its stamp {said.stamp!r} cannot be read"
        elif moment is not None and moment > said.received + _CLOCKS:
            moment, why = None, f"its stamp {said.stamp!r} lies after the day on which it was received"
    if moment is not None and due is not None:
        return Times(moment, extra, max(0.0, (moment - due - (extra or timedelta())).total_seconds())), why
    late = _LEAST if marked and not extra else 0.0  # the platform's mark knows of no extension that is granted here
    return Times(moment, extra if due is not None else None, late), why  # nbgrader adds an extension to a due date


def settle(
    folder: ClassFolder,
    assignment: str,
    said: Mapping[str, HandedIn],
    *,
    write: bool = True,
    granted: Extensions | None = None,
) -> Settled:
    """Makes each submission's moment, extension and penalty in the gradebook what they are now: `said` is what is known
    of those in submissions/, `granted` what is to hold beside the class's extensions. Raises GradebookError,
    BadExtensions and ValueError, before anything is written."""
    late_plugin, settled = plugin(folder), Settled()
    granted = extensions.read(folder) | (granted or {})
    rule = late_plugin if isinstance(late_plugin, LatePolicy) else LatePolicy()
    with store.open_gradebook(folder) as book:
        notebooks = store.submitted_notebooks(book, assignment)
        columns = SubmittedNotebook.id, SubmittedNotebook.score, SubmittedNotebook.late_submission_penalty
        by_submission: dict[str, list[tuple[str, float, float]]] = {}
        for of_submission, notebook, score, taken in notebooks.with_entities(SubmittedAssignment.id, *columns):
            by_submission.setdefault(of_submission, []).append((notebook, score or 0.0, taken or 0.0))
        keys = SubmittedAssignment.id, SubmittedAssignment.student_id, SubmittedAssignment.timestamp
        dated = *keys, SubmittedAssignment.extension, Assignment.duedate
        rows = store.submissions(book, assignment).with_entities(*dated).all()
        for row, student, moment, extension, due in sorted(rows, key=lambda row: row[1]):
            extra = granted.get((student, assignment), extension)
            now, why = times(said.get(student), moment, due, extra or None, rule)
            if why:
                settled.remarks.append((student, f"{why}: it counts as one without a stamp"))
            scored = by_submission.get(row, [])
            taken = {each: penalty(late_plugin, student, score, now.late) for each, score, _ in scored}
            stays = taken == {each: before for each, _, before in scored}
            stays = stays and (moment, extension) == (now.handed_in, now.extension)
            if not stays and student in said and not said[student].stands():
                continue  # another file is in the gradebook than lies there: the next `grade` sees to both
            if due and now.handed_in is None and not now.late and not why:
                settled.silent.append(student)
            if stays:
                continue
            for each, score, before in scored:
                if abs(taken[each] - before) > 1e-9:
                    settled.changes.append(Change(student, score, before, taken[each]))
            if write:
                one = book.db.get(SubmittedAssignment, row)
                one.timestamp, one.extension = now.handed_in, now.extension
                for notebook in one.notebooks:
                    notebook.late_submission_penalty = taken[notebook.id] or None
        if write:
            book.db.commit()
    return settled


def dates(folder: ClassFolder, assignment: str) -> tuple[datetime | None, dict[str, timedelta]]:
    """The assignment's due date, in UTC, and student -> how much more time, as granted here or in nbgrader."""
    granted = extensions.read(folder)
    with store.open_gradebook(folder) as book:
        record = book.find_assignment(assignment)
        due = record.duedate
        more = {one.student.id: one.extension for one in record.submissions if one.extension}
    return due, more | {student: extra for (student, name), extra in granted.items() if name == assignment}
