"""A check does without a condition only where its other cases catch all that it does (`--full`: all exercises)."""

import json

import pytest

from autograde import bank
from autograde.bank import redundant
from course.checks.engine import conditions
from course.exercises import exercises

DECLARED = [e for e in exercises() if not e.question and bank.check_of(e).declarations]
SOME = {"broadcast_mask", "scaled_dot_product_attention", "patch_embedding"}


@pytest.mark.parametrize("exercise", DECLARED, ids=lambda e: e.name)
def test_what_is_redundant_is_found_again(exercise, full):
    stored = conditions.redundant().get(exercise.name, frozenset())
    if full or exercise.name in SOME:
        assert stored == set(redundant.redundant(exercise))
    assert stored <= conditions.cases(tuple(bank.check_of(exercise).declarations)).keys()


def test_only_exercises_are_named():
    assert conditions.redundant().keys() <= {exercise.name for exercise in DECLARED}


def test_those_go_first_that_catch_least_and_no_answer_is_lost():
    seen = [frozenset(failed) for failed in ({1, 2}, {1, 2}, {2, 3}, {3, 4}, {0, 4})]
    assert redundant._not_needed([1, 2, 3, 4], seen) == {1, 3}  # then 2 and 4 are needed
    assert redundant._not_needed([1, 2, 3], [frozenset({0, place}) for place in (1, 2, 3)]) == {1, 2, 3}


def test_a_condition_that_there_is_none_of_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "redundant.json"
    file.write_text(json.dumps({"self_attention": ["again", "lengths"]}))
    monkeypatch.setattr(conditions, "REDUNDANT", file)
    with pytest.raises(ValueError, match=r"redundant.json names conditions that there are none of: \['lengths'\]"):
        conditions.redundant.__wrapped__()
