"""One submission's way into submissions/: what is there stays until another is whole."""

import os

import pytest

from autograde.folders import ClassFolder
from autograde.intake import submissions
from autograde.intake.collect import collect

NAME = "02-bahdanau"
NOTEBOOK = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = %d"}]}'


@pytest.fixture
def folder(tmp_path):
    """A class in which an assignment is released."""
    released = tmp_path / "class" / "release" / NAME
    released.mkdir(parents=True)
    (released / f"{NAME}.ipynb").write_text(NOTEBOOK % 0)
    return ClassFolder.at(tmp_path / "class")


def handed_in(tmp_path, number):
    path = tmp_path / f"back {number}" / "ada" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(NOTEBOOK % number)
    return path.parents[2]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_what_is_interrupted_between_the_two_steps_of_a_replacement_leaves_the_one_that_was_there(
    folder, tmp_path, monkeypatch, error
):
    collect(folder, handed_in(tmp_path, 1))
    there = folder.submitted / "ada" / NAME / f"{NAME}.ipynb"
    real = os.rename

    def rename(one, other):
        if other == there.parent and submissions._NEW in one.name:
            raise error
        real(one, other)

    monkeypatch.setattr(submissions.os, "rename", rename)
    with pytest.raises(error):
        collect(folder, handed_in(tmp_path, 2))
    assert there.read_text() == NOTEBOOK % 1 and os.listdir(folder.submitted / "ada") == [NAME]
    monkeypatch.undo()
    assert [item.action for item in collect(folder, tmp_path / "back 2").items] == ["replaced"]
    assert there.read_text() == NOTEBOOK % 2 and len(list(folder.earlier.glob(f"ada/{NAME}/*"))) == 1


@pytest.mark.parametrize(("when", "newer"), [("2026-01-30 10:00", "2026-01-30 12:00:00"), ("in spring", ""), ("", "")])
def test_a_moment_that_cannot_be_read_is_older_than_none(tmp_path, when, newer):
    (tmp_path / "timestamp.txt").write_text("2026-01-30 12:00:00\n")
    assert submissions._newer(tmp_path, when) == newer


def test_a_long_name_keeps_its_ending(folder, tmp_path):
    """Without it, a notebook beside another would be none, and the other be graded."""
    for number, name in enumerate((f"Copy of {NAME} {'x' * 150}", "notes")):
        path = tmp_path / "back" / "ada" / NAME / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTEBOOK % number)
    [item] = collect(folder, tmp_path / "back").items
    assert f"2 notebooks: Copy of {NAME}" in item.notes[0] and "notes.ipynb only kept" in item.notes[0]
