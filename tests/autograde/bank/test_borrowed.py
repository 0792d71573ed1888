"""A mistake that one bank knows costs points wherever another exercise has a place for it.

The small form tries some of each exercise, drawn by its name; the long form tries all (`--full`).
"""

import random

import pytest

from autograde import bank
from autograde.bank import borrowed
from course.exercises import exercises

CODED = [e for e in exercises() if not e.question]
SOME = 2


def passes(exercise, wrong) -> list[str]:
    """Those that earn full marks."""
    right = bank.observe(exercise, None, borrowed.KEY)
    seen = {each.name: bank.observe(exercise, each.source, borrowed.KEY) for each in wrong}
    return [name for name, observed in seen.items() if bank.passes(exercise, observed, right)]


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_a_borrowed_wrong_answer_costs_points(exercise, full):
    right = borrowed.right_after_all().get(exercise.name, {})
    wrong = [each for each in borrowed.borrowed(exercise) if each.name not in right]
    if not wrong:
        pytest.skip("no wrong answer of another exercise fits in here")
    if not full:
        wrong = random.Random(exercise.name).sample(wrong, min(SOME, len(wrong)))
    assert not passes(exercise, wrong)


def test_what_is_right_after_all_still_is():
    """What is listed and costs points, or is not made any more, is out of date."""
    by_name = {e.name: e for e in CODED}
    for name, reasons in borrowed.right_after_all().items():
        wrong = {each.name: each for each in borrowed.borrowed(by_name[name])}
        assert set(reasons) <= set(wrong) and all(len(reason) > 20 for reason in reasons.values()), name
        assert set(passes(by_name[name], [wrong[change] for change in reasons])) == set(reasons)


def test_a_rule_is_carried_over_under_the_names_of_the_place():
    (exercise,) = (e for e in CODED if e.name == "fix_the_leak")
    names = {each.name for each in borrowed.borrowed(exercise)}
    assert "attend_to_the_past: float('-inf') -> -100.0" in names, names
    assert len(borrowed.rules()) > 300
