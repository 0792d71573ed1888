"""The answer bank: wrong and correct answers for every exercise. They test the checks, name the mistakes, and make the
sample class.

`answers/` holds the answers as plain files, one an exercise, and `reader` reads them; here they are put before the
checks. Safe to change: answers, in `answers/` alone, followed by a new recording. Not safe: a wrong answer's name,
which records of the ledger bear as a diagnosis.
"""

import argparse
import contextlib
import io
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from autograde import reference
from autograde.bank.reader import Bank, find
from course import checks
from course.chapters import Unfinished
from course.checks.engine import Check, Diagnosis, Implementation, Observation, Table
from course.checks.engine.compare import difference
from course.checks.engine.draw import Draw
from course.checks.engine.of_tests import REFERENCE, CheckOfTest
from course.exercises import Exercise, exercises, tasks
from course.key import RECORDED_KEY, Key
from course.protocol.student import Local, Student

UNBOUND = re.compile(r"name '\w+' is not defined")


def check_of(exercise: Exercise) -> Check:
    """The check of an exercise. Raises Unfinished where its chapter has none."""
    file = f"course/checks/{exercise.chapter}.py"
    try:
        return checks.find(exercise.name, exercise.chapter)
    except ModuleNotFoundError as error:
        if error.name != f"course.checks.{exercise.chapter}":
            raise
        raise Unfinished(f"{file} is missing: what is looked at in exercise {exercise.number} stands there") from None
    except KeyError as error:
        if error.args != (exercise.name,):
            raise
        raise Unfinished(
            f'{file} has no Check("{exercise.name}"): exercise {exercise.number} is not looked at'
        ) from None


def chosen(words: Collection[str]) -> list[Exercise]:
    """`course.exercises.tasks` for a command. Raises SystemExit with the words that mean none."""
    try:
        return tasks(words)
    except ValueError as error:
        raise SystemExit(str(error)) from None


def asked_for(program: str, does: str) -> list[Exercise]:
    """The exercises that the command line of `python -m program` means. Ends it for --help, and for an unknown word."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=does)
    parser.add_argument("what", nargs="*", metavar="WHAT", help="chapters, exercises by name or number; all for none")
    return chosen(parser.parse_args().what)


def least(exercise: Exercise) -> tuple[int, int]:
    """How many wrong and how many correct answers its bank must hold."""
    return (4, 3) if exercise.points <= 1 else (8, 5)


def namespace(exercise: Exercise, source: str | None = None) -> dict[str, Any]:
    """The chapter's names as its solutions bind them, with `source` executed over them.

    An error at an unbound name says which names there are.
    """
    names = dict(vars(reference.module(exercise.chapter)))
    if source is not None:
        try:
            exec(compile(source, f"<answer to {exercise.name}>", "exec"), names)
        except NameError as error:
            error.add_note(_names_are(exercise))
            raise
    return names


def _names_are(exercise: Exercise) -> str:
    return f"answers of the bank run with the names of solutions/{exercise.chapter}.py, which must import it too"


def implementations(exercise: Exercise) -> tuple[Implementation, ...] | None:
    """What the grader tries an exercise's test on: all answers of the bank of the component that it tests, and what it
    was tried on in the notebook. None where the exercise asks for no test. Raises ValueError where the check names an
    answer that the bank does not hold.
    """
    check = check_of(exercise)
    if not isinstance(check, CheckOfTest):
        return None
    return _implementations(check, _tested(check), find(_tested(check)))


@cache
def _implementations(check: CheckOfTest, tested: Exercise, bank: Bank) -> tuple[Implementation, ...]:
    if unknown := set(check.beyond) - {wrong.name for wrong in bank.wrong}:
        raise ValueError(f"{check.name} leaves out what the bank of {tested.name} does not hold: {sorted(unknown)}")

    def component(source: str | None) -> Any:
        return namespace(tested, source)[check.component]

    made = [Implementation(REFERENCE, True, component(None))]
    made += [Implementation(answer.name, True, component(answer.source)) for answer in bank.correct]
    for wrong in bank.wrong:
        form = component(wrong.source)
        alone = len(tested.components) == 1 or alone_is_wrong(tested, check.component, form)
        if alone and wrong.name not in check.beyond:
            made.append(Implementation(wrong.name, False, form))
    names = {implementation.name for implementation in made}
    return (*made, *(published for published in check.published(component(None)) if published.name not in names))


def alone_is_wrong(tested: Exercise, name: str, form: Any) -> bool:
    """Whether an answer with several components is wrong in this one: the check, with the reference for the others.
    Its cases look until one tells."""
    check, right = check_of(tested), _right(tested, find(tested))
    student = check.student(Local({**namespace(tested), name: form}))
    looks = ((check.look(i, student, RECORDED_KEY), right[i], case) for i, case in enumerate(check.cases))
    return any(difference(seen, reference, case) is not None for seen, reference, case in looks)


@cache
def _right(exercise: Exercise, bank: Bank) -> Sequence[Observation]:
    """What the check sees of the reference with the recorded tables' key."""
    return observe(exercise, None, RECORDED_KEY)


def observe(
    exercise: Exercise,
    source: str | None,
    key: Key,
    against: tuple[Implementation, ...] | None = None,
    *,
    over: type[Local] = Local,
) -> Sequence[Observation]:
    """What the exercise's check sees of an answer (of the reference for None), in this process and in silence.

    Each case looks when its observation is asked for: of most wrong answers, one case tells that they are not meant. An
    answer that is a test is tried on `against`, by default on the whole bank of what it tests, and at once. `over` is
    the protocol between the two.
    """
    check = check_of(exercise)
    against = against or implementations(exercise)
    if against is None:
        return _Looks(exercise, check, source, key, over)
    with silence(key, exercise.name):
        return check.observe(check.student(over(namespace(exercise, source))), key, against)


