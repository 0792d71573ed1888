"""nbgrader's database of a class: it is opened here and nowhere else, and read by the column."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    MissingEntry,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import make_url
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Query

from autograde import files
from autograde.folders import ClassFolder
from autograde.gradebook import configuration
from course.exercises import exercise_of

_TO_DO = {  # what SQLite says that an instructor can mend
    sqlite3.SQLITE_FULL: "make room",
    sqlite3.SQLITE_BUSY: "wait for the program that has it open",
    sqlite3.SQLITE_READONLY: "see that you may write it and its folder",
    sqlite3.SQLITE_CORRUPT: "bring it back from a backup",
    sqlite3.SQLITE_NOTADB: "bring it back from a backup",
}


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
    except DatabaseError as error:
        reasons = str(error.orig).strip().splitlines() or ["no answer"]
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the rest says where it came up
        todo = f". To do: {_TO_DO[code]}, and give the command again" if code in _TO_DO else ""
        raise GradebookError(f"the gradebook {address(folder)} cannot be used: {reasons[0]}{todo}") from None


def address(folder: ClassFolder) -> str:
    """Where the gradebook is, without its password: a file, or a database's URL."""
    url = make_url(CourseDirectory(config=configuration.read(folder)).db_url)
    return str(url.database) if url.drivername.startswith("sqlite") else url.render_as_string(hide_password=True)


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


@dataclass(frozen=True)
class Given:
    """What the gradebook holds of one exercise. `points` are those that count: a person's (`by_hand`, None where nobody
    gave any) before the `machine`'s, and what a person added (`extra`). `waits` is nbgrader's "needs manual grade": no
    points by the machine, or a person's from before the submission was graded again."""

    points: float
    max: float
    machine: float = 0.0
    by_hand: float | None = None
    extra: float = 0.0
    waits: bool = False


def submissions(book: Gradebook, assignment: str) -> Query:
    """The submissions of an assignment, to be asked for columns. Of nbgrader's own objects each one asks the database
    anew, and counts every sum again."""
    return book.db.query(SubmittedAssignment).join(Assignment).filter(Assignment.name == assignment)


def submitted_notebooks(book: Gradebook, assignment: str) -> Query:
    """The same, each with its notebooks."""
    of_submission = SubmittedNotebook.assignment_id == SubmittedAssignment.id
    return submissions(book, assignment).join(SubmittedNotebook, of_submission)


def given(book: Gradebook, assignment: str) -> dict[str, dict[str, Given]]:
    """student -> exercise -> what the gradebook holds; nothing of an assignment that it does not know."""
    student = SubmittedAssignment.student_id
    by_student: dict[str, dict[str, Given]] = {
        who: {} for (who,) in submissions(book, assignment).with_entities(student)
    }
    grades = submitted_notebooks(book, assignment).join(Grade, Grade.notebook_id == SubmittedNotebook.id)
    points = Grade.score, Grade.max_score, Grade.auto_score, Grade.manual_score, Grade.extra_credit
    columns = student, BaseCell.name, *points, Grade.needs_manual_grade
    for who, cell, score, most, auto, by_hand, extra, waits in grades.join(Grade.cell).with_entities(*columns):
        held = Given(score or 0.0, most or 0.0, auto or 0.0, by_hand, extra or 0.0, bool(waits))
        by_student[who][exercise_of(cell)] = held
    return by_student


def in_gradebook(folder: ClassFolder, assignment: str) -> set[str]:
    """Students who have a submission of the assignment in the gradebook."""
    with open_gradebook(folder) as book:
        return {student for (student,) in submissions(book, assignment).with_entities(SubmittedAssignment.student_id)}


@dataclass(frozen=True)
class Standing:
    """One submission in the gradebook: its score, whether a person changed it, and whether one has to look."""

    score: float
    manual: bool
    needs_person: bool


def standings(folder: ClassFolder, assignment: str) -> dict[str, Standing]:
    """student -> how the submission stands. The score is before late penalties."""
    with open_gradebook(folder) as book:
        by_student = given(book, assignment)
    made = {}
    for student, grades in by_student.items():
        score = sum(one.points for one in grades.values())
        manual = abs(score - sum(one.machine for one in grades.values())) > 1e-9
        made[student] = Standing(round(score, 2), manual, any(one.waits for one in grades.values()))
    return made


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
    with open_gradebook(folder) as book:
        by_student, penalties = given(book, assignment), defaultdict[str, float](float)
        columns = SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty
        for student, penalty in submitted_notebooks(book, assignment).with_entities(*columns):
            penalties[student] += penalty or 0.0
    return {
        student: Held(
            round(sum(one.points for one in grades.values()), 2),
            penalties[student],
            {exercise: one.by_hand for exercise, one in grades.items() if one.by_hand is not None},
            sum(one.extra for one in grades.values()),
        )
        for student, grades in by_student.items()
    }


def scores(folder: ClassFolder, assignment: str) -> dict[str, dict[str, float]]:
    """student -> exercise -> score in the gradebook (manual grades and late penalties as nbgrader counts them are left
    as they are)."""
    with open_gradebook(folder) as book:
        by_student = given(book, assignment)
    return {
        student: {exercise: one.points for exercise, one in grades.items()} for student, grades in by_student.items()
    }


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
