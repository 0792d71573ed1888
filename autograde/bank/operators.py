"""`python -m autograde.bank.operators`: which operators right answers call, of those that a rule lets through unasked.

An exercise with a rule (`Check.blocked`) refuses families of operators; what is elementary goes through. The operators
between (`course.protocol.blocked.Watch`) could do the work in a way that nobody foresaw: those that the reference or a
correct answer of the bank calls are recorded in `operators.json`, and of any other a person hears.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import torch

from autograde import bank
from autograde.bank.reader import find
from course.exercises import Exercise, exercises
from course.files import replace
from course.key import RECORDED_KEY
from course.protocol.blocked import Rule, Watch
from course.protocol.student import Local

FILE = Path(__file__).with_name("operators.json")


@cache
def recorded(name: str) -> frozenset[str]:
    """The recorded operators of an exercise, none where it is not recorded."""
    return frozenset(json.loads(FILE.read_text("utf-8")).get(name, ()))


def ruled() -> list[Exercise]:
    """The exercises with a rule."""
    return [e for e in exercises() if not e.question and bank.check_of(e).blocked]


def called(exercise: Exercise, sources: Iterable[str | None]) -> set[str]:
    """The watched operators that these answers call in their exercise's check; None stands for the reference."""
    check, watch, seen = bank.check_of(exercise), Watch(), set()
    for source in sources:
        with bank.silence(RECORDED_KEY, exercise.name):
            student = check.student(Local(bank.namespace(exercise, source), Rule(watch=watch)))
            check.observe(student, RECORDED_KEY)
        seen |= student.operators
    return seen


def record() -> str:
    """The text of the record, made now."""
    torch.set_num_threads(1)
    by_exercise = {e.name: sorted(called(e, [None, *(right.source for right in find(e).correct)])) for e in ruled()}
    return json.dumps(by_exercise, indent=1) + "\n"


if __name__ == "__main__":
    replace(FILE, record())
