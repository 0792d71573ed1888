"""Which file of a submission's folder is graded, whatever lies beside it and however it is called."""

from __future__ import annotations

import json
import os
import socket

import pytest

from autograde.folders import ClassFolder
from autograde.intake import provenance
from autograde.intake import received as finding
from autograde.intake.received import receive
from tests.autograde.intake.test_parse import notebook, refused, sources, submission

NAME = "02-bahdanau"


def test_the_file_itself_may_be_named_instead_of_its_folder(tmp_path):
    folder = submission(tmp_path, notebook())
    assert receive(folder / f"{NAME}.ipynb", NAME) == receive(folder, NAME)


@pytest.mark.parametrize(
    "name", ["Copy of 02-bahdanau.ipynb", "homework.ipynb", "deep/er/02-bahdanau.ipynb", "é 'naïve' name.IPYNB"]
)
def test_another_name_or_a_sub_folder_is_found_and_said(tmp_path, name):
    received = receive(submission(tmp_path, notebook(), name), NAME)
    assert sources(received) == ["x = 1\ny = 2"]
    assert len(received.notes) == 1 and f"{NAME}.ipynb" in received.notes[0]


def test_of_several_notebooks_the_named_one_counts_then_the_one_with_our_marks(tmp_path):
    submission(tmp_path, notebook("other"), "a.ipynb")
    submission(tmp_path, notebook("hidden"), ".ipynb_checkpoints/02-bahdanau-checkpoint.ipynb")
    submission(tmp_path, notebook("mac"), "__MACOSX/02-bahdanau.ipynb")
    submission(tmp_path, notebook("one", "two"), "z.ipynb")
    assert sources(receive(tmp_path, NAME)) == ["one", "two"]
    submission(tmp_path, notebook("near"), "02-bahdanau (1).ipynb")
    assert sources(receive(tmp_path, NAME)) == ["near"]
    submission(tmp_path, b"", f"{NAME}.ipynb")
    assert sources(receive(tmp_path, NAME)) == ["near"], "an empty file hides no notebook"
    submission(tmp_path, notebook("right"))
    received = receive(tmp_path, NAME)
    assert sources(received) == ["right"]
    assert "several notebooks" in received.notes[0] and received.flags == (finding.SEVERAL,)


def test_of_strangers_the_one_with_this_assignments_cells_counts(tmp_path):
    def answering(name, *cells):
        marks = [{"cell_type": "code", "source": cell, "metadata": {"nbgrader": {"grade_id": cell}}} for cell in cells]
        (tmp_path / name).write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": marks}))

    answering("a.ipynb", "gru_cell-answer", "gru_cell-check", "encoder-answer")
    answering("b.ipynb", "masked_softmax-answer")
    assert receive(tmp_path, NAME).name == "b.ipynb" and receive(tmp_path, "01-seq2seq").name == "a.ipynb"


@pytest.mark.parametrize("name", [f"{NAME}.ipynb", f"{NAME.upper()}.IPYNB", f"z {NAME}.ipynb", "zz/work.ipynb"])
def test_however_many_notebooks_sort_before_it_the_right_one_is_graded(tmp_path, name):
    for number in range(60):
        submission(tmp_path, json.dumps({"cells": [{"cell_type": "code", "source": "no"}]}), f"00-{number:02}.ipynb")
    for number in range(finding.MAX_ENTRIES):
        (tmp_path / f"00-{number}.txt").touch()
    submission(tmp_path, notebook("right"), name)
    wanted = receive(tmp_path, NAME)
    if "/" not in name:  # or else it lies behind more files than are looked at
        assert sources(wanted) == ["right"] and wanted.name == name
    for path in tmp_path.glob("*.txt"):
        path.unlink()
    assert sources(receive(tmp_path, NAME)) == ["right"]


def test_only_notebooks_that_may_be_chosen_are_read(tmp_path, monkeypatch):
    read, real = [], finding._bytes
    monkeypatch.setattr(finding, "_bytes", lambda folder, name, to: (read.append(name), real(folder, name, to))[1])
    monkeypatch.setattr(finding, "MAX_BYTES", 100_000)
    monkeypatch.setattr(finding, "MAX_LOOKED", 250_000)
    for number in range(9):
        submission(tmp_path, b" " * 90_000 + b"[]", f"{number}.ipynb")
    receive(tmp_path, NAME)
    assert read == ["0.ipynb", "1.ipynb", "2.ipynb"]
    submission(tmp_path, b"x" * 200_000, f"Copy of {NAME}.ipynb")
    assert "larger than" in receive(tmp_path, NAME).reason_for_student, "no other has as good a name"
    submission(tmp_path, notebook("other"), f"z {NAME}.ipynb")
    assert sources(receive(tmp_path, NAME)) == ["other"]
    submission(tmp_path, notebook("right"))
    read.clear()
    assert sources(receive(tmp_path, NAME)) == ["right"] and read == [f"{NAME}.ipynb"]