@contextlib.contextmanager
def silence(key: Key, *labels: str | int) -> Iterator[None]:
    """What is run says nothing, and what no case sets is drawn alike for the same labels."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
            warnings.simplefilter("ignore")
            seed = Draw(key, *labels).seed("of the answer")
            torch.default_generator.manual_seed(seed)  # torch.manual_seed visits devices: a millisecond each time
            yield


class _Looks(Sequence[Observation]):
    """The observations of an answer, by case, each made at its first use."""

    def __init__(self, exercise: Exercise, check: Check, source: str | None, key: Key, over: type[Local]):
        self._exercise, self._check, self._source, self._key, self._over = exercise, check, source, key, over
        self._student: Student | None = None
        self._seen: list[Observation | None] = [None] * len(check.cases)

    def __len__(self) -> int:
        return len(self._seen)

    @property
    def made(self) -> set[int]:
        """The cases that have looked."""
        return {index for index, seen in enumerate(self._seen) if seen is not None}

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        if self._seen[index] is None:
            with silence(self._key, self._exercise.name, index % len(self)):
                if self._student is None:
                    self._student = self._check.student(self._over(namespace(self._exercise, self._source)))
                self._seen[index] = self._check.look(index % len(self), self._student, self._key)
        return self._seen[index]


def table(exercise: Exercise, key: Key) -> Table:
    """The table of an exercise from a key: the reference and every wrong answer observed now."""
    return _table(exercise, key, implementations(exercise))


def recorded(exercise: Exercise) -> Table:
    """The table that learners get: from the one key, and for a test on what is published for it."""
    return _table(exercise, RECORDED_KEY, published(exercise))


def published(exercise: Exercise) -> tuple[Implementation, ...] | None:
    """What a learner's test is tried on, with the reference as the right one. None where no test is asked for."""
    check = check_of(exercise)
    if not isinstance(check, CheckOfTest):
        return None
    return check.published(namespace(_tested(check))[check.component])


def _tested(check: CheckOfTest) -> Exercise:
    return next(exercise for exercise in exercises() if exercise.name == check.of)


def _table(exercise: Exercise, key: Key, against: tuple[Implementation, ...] | None) -> Table:
    diagnoses = tuple(
        Diagnosis(wrong.name, wrong.message, observe(exercise, wrong.source, key, against))
        for wrong in find(exercise).wrong
    )
    right = observe(exercise, None, key, against)
    check_of(exercise).hold(right)
    return Table(key, tuple(right), diagnoses, against)


@dataclass(frozen=True)
class Report:
    """How a check does on its bank: names of answers that should worry us, and the counts."""

    wrong: int
    correct: int
    survivors: tuple[str, ...]
    unnamed: tuple[tuple[str, str], ...]  # (answer, the name it was told by, or why there was none)
    refused: tuple[tuple[str, str], ...]  # (answer, why)


def passes(exercise: Exercise, seen: Iterable[Observation], reference: Sequence[Observation]) -> bool:
    """Whether no case tells an answer from the reference; they look until one does."""
    each = zip(seen, reference, check_of(exercise).cases, strict=True)
    return all(difference(now, right, case) is None for now, right, case in each)


def short_verdict(exercise: Exercise, seen: Sequence[Observation], table: Table) -> tuple[bool, str]:
    """Whether an answer gets full marks, and the diagnosis that is certain, as its verdict says both.

    Where a case fails that speaks for a diagnosis, the others say nothing to either (`diagnose.causes`), and need not
    look; those that speak look until one tells two answers apart.
    """
    check, cases = check_of(exercise), check_of(exercise).cases
    speak = [i for i, case in enumerate(cases) if not (case.agrees or case.contract)]
    fails = any(difference(seen[i], table.reference[i], cases[i]) is not None for i in speak)
    if isinstance(check, CheckOfTest) or not fails:
        verdict = check.compare(seen, table)
        return verdict.fraction >= 1, verdict.diagnosis

    def alike(other: Sequence[Observation]) -> bool:
        looked = [getattr(each, "made", set(speak)) for each in (seen, other)]
        in_turn = sorted(speak, key=lambda i: (sum(i not in made for made in looked), i))
        return other is seen or all(check.same(i, seen[i], other[i]) for i in in_turn)

    return False, next((each.name for each in table.diagnoses if alike(each.observations)), "")


def examine(exercise: Exercise, table: Table) -> Report:
    """Judge every answer of the bank against a table: survivors must be none, unnamed few, refused none."""
    check = check_of(exercise)
    bank, against = find(exercise), table.against or published(exercise)
    survivors, unnamed, refused = [], [], []
    for wrong in bank.wrong:
        full, diagnosis = short_verdict(exercise, observe(exercise, wrong.source, table.key, against), table)
        if full:
            survivors.append(wrong.name)
        elif diagnosis != wrong.name:
            unnamed.append((wrong.name, diagnosis))
    for correct in bank.correct:
        verdict = check.compare(observe(exercise, correct.source, table.key, against), table)
        if not verdict.passed:
            why = "; ".join(case.message for case in verdict.cases if not case.passed)
            refused.append((correct.name, f"{why} ({_names_are(exercise)})" if UNBOUND.search(why) else why))
    return Report(len(bank.wrong), len(bank.correct), tuple(survivors), tuple(unnamed), tuple(refused))
