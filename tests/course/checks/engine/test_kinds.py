"""Kinds of mistakes: told where all that is off shows them, and nowhere else."""

import itertools

import pytest
import torch

from course.checks.engine import Check, Observation, Table
from course.checks.engine.case import Case
from course.checks.engine.kinds import KINDS, kind_of
from course.key import Key
from course.protocol.student import Local

KEY = Key.public("kinds")
NOT_FINITE, AXIS, PLACES, FACTOR = (sentence for _, sentence in KINDS)


def weights(x):
    """x (B, S): a softmax along S, times two."""
    return 2 * torch.softmax(x, -1)


@pytest.fixture
def check():
    made = Check("weights", components=("weights",))
    made.takes("weights", B=2, S=5)(lambda draw, B, S: {"x": draw.normal(B, S)})
    made.case("ordinary", weight=4)(lambda student, draw: {"of two": student.weights(draw.normal(2, 6))})
    made.case("far apart")(lambda student, draw: {"of three": student.weights(draw.normal(3, 5) * 200)})
    yield made
    del Check.registry["weights"]


def told(check, answer):
    """The messages of an answer's failed cases."""
    reference = check.observe(check.student(Local({"weights": weights})), KEY)
    verdict = check.judge(check.student(Local({"weights": answer})), Table(KEY, reference, ()))
    assert verdict.diagnosis == ""  # a kind is no name of the bank's
    return " ".join(case.message for case in verdict.cases if not case.passed)


@pytest.mark.parametrize("answer, kind", [
    (lambda x: 2 * x.exp() / x.exp().sum(-1, keepdim=True), NOT_FINITE),
    (lambda x: weights(x).unsqueeze(0), AXIS),
    (lambda x: weights(x).flip(-1), PLACES),
    (lambda x: weights(x) / 2, FACTOR),
])  # fmt: skip
def test_what_all_failed_cases_show_is_told(check, answer, kind):
    assert kind in told(check, answer)


@pytest.mark.parametrize("answer", [
    lambda x: torch.relu(x),  # none of them
    lambda x: weights(x) / 2 if len(x) == 2 else weights(x).flip(-1),  # in one case this, in the other that
    lambda x: weights(x).T,  # another form
    lambda x: x.missing,  # nothing came
])  # fmt: skip
def test_a_kind_that_does_not_explain_all_is_not_told(check, answer):
    said = told(check, answer)
    assert said and not any(sentence in said for _, sentence in KINDS)


def test_small_numbers_that_are_wrong_are_not_the_right_ones_elsewhere():
    made = Check("small", components=("small",))
    made.takes("small", N=5)(lambda draw, N: {"x": draw.normal(N)})
    made.case("ordinary", atol=1e-15)(lambda student, draw: {"small": student.small(draw.normal(8))})
    reference = made.observe(made.student(Local({"small": lambda x: 1e-9 * x.abs()})), KEY)
    verdict = made.judge(made.student(Local({"small": lambda x: 0 * x + 1e-7})), Table(KEY, reference, ()))
    assert not verdict.passed and PLACES not in verdict.cases[0].message
    del Check.registry["small"]


def test_truth_values_in_other_places_are_no_kind():
    made = Check("large", components=("large",))
    made.takes("large", N=5)(lambda draw, N: {"x": draw.normal(N)})
    made.case("ordinary")(lambda student, draw: {"large": student.large(draw.normal(8))})
    reference = made.observe(made.student(Local({"large": lambda x: x > 0})), KEY)
    verdict = made.judge(made.student(Local({"large": lambda x: (x > 0).flip(0)})), Table(KEY, reference, ()))
    assert not verdict.passed and PLACES not in verdict.cases[0].message
    del Check.registry["large"]


NAN, INF = float("nan"), float("inf")
NUMBERS = [], [0.0] * 5, [1.0, 2, 3, 4, 5], [NAN, 2, 3, 4, 5], [NAN] * 5, [INF, -INF, 3, 4, NAN], [1e38] * 5
ODD = [
    *map(torch.tensor, NUMBERS),
    torch.arange(5), torch.arange(5) > 2, torch.arange(5) * 1j, torch.full((5,), 2**62), torch.tensor(0.0),
    torch.ones(1, 5), torch.zeros(5, 0), torch.ones(5, dtype=torch.bfloat16),
    None, "(2, 1, 3)", "", 3, NAN, 2**70,
]  # fmt: skip


@pytest.mark.parametrize("shows", [shows for shows, _ in KINDS])
@pytest.mark.parametrize("name", ["w", "w, form", "w, numbers"])
def test_nothing_that_comes_back_breaks_the_search_for_a_kind(shows, name):
    for seen, right in itertools.product(ODD, ODD):
        assert shows(name, seen, right) in (None, True, False), (seen, right)


def test_a_form_has_more_axes_by_its_sizes_and_not_by_its_words():
    case, numbers = Case("", lambda *_: {}, 1.0, None, 1e-5, 1e-4, contract=False), torch.arange(5.0)
    reference = Observation({"a": numbers, "b, form": "(2, 1, 5) bool"})
    for form, kind in (("(2, 5) floating-point", ""), ("(2, 1, 1, 5) bool", AXIS)):
        seen = Observation({"a": numbers.unsqueeze(0), "b, form": form})
        assert kind_of([(case, seen, reference)]) == kind
