"""What a message says of an answer, it says by the answer's own numbers: those of the reference are not told.

A search of pages for the reference's numbers finds those of many digits alone: with two decimals nearly every number is
one of them. So each explanation is given a reference with other numbers, and what it says must not follow them.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from torch import Tensor

from course import checks
from course.checks import engine
from course.checks.engine import Check, Observation, Table, recorded
from course.checks.engine.compare import difference
from course.exercises import exercises, of_component
from course.key import RECORDED_KEY

TIMES, MORE = 1.0371, 7  # what a reference's fractions are multiplied by, and what is added to its whole numbers
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
CODE = [exercise for exercise in exercises() if not exercise.question]


def moved(value: Any) -> Any:
    """Another number where it is one; shapes, words and truth values stay."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Tensor)):
        return value
    if isinstance(value, Tensor) and str(value.dtype) == "torch.bool":
        return value
    whole = not value.is_floating_point() if isinstance(value, Tensor) else isinstance(value, int)
    return value + MORE if whole else value * TIMES


def other(seen: Observation) -> Observation:
    return Observation(*({name: moved(value) for name, value in of.items()} for of in (seen.values, seen.hidden)))


def followed(before: str, after: str) -> list[str]:
    """The numbers of a message that are others where the reference's are, and other in the same way."""
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return []  # something else is said: the answer differs from the two references in other ways

    def follows(one: str, another: str) -> bool:
        if one == another:
            return False
        a, b = (float(number.replace(",", "")) for number in (one, another))
        digits = max(len(number.partition(".")[2]) for number in (one, another))
        return b == a + MORE if not digits else "e" not in one + another and abs(b - a * TIMES) < 1.5 * 10**-digits

    return [a for a, b in zip(NUMBER.findall(before), NUMBER.findall(after), strict=True) if follows(a, b)]


def messages(check: Check, table: Table) -> Iterator[tuple[str, str, list[str]]]:
    """(title, message, numbers of the reference in it) of every explanation of every recorded wrong answer."""
    for i, case in enumerate(check.cases):
        for diagnosis in table.diagnoses:
            seen, reference = diagnosis.observations[i], table.reference[i]
            if difference(seen, reference, case) is not None:
                said, again = (case.explained(seen, of) for of in (reference, other(reference)))
                if said and again:
                    yield case.title, said, followed(said, again)


# What is told there is which pixel of the input belongs where: the order that the docstring lays down.
CODE.remove(of_component("patchify"))


@pytest.mark.parametrize("exercise", CODE, ids=lambda exercise: exercise.name)
def test_no_message_tells_a_number_of_the_reference(exercise):
    check = checks.find(exercise.name, exercise.chapter)
    disclosed = [(title, said) for title, said, numbers in messages(check, recorded.load(check)) if numbers]
    assert not disclosed


def test_one_that_discloses_is_caught():
    check = Check("telling", components=("telling",))
    for words in ("It is {seen}, not {right}.", "It is {seen:.2f}, not {right:.2f}.", "It is {seen:.2f}."):
        check.case(words, explain=lambda o, e, words=words: words.format(seen=o["x"], right=e["x"]))(lambda s, d: {})
    del Check.registry["telling"]
    reference = (Observation({"x": 3}), Observation({"x": 1.25}), Observation({"x": 1.25}))
    wrong = (Observation({"x": 4}), Observation({"x": 0.5}), Observation({"x": 0.5}))
    disclosed = messages(check, Table(RECORDED_KEY, reference, (engine.Diagnosis("wrong", "", wrong),)))
    assert [numbers for _, _, numbers in disclosed] == [["3"], ["1.25"], []]
