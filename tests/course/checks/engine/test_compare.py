"""What counts as the same number, and the words where it is another."""

import pytest
import torch

from course.checks.engine import Check, Draw, Observation, Table
from course.checks.engine.case import Case
from course.checks.engine.compare import difference
from course.key import RECORDED_KEY as KEY
from course.protocol.blocked import REFUSAL
from course.protocol.runner import UNDEFINED
from course.protocol.student import Local, Student


def test_one_and_many_have_their_verbs():
    check = Check("numbers", components=("share",))

    @check.case("values")
    def _(student: Student, draw: Draw):
        return {"mask": student.share("mask"), "names": student.share("names"), "so": student.share("so")}

    right = {"mask": torch.ones(5, dtype=torch.bool), "names": "a, b", "so": True}
    table = Table(KEY, (Observation(right),), ())
    one, two = torch.tensor([False, *4 * [True]]), torch.tensor([False, False, *3 * [True]])
    for change, words in (
        ({"mask": one}, "1 of the 5 entries of `mask` is not right."),
        ({"mask": two}, "2 of the 5 entries of `mask` are not right."),
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
