"""nbgrader's database of a class: opening it, and reading what stands in it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import BaseCell, Comment, Grade, Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from autograde import files
from autograde.folders import ClassFolder
from autograde.gradebook import configuration
from course.exercises import exercise_of


class GradebookError(RuntimeError):
    """The gradebook's database does not answer, or not in time."""


@contextlib.contextmanager
def open_gradebook(folder: ClassFolder) -> Iterator[Gradebook]:
    """The class's gradebook, closed again at the end. Raises GradebookError where its database fails."""
    directory = CourseDirectory(config=configuration.read(folder))
    url = make_url(directory.db_url)
    if url.drivername.startswith("sqlite") and url.database:  # SQLite itself makes no file that a group may write
        os.close(files.open_to_add(Path(url.database)))
    try:
        with files.private(folder.root), Gradebook(directory.db_url, directory.course_id) as gradebook:
            yield gradebook
    except OperationalError as error:
        reasons = str(error.orig).strip().splitlines() or ["no answer"]
        raise GradebookError(f"the gradebook {address(folder)} cannot be used: {reasons[0]}") from None


def address(folder: ClassFolder) -> str:
    """Where the gradebook is, without its password: a file, or a database's URL."""
    url = make_url(CourseDirectory(config=configuration.read(folder)).db_url)
    return str(url.database) if url.drivername.startswith("sqlite") else url.render_as_string(hide_password=True)


def notebooks(folder: Path, assignment: str) -> dict[str, list[str]]:
    """What a converter of nbgrader's is to convert: each student's notebook, by its folder. Its own search reads the
    characters of students' names as patterns."""
    return {str(path.parent): [str(path)] for path in sorted(folder.glob(f"*/{assignment}/*.ipynb"))}


