"""`autograde export`: every student and assignment as one row of a CSV file that opens safely in a spreadsheet.

nbgrader's own exporter neither quotes nor guards what it writes: a student called `=HYPERLINK(...)` would be a formula,
one with a comma in the name two columns. `GradesCsv` is a plugin in its place; the class's configuration names it, so
`nbgrader export` uses it too.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin

from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.progress import Progress, silent
from autograde.reports import trace
from autograde.reports.output import write
from autograde.text import no_formula

if TYPE_CHECKING:
    from autograde.intake.roster import Person

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score", "handed_in", "needs_person",
    "by_hand", "submission", "run",
)  # fmt: skip


_MARK = "\ufeff"  # says UTF-8 to Excel, which otherwise takes a name's accents for something else


def rows(
    book: Gradebook,
    folder: ClassFolder,
    assignments: Collection[str] = (),
    students: Collection[str] = (),
    progress: Progress = silent,
) -> list[dict[str, str]]:
    """One row for each assignment and student of the gradebook, and for whom the class's roster names beside them:
    those who handed nothing in are included (score 0). What was handed in and is not graded yet has no points: the
    cells are empty. Raises BadRoster where the roster cannot be read.

    `submission` is the digest of the file that was graded and `run` names the run, so that a grade which has left this
    class can still be traced; `by_hand` says whether a person changed points.
    """
    made = []
    people = [
        student for student in sorted(book.students, key=lambda s: s.id) if not students or student.id in students
    ]
    for assignment in sorted(book.assignments, key=lambda a: a.name):
        if assignments and assignment.name not in assignments:
            continue
        graded = trace.in_gradebook(book, assignment.name)
        there = {student for student, _ in folder.submissions(assignment.name)}
        for count, student in enumerate(people):
            progress(f"{assignment.name}: rows", count, len(people))
            row = _nothing(assignment, student.id, student.last_name, student.first_name, student.email)
            if student.id in there - graded.keys():
                row |= {"raw_score": None, "late_submission_penalty": None, "score": None, "handed_in": "yes"}
            if student.id in graded:
                one = graded[student.id]
                stamp = store.entered(folder, assignment.name, student.id) or {}
                row |= {"timestamp": one.handed_in, "raw_score": one.points, "late_submission_penalty": one.penalty}
                row |= {"score": max(0.0, one.points - one.penalty), "handed_in": "yes"}
                row |= {"needs_person": _yes(one.waits), "by_hand": _yes(one.changed)}
                row |= {"submission": no_formula(stamp.get("submission")), "run": no_formula(stamp.get("run"))}
            made.append({name: _text(value) for name, value in row.items()})
        for person in () if students else _only_in_roster(folder, assignment.name, [s.id for s in book.students]):
            row = _nothing(assignment, person.student, person.name, "", person.email)
            made.append({name: _text(value) for name, value in row.items()})
    return made


def _nothing(assignment: Any, student: str, last_name: str, first_name: str, email: str) -> dict[str, object]:
    """The row of a student who handed nothing in."""
    said = {"student_id": student, "last_name": last_name, "first_name": first_name, "email": email}
    return (
        dict.fromkeys(COLUMNS)
        | {"assignment": no_formula(assignment.name), "duedate": assignment.duedate}
        | {name: no_formula(words) for name, words in said.items()}
        | {"raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0, "max_score": assignment.max_score}
        | {"handed_in": "no", "needs_person": "no", "by_hand": "no"}
    )


def _only_in_roster(folder: ClassFolder, assignment: str, students: Collection[str]) -> list[Person]:
    """Those whom the class's roster names, and the gradebook does not know, by name: they never handed anything in."""
    if not (folder.roster(assignment).is_file() or folder.roster().is_file()):
        return []
    # Not above: what reads rosters brings PyTorch with it, two seconds for a class that keeps none.
    from autograde.reports.roster_rows import only_in_roster

    return sorted(only_in_roster(folder, assignment, students), key=lambda person: person.student)


def _yes(there: Sized) -> str:
    return "yes" if there else "no"


def _text(value: object) -> str:
    """A cell of the table: points to two decimals, without the noise of sums of floats."""
    return "" if value is None else str(round(value, 2) if isinstance(value, float) else value)


def as_csv(rows_of_grades: list[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)  # with \r\n as RFC 4180 says: a lone \r in a name is quoted only then
    writer.writeheader()
    writer.writerows(rows_of_grades)
    return text.getvalue()


class GradesCsv(ExportPlugin):
    """nbgrader's CSV exporter with quoting, guarded text, and a column that says who is waiting for a person."""

    def export(self, gradebook: Gradebook) -> None:
        folder = ClassFolder.at(self.parent.coursedir.root)
        content = as_csv(rows(gradebook, folder, list(map(str, self.assignment)), list(map(str, self.student))))
        write(Path(self.to or "grades.csv"), _MARK + content)


def export(
    folder: ClassFolder,
    to: Path | None = None,
    assignments: Collection[str] = (),
    progress: Progress = silent,
    *,
    writes: bool = True,
) -> tuple[Path, int]:
    """Writes the class's grades (class/grades.csv unless said otherwise), of all assignments or of these; returns the
    path and the number of rows. Raises as `output.write` does."""
    with store.open_gradebook(folder) as book:
        lines = rows(book, folder, assignments, progress=progress)
    target = to or folder.grades
    beside_the_class(folder, target)
    if writes:
        write(target, _MARK + as_csv(lines))
    return target, len(lines)


def beside_the_class(folder: ClassFolder, target: Path, suffix: str = ".csv") -> None:
    """Raises ValueError for a file that is the class's own, so that no table takes its place."""
    real = Path(os.path.realpath(target))  # which ends in a loop of links too
    tables = suffix in (".csv", ".zip")
    if real.is_relative_to(folder.root) and (real.parent != folder.root or real.suffix != suffix or not tables):
        raise ValueError(f"{target} belongs to the class: name a file outside of it, or {folder.root}/SOMETHING.csv")
