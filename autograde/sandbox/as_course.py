"""`course` as the cells of a submission find it: with nothing that checks, hints or knows an answer.

Checking is done outside, after the cells have run. What a notebook calls for a learner's eyes does nothing here, so
that a cell of a student's own that calls it goes on. It stands in the sandbox in the place of `course/__init__.py`.
"""

from typing import Any

from course.exercises import by_number
from course.plots import show, style

__all__ = ["check", "figure", "hint", "progress", "show", "style", "use_reference"]


def check(number: str, *answers: Any) -> float:
    """The points of the exercise, as a learner gets them whose answer is right: a cell may go on only from there."""
    return by_number(number).points


def figure(name: str) -> None:
    """Nothing: figures are for learners."""


def hint(number: str | None = None) -> None:
    """Nothing: hints are for learners."""


def progress() -> None:
    """Nothing: whoever is graded has their own beside them."""


def use_reference(*names: str) -> None:
    """Nothing: earlier chapters' components are the references here."""
