"""Observations, and the table that a check compares them with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from course.key import Key


@dataclass(frozen=True)
class Observation:
    """What one case saw: named values, values kept for explanations only, or what the student's code raised."""

    values: dict[str, Any] = field(default_factory=dict)
    hidden: dict[str, Any] = field(default_factory=dict)
    raised: tuple[str, str] | None = None


@dataclass(frozen=True)
class Unsteady:
    """Stands in a recorded table for a number of a wrong answer that another processor may round to another."""


UNSTEADY = Unsteady()


@dataclass(frozen=True)
class Diagnosis:
    """A wrong answer of the answer bank: its name, what to tell the student, and what each case sees of it."""

    name: str
    message: str
    observations: Sequence[Observation]


@dataclass(frozen=True)
class Implementation:
    """What a learner's test is tried on: a form of the component that it is for, right or wrong, and its name."""

    name: str
    right: bool
    component: Any


@dataclass(frozen=True)
class Table:
    """Each case's observation of the reference and of every wrong answer, from one key.

    `against` is what tests were tried on, where the exercise asks for a test; None stands for what is published.
    """

    key: Key
    reference: Sequence[Observation]
    diagnoses: tuple[Diagnosis, ...]
    against: tuple[Implementation, ...] | None = None
