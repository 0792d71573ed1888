"""The sample class of a short assignment: one exercise is enough, with a question or without."""

import json

import pytest

from autograde.bank import sample
from course.exercises import exercises
from tests.autograde import toy


@pytest.mark.parametrize(
    ("asked", "half"),
    [
        (["standardise"], []),
        (["standardise", "question_mean"], ["standardise"]),
        (["centre", "standardise"], ["centre"]),
        (["standardise", "question_mean", "question_axes"], ["standardise", "question_mean"]),
    ],
)
def test_every_made_up_student_is_there_and_hostile_ones_earn_less(asked, half, toy_notebook, monkeypatch):
    kept = tuple(e for e in exercises() if e.name in asked)
    monkeypatch.setattr(sample, "exercises", lambda: kept)
    made = {each.student: each for each in sample.class_of(toy_notebook.read_bytes(), toy.NAME)}
    hostile = ["hostile-patches-the-tests", "hostile-reads-the-disk"]
    assert {"right", "partly-right", "untouched", *hostile} <= set(made)
    assert 1 <= sum(student.startswith("wrong-") for student in made) <= 4
    full = made["right"].expected
    assert all(each.expected.keys() == full.keys() for each in made.values())
    for student in ("partly-right", *hostile):
        assert made[student].expected == {name: full[name] if name in half else 0.0 for name in full}
        json.loads(made[student].content)
    for student in hostile:
        assert b'"added"' in made[student].content


def test_no_wrong_answer_is_handed_in_twice(toy_notebook, monkeypatch):
    """`scale` has two in its bank: there are two such submissions, and not four of which three have one name."""
    (scale,) = (e for e in exercises() if e.name == "scale")
    monkeypatch.setattr(sample, "exercises", lambda: (scale,))
    students = [each.student for each in sample.class_of(toy_notebook.read_bytes(), toy.NAME)]
    assert len(students) == len(set(students))
    assert sum(student.startswith("wrong-") for student in students) <= 2