def test_nothing_or_something_else_is_said_plainly(tmp_path):
    refused(receive(tmp_path, NAME), "empty")
    refused(receive(tmp_path / "missing", NAME), "Nothing of yours")
    submission(tmp_path, "x", "notes.txt")
    refused(receive(tmp_path, NAME), "notes.txt")
    submission(tmp_path, b"PK", "work.zip")
    refused(receive(tmp_path, NAME), "work.zip", "not an archive")


def test_links_and_devices_are_never_opened(tmp_path):
    neighbour = submission(tmp_path / "neighbour", notebook("stolen"))
    folder = tmp_path / "mine"
    folder.mkdir()
    os.symlink(neighbour / f"{NAME}.ipynb", folder / f"{NAME}.ipynb")
    os.symlink(neighbour, folder / "sub")
    os.mkfifo(folder / "pipe.ipynb")
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(folder / "s.ipynb"))
    received = refused(receive(folder, NAME), "link")
    assert len(received.details) == 4
    os.symlink(neighbour, tmp_path / "linked")
    refused(receive(tmp_path / "linked", NAME), "link")
    refused(receive(folder / "pipe.ipynb", NAME), "not a notebook")
    refused(receive(folder / f"{NAME}.ipynb", NAME), "link")
    submission(folder, notebook("mine"), "own.ipynb")
    assert sources(receive(folder, NAME)) == ["mine"]


def test_a_folder_without_end_and_a_file_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(finding, "MAX_ENTRIES", 50)
    for i in range(60):
        submission(tmp_path, "x", f"{i:03}.txt")
    submission(tmp_path, notebook(), f"z/{NAME}.ipynb")
    refused(receive(tmp_path, NAME))
    monkeypatch.setattr(finding, "MAX_BYTES", 100)
    (tmp_path / "other").mkdir()
    refused(receive(submission(tmp_path / "other", notebook()), NAME), "larger")


def test_names_that_cannot_be_printed(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff\xfe\x1b[31m.ipynb"
    with open(path, "w") as file:
        json.dump(notebook(), file)
    received = receive(tmp_path, NAME)
    assert sources(received) and received.name.isprintable()
    json.dumps([*received.notes, *received.details]).encode()


def test_an_empty_folder_is_told_from_what_cannot_be_read(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "essay.txt").write_text("words")
    empty, other = receive(tmp_path / "empty", "00-toy"), receive(tmp_path / "other", "00-toy")
    assert (empty.empty, other.empty) == (True, False)
    assert empty.reason_for_student.startswith("Nothing was handed in")


@pytest.mark.parametrize(
    "data", [b"soon", b"\xff\xfe", b"", b"9999999-01-01", b"0001-01-01 00:00:00+14:00", b"1" * 500]
)
def test_a_timestamp_that_nbgrader_cannot_read_is_none(tmp_path, data):
    (tmp_path / "timestamp.txt").write_bytes(data)
    assert finding.handed_in_at(tmp_path) == ""


def test_a_timestamp_is_never_read_through_a_link_or_from_a_device(tmp_path):
    assert finding.handed_in_at(tmp_path) == ""
    (tmp_path / "elsewhere").write_text("2026-01-01 12:00:00 UTC")
    (tmp_path / "timestamp.txt").symlink_to(tmp_path / "elsewhere")
    assert finding.handed_in_at(tmp_path) == ""
    (tmp_path / "timestamp.txt").unlink()
    os.mkfifo(tmp_path / "timestamp.txt")
    assert finding.handed_in_at(tmp_path) == ""
    (tmp_path / "elsewhere").rename(tmp_path / "timestamp.txt")
    assert finding.handed_in_at(tmp_path) == "2026-01-01 12:00:00 UTC"


def test_a_pipe_in_the_place_of_its_provenance_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / provenance.PROVENANCE)
    assert provenance.read(tmp_path) == {}


def test_a_students_folder_that_is_a_link_is_nobodys_submission(tmp_path):
    """Whoever could make one would be graded for another's work."""
    folder = ClassFolder.at(tmp_path)
    (folder.submitted / "ada" / NAME).mkdir(parents=True)
    (folder.submitted / "eve").symlink_to("ada")
    assert [student for student, _ in folder.submissions(NAME)] == folder.students() == ["ada"]
    assert "eve" in folder.unrecognized()
