"""Wrong and correct answers for every exercise: they test the checks, name the mistakes, and make the sample class.

One module beside this one holds each chapter's banks. A wrong answer is a mistake that a learner could really make; a
correct one is right in another form than the reference.
"""

import contextlib
import importlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from autograde import reference
from course import checks
from course.checks import Check, Implementation, Mistake, Observation, Table
from course.checks.draw import RECORDED_KEY, Key
from course.checks.of_tests import REFERENCE, CheckOfTest
from course.exercises import Exercise, exercises
from course.transport.student import Local

Source = str | Callable[[str], str]


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: a name in the learner's words, its source, and the likely cause with one next step."""

    name: str
    source: Source
    message: str


@dataclass(frozen=True)
class Correct:
    """A right answer in another form."""

    name: str
    source: Source


def edit(*replacements: tuple[str, str]) -> Callable[[str], str]:
    """A source made from the reference's by replacing text; each old text must occur."""

    def apply(source: str) -> str:
        for old, new in replacements:
            if old not in source:
                raise ValueError(f"the reference does not contain {old!r}")
            source = source.replace(old, new)
        return source

    return apply


class Bank:
    """The wrong and correct answers of one exercise."""

    registry: dict[str, "Bank"] = {}

    def __init__(self, name: str, wrong: list[Wrong], correct: list[Correct]):
        self.name, self.wrong, self.correct = name, wrong, correct
        Bank.registry[name] = self


def find(exercise: Exercise) -> Bank:
    """The bank of an exercise. Raises KeyError where its chapter's module has none."""
    importlib.import_module(f"autograde.bank.{exercise.chapter}")
    return Bank.registry[exercise.name]


def source_of(exercise: Exercise, answer: Wrong | Correct) -> str:
    """An answer's full source, as it stands in a student's cell."""
    if callable(answer.source):
        return answer.source(reference.source(exercise.chapter, exercise.parts))
    return answer.source.strip("\n")


def namespace(exercise: Exercise, source: str | None = None) -> dict[str, Any]:
    """The chapter's names as its solutions bind them, with `source` executed over them."""
    names = dict(vars(reference.module(exercise.chapter)))
    if source is not None:
        exec(compile(source, f"<answer to {exercise.name}>", "exec"), names)
    return names


def implementations(exercise: Exercise) -> tuple[Implementation, ...] | None:
    """What the grader tries an exercise's test on: all answers of the bank of the part that it tests. None where the
    exercise asks for no test. Raises ValueError where the check names an answer that the bank does not hold.
    """
    check = checks.find(exercise.name, exercise.chapter)
    if not isinstance(check, CheckOfTest):
        return None
    return _implementations(check, _tested(check), find(_tested(check)))


@cache
def _implementations(check: CheckOfTest, tested: Exercise, bank: Bank) -> tuple[Implementation, ...]:
    if unknown := set(check.beyond) - {wrong.name for wrong in bank.wrong}:
        raise ValueError(f"{check.name} leaves out what the bank of {tested.name} does not hold: {sorted(unknown)}")

    def part(source: str | None) -> Any:
        return namespace(tested, source)[check.part]

    made = [Implementation(REFERENCE, True, part(None))]
    made += [Implementation(answer.name, True, part(source_of(tested, answer))) for answer in bank.correct]
    for wrong in bank.wrong:
        form = part(source_of(tested, wrong))
        if wrong.name not in check.beyond and (len(tested.parts) == 1 or alone_is_wrong(tested, check.part, form)):
            made.append(Implementation(wrong.name, False, form))
    return tuple(made)


def alone_is_wrong(tested: Exercise, name: str, form: Any) -> bool:
    """Whether an answer with several parts is wrong in this one: the check, with the reference for the others."""
    check = checks.find(tested.name, tested.chapter)
    seen = check.observe(check.student(Local({**namespace(tested), name: form})), RECORDED_KEY)
    return check.compare(seen, Table(RECORDED_KEY, observe(tested, None, RECORDED_KEY), ())).kind != "pass"


def observe(
    exercise: Exercise, source: str | None, key: Key, against: tuple[Implementation, ...] | None = None
) -> tuple[Observation, ...]:
    """What the exercise's check sees of an answer (of the reference for None), in this process and in silence.

    An answer that is a test is tried on `against`, by default on the whole bank of what it tests.
    """
    check = checks.find(exercise.name, exercise.chapter)
    against = against or implementations(exercise)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return check.observe(check.student(Local(namespace(exercise, source))), key, against)


def table(exercise: Exercise, key: Key) -> Table:
    """The table of an exercise from a key: the reference and every wrong answer observed now."""
    return _table(exercise, key, implementations(exercise))


def recorded(exercise: Exercise) -> Table:
    """The table that learners get: from the one key, and for a test on what is published for it."""
    return _table(exercise, RECORDED_KEY, published(exercise))


def published(exercise: Exercise) -> tuple[Implementation, ...] | None:
    """What a learner's test is tried on, with the reference as the right one. None where no test is asked for."""
    check = checks.find(exercise.name, exercise.chapter)
    if not isinstance(check, CheckOfTest):
        return None
    return check.published_beside(namespace(_tested(check))[check.part])


def _tested(check: CheckOfTest) -> Exercise:
    return next(exercise for exercise in exercises() if exercise.name == check.of)


def _table(exercise: Exercise, key: Key, against: tuple[Implementation, ...] | None) -> Table:
    mistakes = tuple(
        Mistake(wrong.name, wrong.message, observe(exercise, source_of(exercise, wrong), key, against))
        for wrong in find(exercise).wrong
    )
    return Table(key, observe(exercise, None, key, against), mistakes, against)


@dataclass(frozen=True)
class Report:
    """How a check does on its bank: names of answers that should worry us, and the counts."""

    wrong: int
    correct: int
    survivors: tuple[str, ...]
    unnamed: tuple[tuple[str, str], ...]  # (answer, the name it was told by, or why there was none)
    refused: tuple[tuple[str, str], ...]  # (answer, why)


def examine(exercise: Exercise, table: Table) -> Report:
    """Judge every answer of the bank against a table: survivors must be none, unnamed few, refused none."""
    check: Check = checks.find(exercise.name, exercise.chapter)
    bank, against = find(exercise), table.against or published(exercise)
    survivors, unnamed, refused = [], [], []
    for wrong in bank.wrong:
        verdict = check.compare(observe(exercise, source_of(exercise, wrong), table.key, against), table)
        if verdict.fraction >= 1:
            survivors.append(wrong.name)
        elif verdict.mistake != wrong.name:
            unnamed.append((wrong.name, str(verdict.mistake)))
    for correct in bank.correct:
        verdict = check.compare(observe(exercise, source_of(exercise, correct), table.key, against), table)
        if verdict.kind != "pass":
            refused.append((correct.name, "; ".join(row.message for row in verdict.rows if not row.passed)))
    return Report(len(bank.wrong), len(bank.correct), tuple(survivors), tuple(unnamed), tuple(refused))
