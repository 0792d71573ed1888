"""nbgrader's database of a class: opening it, and reading what stands in it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError, SAWarning
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from autograde import files
from autograde.folders import ClassFolder
from autograde.gradebook import configuration


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


@contextlib.contextmanager
def one_gradebook() -> Iterator[None]:
    """Lets all the Gradebooks that nbgrader opens be one: it opens one a preprocessor, and each would look for every
    table, compile every query anew, and end its transaction."""
    opened, closed, first = Gradebook.__init__, Gradebook.close, {}

    def open_first(self, db_url, course_id="default_course", authenticator=None):
        if db_url not in first:
            opened(self, db_url, course_id, authenticator)
            self.db.remove()
            self.db = scoped_session(sessionmaker(self.engine, class_=WholeSession))
            first[db_url] = self
        vars(self).update(vars(first[db_url]))

    def leave_open(self):
        self.db.flush()

    Gradebook.__init__, Gradebook.close = open_first, leave_open
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Object of type", category=SAWarning)  # nbgrader's own, harmless
            yield
    finally:
        Gradebook.__init__, Gradebook.close = opened, closed
        for gradebook in first.values():
            gradebook.close()


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
        try:
            return {submission.student.id for submission in gradebook.find_assignment(assignment).submissions}
        except MissingEntry:
            return set()


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
        try:
            submissions = gradebook.find_assignment(assignment).submissions
        except MissingEntry:
            return {}
        found = {}
        for submission in submissions:
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            score = sum(grade.score for grade in grades)
            manual = abs(score - sum(grade.auto_score or 0.0 for grade in grades)) > 1e-9
            found[submission.student.id] = Standing(round(score, 2), manual, bool(submission.needs_manual_grade))
        return found


def scores(folder: ClassFolder, assignment: str) -> dict[str, dict[str, float]]:
    """student -> exercise -> score in the gradebook (manual grades and late penalties as nbgrader counts them are left
    as they are)."""
    with open_gradebook(folder) as gradebook:
        return {
            submission.student.id: {
                grade.cell.name.removesuffix("-check"): grade.score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in gradebook.find_assignment(assignment).submissions
        }
