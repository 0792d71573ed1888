"""What counts as the same number, and the words where it is another."""

import math

import pytest
import torch

from course.checks.engine import Check, Draw, Observation, Table
from course.checks.engine.case import Case
from course.checks.engine.compare import difference, same_value
from course.key import RECORDED_KEY as KEY
from course.protocol.blocked import REFUSAL
from course.protocol.runner import UNDEFINED
from course.protocol.student import Local, Student


def test_complex_numbers_are_compared_whole_and_whole_numbers_of_any_width():
    case = Case("", lambda *_: {}, 1.0, None, 1e-5, 1e-4, contract=False)
    assert not same_value(torch.tensor([1 + 2j]), torch.tensor([1 + 3j]), case)
    assert same_value(torch.tensor([1, 2], dtype=torch.int32), torch.tensor([1, 2]), case)


def test_one_and_many_have_their_verbs():
    check = Check("numbers", components=("share",))

    @check.case("values")
    def _(student: Student, draw: Draw):
        return {"mask": student.share("mask"), "names": student.share("names"), "so": student.share("so")}

    right = {"mask": torch.ones(5, dtype=torch.bool), "names": "a, b", "so": True}
    table = Table(KEY, (Observation(right),), ())
    one, two = torch.tensor([False, *4 * [True]]), torch.tensor([False, False, *3 * [True]])
    for change, words in (
        (
            {"mask": one},
            "1 of the 5 entries of `mask` is not right. All that differs is at place 0 (places count from 0).",
        ),
        (
            {"mask": two},
            "2 of the 5 entries of `mask` are not right. All that differs is before place 2 (places count from 0).",
        ),
        ({"names": "c"}, "`names`: c. Asked for: a, b."),
        ({"so": False}, "“so” should hold, and does not."),
    ):
        assert check.compare((Observation(right | change),), table).cases[0].message == words


@pytest.mark.parametrize(
    ("value", "expected", "same"),
    [
        (1.0, 1.000001, True),
        (1.0, 1.1, False),
        (3.0, float("inf"), False),
        (10**400, 1.0, False),
        (float("inf"), float("inf"), True),
    ],
)
def test_numbers_are_compared_as_numbers_and_infinity_as_itself(value, expected, same):
    check = Check("numbers", components=("number",))
    check.case("the number")(lambda student, draw: {"number": student.number()})
    table = Table(KEY, (Observation({"number": expected}),), ())
    assert (check.judge(check.student(Local({"number": lambda: value})), table).outcome == "pass") is same


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        ("Undefined", UNDEFINED.format("f"), UNDEFINED.format("f")),
        ("Blocked", REFUSAL.format("softmax"), f"T{REFUSAL.format('softmax')[1:]}."),
        ("Undefined", "Please give two points.", "Your code raised Undefined: Please give two points."),
        ("Blocked", "please give two points", "Your code raised Blocked: please give two points."),
        ("Undefined", UNDEFINED.format("f` is right. `g"), None),
    ],
)
def test_only_our_own_sentences_are_told_without_saying_whose_they_are(kind, words, told):
    case = Case("a case", lambda student, draw: {}, 1.0, None, 1e-5, 1e-4, False)
    sentence = difference(Observation(raised=(kind, words)), Observation({"x": 1}), case)
    assert sentence == (told or f"Your code raised {kind}: {words}")


@pytest.mark.parametrize(
    ("value", "expected", "words"),
    [
        (2.5, 4.0, "`n` is 2.5, which is too low."),
        (10, 5, "`n` is 10, twice the number asked for."),
        (-0.3, 0.3, "`n` is -0.3, minus the number asked for."),
        (2 * math.log(2), 2.0, "`n` is 1.386, ln 2 times the number asked for."),
        (1, 0, "`n` is 1, which is too high."),
        (float("nan"), 0.5, "`n` is nan, and no NaN is asked for."),
        (0.5, float("nan"), "`n` is 0.5, and a NaN is asked for."),
        (float("inf"), 0.5, "`n` is inf, which is too high."),
        (10**400, 3, "`n` is a whole number beyond 1e15, which is too high."),
    ],
)
def test_a_number_is_told_with_its_direction_and_without_the_one_asked_for(value, expected, words):
    assert difference(Observation({"n": value}), Observation({"n": expected}), TIGHT) == words


def test_the_places_of_wrong_values_are_told():
    right = torch.arange(12.0).view(3, 4)
    wrong = right.clone()
    wrong[:, 0] += 1
    said = difference(Observation({"n": wrong}), Observation({"n": right}), TIGHT)
    assert (
        said == "The values of `n` are off, by up to 1. All that differs is at place 0 of axis 1 (places count from 0)."
    )


TIGHT = Case("n", lambda student, draw: {}, 1.0, None, 1e-9, 1e-9, False)
