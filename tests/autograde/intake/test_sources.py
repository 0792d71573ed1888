"""What a source holds: nothing that the system keeps from us is passed over in silence."""

import errno
import os

import pytest

from autograde.folders import ClassFolder
from autograde.intake import sources
from autograde.intake.collect import collect
from autograde.intake.sources import BadSource

NAME = "02-bahdanau"
NOTEBOOK = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = 1"}]}'


@pytest.fixture
def folder(tmp_path):
    """A class in which an assignment is released."""
    released = tmp_path / "class" / "release" / NAME
    released.mkdir(parents=True)
    (released / f"{NAME}.ipynb").write_bytes(NOTEBOOK)
    return ClassFolder.at(tmp_path / "class")


@pytest.fixture
def source(tmp_path):
    for student in ("ada", "bob"):
        (tmp_path / "back" / student / NAME).mkdir(parents=True)
        (tmp_path / "back" / student / NAME / f"{NAME}.ipynb").write_bytes(NOTEBOOK)
    return tmp_path / "back"


def test_a_folder_that_is_closed_to_us_is_said(folder, source, monkeypatch):
    real = os.scandir

    def closed(path):
        if str(path) == str(source / "bob"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", closed)
    done = collect(folder, source)
    assert [item.student for item in done.items] == ["ada"]
    assert done.aside == [("bob", "the folder cannot be looked into (Permission denied): see that you may read it")]


def test_a_file_that_is_closed_to_us_is_not_put_down_as_a_damaged_one(folder, source, monkeypatch):
    real, closed = os.access, source / "bob" / NAME / f"{NAME}.ipynb"
    monkeypatch.setattr(os, "access", lambda path, mode, **more: path != closed and real(path, mode, **more))
    done = collect(folder, source)
    assert [item.student for item in done.items] == ["ada"] and folder.students() == ["ada"]
    assert done.aside == [(f"bob/{NAME}/{NAME}.ipynb", "you may not read it: see that you may, and collect again")]


def test_a_file_that_goes_while_the_source_is_listed_stops_nothing(folder, source, monkeypatch):
    real = os.walk
    monkeypatch.setattr(
        sources.os,
        "walk",
        lambda top, **more: ((below, folders, [*files, "gone.ipynb"]) for below, folders, files in real(top, **more)),
    )
    done = collect(folder, source)
    assert [item.student for item in done.items] == ["ada", "bob"]
    assert ("ada/gone.ipynb", "it cannot be looked at (No such file or directory)") in done.aside


@pytest.mark.parametrize("where", ["class", "."])
def test_the_class_itself_is_nothing_that_came_back(folder, where):
    """Its release would be a student's of that name."""
    with pytest.raises(BadSource, match="holds the class itself"):
        collect(folder, folder.root.parent / where)
    assert not folder.submitted.exists()
