"""Who the students of a class are: what is remembered of a collection, and how much work a large class makes of it."""

import json
from collections import Counter

import pytest

from autograde.folders import ClassFolder
from autograde.intake import collect as collecting
from autograde.intake import people
from autograde.intake.collect import collect
from autograde.intake.people import People

NAME = "02-bahdanau"
NOTEBOOK = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = %d"}]}'


@pytest.fixture
def folder(tmp_path):
    """A class in which an assignment is released."""
    released = tmp_path / "class" / "release" / NAME
    released.mkdir(parents=True)
    (released / f"{NAME}.ipynb").write_text(NOTEBOOK % 0)
    return ClassFolder.at(tmp_path / "class")


def test_what_a_collection_that_was_killed_has_kept_is_known_to_the_next(folder):
    killed = People(folder)
    for number, student in enumerate(["Ada", "Bob"]):
        (folder.submitted / student / NAME).mkdir(parents=True)
        killed.keep(student, NAME, ("Moodle", str(number)))
    with killed._since.open("ab") as file:
        file.write(b'{"Eve/02-bah')  # and it was killed while it wrote
    assert not killed.path.exists()
    again = People(folder)
    assert again.student_of("Moodle", "1") == "Bob" and not again.another("Ada", NAME, ("Moodle", "0"))
    assert "two people may be Ada" in again.another("Ada", NAME, ("Moodle", "9"))
    again.keep("Cleo", NAME, ("Moodle", "2"))
    again.settle()
    assert [*json.loads(again.path.read_bytes())] == [f"{student}/{NAME}" for student in ("Ada", "Bob", "Cleo")]
    assert not again._since.exists() and People(folder).marks == again.marks
    again.keep("Dora", NAME, ("Moodle", "3"))
    again.forget("Ada")
    assert b"Ada" not in again.path.read_bytes() and not again._since.exists()
    assert People(folder).student_of("Moodle", "3") == "Dora"


def test_a_students_place_in_a_large_class_costs_no_more_than_in_a_small_one(folder, tmp_path, monkeypatch):
    """Twice as many students are twice the work, when they are new and when they are collected again."""
    done: Counter[str] = Counter()

    def counted(module, name):
        real = getattr(module, name)

        def count(*args, **kwargs):
            done[name] += 1
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, count)

    counted(collecting, "folded")
    counted(people, "write_atomically")
    counted(people.os.path, "samefile")
    counted(ClassFolder, "students")
    made = {}
    for size in (10, 40):
        source = tmp_path / str(size)
        for number in range(size):
            handed_in = source / f"student {size}-{number}" / NAME / f"{NAME}.ipynb"
            handed_in.parent.mkdir(parents=True)
            handed_in.write_text(NOTEBOOK % number)
        for action in ("new", "unchanged"):
            done.clear()
            assert {item.action for item in collect(folder, source).items} == {action}
            made[size, action] = dict(done)
    for action in ("new", "unchanged"):
        small, large = made[10, action], made[40, action]
        there = 10  # those of the first, who are there when the second is collected
        assert small.get("write_atomically", 0) == (action == "new")  # all that is remembered, once
        assert large["folded"] <= 4 * small["folded"] + there
        assert all(large.get(name, 0) <= small.get(name, 0) for name in large if name != "folded"), (small, large)


@pytest.mark.parametrize(
    ("names", "behind"),
    [
        (["Jos\u00e9", "Jose\u0301"], [r" (Jos\xe9)", r" (Jose\u0301)"]),
        (["\u0419ana", "\u0418\u0306ana"], [r" (\u0419ana)", r" (\u0418\u0306ana)"]),
        (["Ana", "An\u200da"], [" (Ana)", r" (An\u200da)"]),
        (["\u1eb9\u0301", "e\u0301\u0323"], [r" (\u1eb9\u0301)", r" (e\u0301\u0323)"]),
        (["Ana", "ana", "Jos\u00e9"], ["", "", ""]),  # everybody sees the difference
        (["Bob", "\u6ce8", "Bob"], ["", "", ""]),
        (["Zo\u00eb", "Ana", "Zoe\u0308"], [r" (Zo\xeb)", "", r" (Zoe\u0308)"]),
        ([], []),
    ],
)
def test_names_that_look_the_same_are_spelled_apart_and_no_others(names, behind):
    assert people.spelled_apart(*names) == behind