@contextlib.contextmanager
def quiet(converter_log: logging.Logger) -> Iterator[list[str]]:
    """Gathers a converter's warnings and errors instead of printing each of its steps."""
    said: list[str] = []

    class Gather(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler = Gather(logging.WARNING)
    before = converter_log.handlers[:], converter_log.propagate, converter_log.level
    converter_log.handlers, converter_log.propagate = [handler], False
    converter_log.setLevel(logging.WARNING)
    try:
        yield said
    finally:
        converter_log.handlers, converter_log.propagate = before[0], before[1]
        converter_log.setLevel(before[2])


class WholeSession(Session):
    """A database session that keeps what nbgrader commits, cell by cell, until a submission is whole: `settle` commits
    it.

    Every commit waits for the disk; some forty of them were most of the seconds that a submission took here.
    """

    def commit(self) -> None:
        """Later."""

    def settle(self) -> None:
        super().commit()


class RunGradebook(Gradebook):
    """nbgrader's gradebook for all submissions of a run: each Gradebook that is opened looks for every table and
    compiles every query anew. A submission is one transaction, and its grades and comments are looked up together: one
    by one was half of the work.
    """

    def __init__(self, db_url: str, course_id: str):
        super().__init__(db_url, course_id)
        self.db.remove()  # type: ignore[has-type]  # nbgrader's own session, of another class
        self.db = scoped_session(sessionmaker(self.engine, class_=WholeSession))
        self._cells: dict[tuple[Any, str, str, str], dict[str, Any]] = {}

    def settle(self) -> None:
        """Commits what has been written of a submission."""
        self.db().settle()

    def abandon(self) -> None:
        """Forgets what has been written since then."""
        self.db.close()
        self._cells.clear()

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Grade:
        by_name = self._by_name(Grade, notebook, assignment, student)
        return by_name.get(grade_cell) or super().find_grade(grade_cell, notebook, assignment, student)

    def find_comment(self, solution_cell: str, notebook: str, assignment: str, student: str) -> Comment:
        by_name = self._by_name(Comment, notebook, assignment, student)
        return by_name.get(solution_cell) or super().find_comment(solution_cell, notebook, assignment, student)

    def _by_name(self, kind: Any, notebook: str, assignment: str, student: str) -> dict[str, Any]:
        """The grades or comments of a submitted notebook, by the names of their cells."""
        key = (kind, notebook, assignment, student)
        if key not in self._cells:
            submitted = self.find_submission_notebook(notebook, assignment, student)
            rows = self.db.query(BaseCell.name, kind).join(kind.cell).filter(kind.notebook == submitted)
            self._cells[key] = dict(rows.all())
        return self._cells[key]


def stamp_of(notebook: Path) -> dict | None:
    """What a notebook on its way through the gradebook, or out of it, says of its submission; None if it says
    nothing."""
    try:
        return json.loads(notebook.read_bytes())["metadata"]["autograde"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def entered(folder: ClassFolder, assignment: str, student: str) -> dict | None:
    """Which submission of the student's stands in the gradebook: {"submission", "run"} as staged, or None.

    The graded notebook is written after its grades are committed, so it is the proof that they are.
    """
    return stamp_of(folder.autograded / student / assignment / f"{assignment}.ipynb")


def in_gradebook(folder: ClassFolder, assignment: str) -> set[str]:
    """Students who have a submission of the assignment in the gradebook."""
    with open_gradebook(folder) as gradebook:
        return {submission.student.id for submission in _submissions(gradebook, assignment)}


def _submissions(gradebook: Gradebook, assignment: str) -> list[SubmittedAssignment]:
    """Those of an assignment, none where the gradebook does not know it."""
    try:
        return list(gradebook.find_assignment(assignment).submissions)
    except MissingEntry:
        return []


def _grades(submission: SubmittedAssignment) -> list[Grade]:
    return [grade for notebook in submission.notebooks for grade in notebook.grades]


@dataclass(frozen=True)
class Standing:
    """One submission in the gradebook: its score, whether a person changed it, and whether one has to look."""

    score: float
    manual: bool
    needs_person: bool


def standings(folder: ClassFolder, assignment: str) -> dict[str, Standing]:
    """student -> how the submission stands. The score is before late penalties; `needs_person` is nbgrader's "needs
    manual grade": no score by machine, or one given by a person before the submission was graded again."""
    with open_gradebook(folder) as gradebook:
        by_student = {}
        for submission in _submissions(gradebook, assignment):
            grades = _grades(submission)
            score = sum(grade.score for grade in grades)
            manual = abs(score - sum(grade.auto_score or 0.0 for grade in grades)) > 1e-9
            by_student[submission.student.id] = Standing(round(score, 2), manual, bool(submission.needs_manual_grade))
        return by_student


def forget(folder: ClassFolder, student: str) -> None:
    """Takes a student and all that is theirs out of the gradebook. SQLite writes its file anew, so that nothing is left
    in it where rows were; PostgreSQL does so when it cleans up by itself."""
    with open_gradebook(folder) as gradebook:
        with contextlib.suppress(MissingEntry):
            gradebook.remove_student(student)
        if gradebook.engine.dialect.name == "sqlite":
            with gradebook.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql("VACUUM")


def set_points(folder: ClassFolder, assignment: str, out_of: dict[str, float]) -> None:
    """Makes exercises of an assignment worth so many points; of those that it has none, nothing."""
    with open_gradebook(folder) as gradebook:
        for notebook in gradebook.find_assignment(assignment).notebooks:
            for cell in notebook.grade_cells:
                cell.max_score = out_of.get(exercise_of(cell.name), cell.max_score)
        gradebook.db.commit()


@dataclass(frozen=True)
class Held:
    """What one submission's grade is made of in the gradebook: its points before the penalty, the penalty, and of each
    exercise what a person gave in place of the machine's points and on top of them."""

    points: float
    penalty: float
    by_hand: dict[str, float]
    extra: float

    @property
    def net(self) -> float:
        return round(max(0.0, self.points - self.penalty), 2)

    def points_with(self, machine: dict[str, float]) -> float:
        """The points before the penalty, were these the machine's."""
        return round(sum((machine | self.by_hand).values()) + self.extra, 2)


def held(folder: ClassFolder, assignment: str) -> dict[str, Held]:
    """student -> what the grade is made of."""
    with open_gradebook(folder) as gradebook:
        made = {}
        for submission in _submissions(gradebook, assignment):
            grades = _grades(submission)
            made[submission.student.id] = Held(
                round(sum(grade.score for grade in grades), 2),
                sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks),
                {exercise_of(g.cell.name): g.manual_score for g in grades if g.manual_score is not None},
                sum(grade.extra_credit or 0.0 for grade in grades),
            )
        return made


def scores(folder: ClassFolder, assignment: str) -> dict[str, dict[str, float]]:
    """student -> exercise -> score in the gradebook (manual grades and late penalties as nbgrader counts them are left
    as they are)."""
    with open_gradebook(folder) as gradebook:
        return {
            submission.student.id: {exercise_of(grade.cell.name): grade.score for grade in _grades(submission)}
            for submission in gradebook.find_assignment(assignment).submissions
        }
