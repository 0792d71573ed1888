"""A mistake that one bank knows costs points wherever another exercise has a place for it.

The small form tries some of each exercise, drawn by its name; the long form tries all (`--full`).
"""

import random

import pytest

from autograde import bank
from autograde.bank import borrowed
from course.checks.engine import Table
from course.exercises import exercises

CODED = [e for e in exercises() if not e.question]
SOME = 2


def passes(exercise, mistakes) -> list[str]:
    """Those that earn full marks."""
    check = bank.check_of(exercise)
    table = Table(borrowed.KEY, bank.observe(exercise, None, borrowed.KEY), ())
    seen = {each.name: bank.observe(exercise, each.source, borrowed.KEY) for each in mistakes}
    return [name for name, observed in seen.items() if check.compare(observed, table).passed]


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_a_borrowed_mistake_costs_points(exercise, full):
    known = borrowed.right_after_all().get(exercise.name, {})
    mistakes = [each for each in borrowed.borrowed(exercise) if each.name not in known]
    if not full:
        mistakes = random.Random(exercise.name).sample(mistakes, min(SOME, len(mistakes)))
    assert not mistakes or not passes(exercise, mistakes)


def test_what_is_right_after_all_still_is():
    """What is listed and costs points, or is not made any more, is out of date."""
    by_name = {e.name: e for e in CODED}
    for name, reasons in borrowed.right_after_all().items():
        mistakes = {each.name: each for each in borrowed.borrowed(by_name[name])}
        assert set(reasons) <= set(mistakes) and all(len(reason) > 20 for reason in reasons.values()), name
        assert set(passes(by_name[name], [mistakes[change] for change in reasons])) == set(reasons)


def test_a_rule_is_carried_over_under_the_names_of_the_place():
    (exercise,) = (e for e in CODED if e.name == "fix_the_leak")
    names = {each.name for each in borrowed.borrowed(exercise)}
    assert "attend_to_the_past: float('-inf') -> -100.0" in names, names
    assert len(borrowed.rules()) > 300
