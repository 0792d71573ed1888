"""nbgrader's gradebook as a run writes it: one for all of its submissions, and one transaction for each."""

from __future__ import annotations

from typing import Any

from nbgrader.api import BaseCell, Comment, Grade, Gradebook
from sqlalchemy.orm import Session, scoped_session, sessionmaker


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
