"""Every kind of file that ever came back: a notebook or a plain reason, and never an exception."""

from __future__ import annotations

import hashlib
import json
import os
import random
import socket

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.folders import ClassFolder
from autograde.intake import parse
from autograde.intake.parse import Received, receive

NAME = "02-bahdanau"


def notebook(*sources: str, **more) -> dict:
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{i}",
            "metadata": {"nbgrader": {"grade_id": f"part_{i}-answer", "solution": True}, "tags": ["skip-execution"]},
            "source": source.splitlines(keepends=True),
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "secret"}],
            "execution_count": 3,
        }
        for i, source in enumerate(sources or ("x = 1\ny = 2",))
    ]
    kernel = {"kernelspec": {"name": "julia-1.9", "display_name": "Julia"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells} | more


def submission(tmp_path, content: bytes | str | dict, name: str = f"{NAME}.ipynb"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return tmp_path


def sources(received: Received) -> list[str]:
    assert received.notebook is not None, received.reason_for_instructor
    return [cell.source for cell in received.notebook.cells]


def refused(received: Received, *words: str) -> Received:
    assert received.notebook is None
    assert received.reason_for_student.endswith(".") and received.reason_for_instructor
    assert len(received.reason_for_student) < 400 and "Traceback" not in received.reason_for_student
    for word in words:
        assert word in received.reason_for_student + received.reason_for_instructor, received
    return received


# ---------------------------------------------------------------- what is read


def test_a_notebook_keeps_its_cells_text_and_marks_and_nothing_else(tmp_path):
    folder = submission(tmp_path, notebook())
    received = receive(folder, NAME)
    (cell,) = received.notebook.cells
    assert cell == {
        "cell_type": "code",
        "id": "cell-0",
        "source": "x = 1\ny = 2",
        "metadata": {"nbgrader": {"grade_id": "part_0-answer", "solution": True}, "tags": ["skip-execution"]},
    }
    assert received.notebook.metadata == {}
    assert received.sha256 == hashlib.sha256((folder / f"{NAME}.ipynb").read_bytes()).hexdigest()
    assert received.notes == () and received.name == f"{NAME}.ipynb"


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
    assert "several notebooks" in received.notes[0] and received.flags == (parse.SEVERAL,)


@pytest.mark.parametrize("name", [f"{NAME}.ipynb", f"{NAME.upper()}.IPYNB", f"z {NAME}.ipynb", "zz/work.ipynb"])
def test_however_many_notebooks_sort_before_it_the_right_one_is_graded(tmp_path, name):
    for number in range(60):
        submission(tmp_path, json.dumps({"cells": [{"cell_type": "code", "source": "no"}]}), f"00-{number:02}.ipynb")
    for number in range(parse.MAX_ENTRIES):
        (tmp_path / f"00-{number}.txt").touch()
    submission(tmp_path, notebook("right"), name)
    wanted = receive(tmp_path, NAME)
    if "/" not in name:  # or else it lies behind more files than are looked at
        assert sources(wanted) == ["right"] and wanted.name == name
    for path in tmp_path.glob("*.txt"):
        path.unlink()
    assert sources(receive(tmp_path, NAME)) == ["right"]


def test_only_notebooks_that_may_be_chosen_are_read(tmp_path, monkeypatch):
    read, real = [], parse._bytes
    monkeypatch.setattr(parse, "_bytes", lambda folder, name, to: (read.append(name), real(folder, name, to))[1])
    monkeypatch.setattr(parse, "MAX_BYTES", 100_000)
    monkeypatch.setattr(parse, "MAX_LOOKED", 250_000)
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


@pytest.mark.parametrize("encode", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(tmp_path, encode):
    text = json.dumps(notebook("# café"), ensure_ascii=False)
    assert sources(receive(submission(tmp_path, text.encode(encode)), NAME)) == ["# café"]


def test_nan_doubled_keys_lone_surrogates_and_odd_line_ends(tmp_path):
    text = json.dumps(notebook("marker"))
    text = text.replace('"execution_count": 3', '"execution_count": NaN, "more": [Infinity, -Infinity, 1e999]')
    text = text.replace('["marker"]', '"first", "source": "a\\r\\nb\\rc\\u0000 \\ud800"')
    received = receive(submission(tmp_path, text), NAME)
    assert sources(received) == ["a\nb\nc ?"]
    assert any("twice" in note for note in received.notes) and any("source" in d for d in received.details)


def test_old_formats_are_upgraded(tmp_path):
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": "Title", "metadata": {}},
        {"cell_type": "code", "language": "python", "input": ["def f():\n", "    return 1"], "outputs": [],
         "metadata": {"nbgrader": {"grade_id": "f-answer"}}}]}]}  # fmt: skip
    received = receive(submission(tmp_path, old), NAME)
    assert sources(received) == ["Title", "def f():\n    return 1"]
    assert received.notebook.cells[1].metadata.nbgrader.grade_id == "f-answer"
    assert "old format" in received.notes[0]


def test_a_merge_conflict_outside_the_cells_text_is_read_and_one_inside_is_not(tmp_path):
    text = json.dumps(notebook("x = 1"), indent=1)
    line = next(line for line in text.splitlines() if "execution_count" in line)
    conflict = f"<<<<<<< HEAD\n{line}\n||||||| base\n{line}\n=======\n{line.replace('3', '7')}\n>>>>>>> branch"
    received = receive(submission(tmp_path, text.replace(line, conflict)), NAME)
    assert sources(received) == ["x = 1"] and "merge" in received.notes[0]
    inside = next(line for line in text.splitlines() if "x = 1" in line)
    conflict = f"<<<<<<< HEAD\n{inside}\n=======\n{inside.replace('1', '2')}\n>>>>>>> branch"
    refused(receive(submission(tmp_path, text.replace(inside, conflict)), NAME), "merge")


def test_a_hundred_megabytes_of_images_do_not_matter(tmp_path):
    picture = {"output_type": "display_data", "data": {"image/png": "A" * (100 << 20)}, "metadata": {}}
    content = notebook("x = 1")
    content["cells"][0]["outputs"] = [picture]
    assert sources(receive(submission(tmp_path, content), NAME)) == ["x = 1"]


def test_damaged_cells_are_left_aside_and_the_rest_is_read(tmp_path):
    content = notebook("good")
    content["cells"] += [None, 7, "text", [], {"cell_type": "code", "source": 5}, {"cell_type": {}, "source": "odd"}]
    content["cells"] += [{"cell_type": "code", "id": ["x"], "metadata": {"nbgrader": {"grade_id": {"a": 1}}}}]
    received = receive(submission(tmp_path, content), NAME)
    assert sources(received) == ["good", "odd", ""]
    assert "damaged" in received.notes[0]


@pytest.mark.parametrize("odd", [{"points": "1000"}, {"grade": [True]}, {"solution": None, "locked": False}])
def test_of_marks_only_truth_values_and_numbers_are_kept(tmp_path, odd):
    content = notebook()
    content["cells"][0]["metadata"] = {"nbgrader": {"grade_id": "part_0-answer"} | odd, "tags": [{}, "x" * 9999]}
    (cell,) = receive(submission(tmp_path, content), NAME).notebook.cells
    assert cell.metadata == {"nbgrader": {"grade_id": "part_0-answer"}}


# ---------------------------------------------------------------- what is refused


def test_files_that_are_no_notebook(tmp_path):
    for content, word in [
        (b"", "empty file"),
        (b"\0" * 100, "empty file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "damaged"),
        ("{}", "not a notebook"),
        ("[1, 2]", "not a notebook"),
        ("null", "not a notebook"),
        (json.dumps(notebook())[:-30], "cut short"),
        (json.dumps(notebook()) + "trailing", "damaged"),
        (json.dumps(notebook(cells=[])), "no cells"),
        (json.dumps(notebook(cells={"a": 1})), "not a notebook"),
        ("[" * 200_000, "nested too deeply"),
        ('{"cells": ' * 50_000, "nested too deeply"),
        ('{"cells": [' + "9" * 100_000 + "]}", "no cells"),
        (json.dumps({"nbformat": 3, "worksheets": 5}), "no cells"),
        (json.dumps({"nbformat": 2, "worksheets": [{"cells": [7]}]}), "no cells"),
        ("[" + "[]," * 6_000_000 + "[]]", "too large"),
        (json.dumps(notebook("x" * 2_000_000)), "too large"),
        (json.dumps(notebook(*["x"] * 6000)), "cells"),
    ]:
        refused(receive(submission(tmp_path, content), NAME), word)


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
    monkeypatch.setattr(parse, "MAX_ENTRIES", 50)
    for i in range(60):
        submission(tmp_path, "x", f"{i:03}.txt")
    submission(tmp_path, notebook(), f"z/{NAME}.ipynb")
    refused(receive(tmp_path, NAME))
    monkeypatch.setattr(parse, "MAX_BYTES", 100)
    (tmp_path / "other").mkdir()
    refused(receive(submission(tmp_path / "other", notebook()), NAME), "larger")


def test_names_that_cannot_be_printed(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff\xfe\x1b[31m.ipynb"
    with open(path, "w") as file:
        json.dump(notebook(), file)
    received = receive(tmp_path, NAME)
    assert sources(received) and received.name.isprintable()
    json.dumps([*received.notes, *received.details]).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "cells",
                    "source",
                    "cell_type",
                    "metadata",
                    "nbgrader",
                    "grade_id",
                    "id",
                    "worksheets",
                    "nbformat",
                    "input",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(value=JSON | st.dictionaries(st.sampled_from(["cells", "worksheets", "nbformat"]), JSON), cut=st.integers(0, 80))
def test_whatever_is_in_the_file_there_is_an_answer(tmp_path_factory, value, cut):
    text = json.dumps(value)
    folder = submission(tmp_path_factory.mktemp("any"), text[: len(text) - cut] if cut < 20 else text)
    received = receive(folder, NAME)
    if received.notebook is None:
        refused(received)
    else:
        nbformat.from_dict(received.notebook)
        assert all(isinstance(cell.source, str) for cell in received.notebook.cells)


def test_damaged_bytes_anywhere(tmp_path):
    whole, chance = json.dumps(notebook("a = 1", "b = 2")).encode(), random.Random(0)
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        received = receive(submission(tmp_path, bytes(data)), NAME)
        assert received.notebook is not None or refused(received)


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
    assert parse.handed_in_at(tmp_path) == ""


def test_a_timestamp_is_never_read_through_a_link_or_from_a_device(tmp_path):
    assert parse.handed_in_at(tmp_path) == ""
    (tmp_path / "elsewhere").write_text("2026-01-01 12:00:00 UTC")
    (tmp_path / "timestamp.txt").symlink_to(tmp_path / "elsewhere")
    assert parse.handed_in_at(tmp_path) == ""
    (tmp_path / "timestamp.txt").unlink()
    os.mkfifo(tmp_path / "timestamp.txt")
    assert parse.handed_in_at(tmp_path) == ""
    (tmp_path / "elsewhere").rename(tmp_path / "timestamp.txt")
    assert parse.handed_in_at(tmp_path) == "2026-01-01 12:00:00 UTC"


def test_a_students_folder_that_is_a_link_is_nobodys_submission(tmp_path):
    """Whoever could make one would be graded for another's work."""
    folder = ClassFolder.at(tmp_path)
    (folder.submitted / "ada" / NAME).mkdir(parents=True)
    (folder.submitted / "eve").symlink_to("ada")
    assert [student for student, _ in folder.submissions(NAME)] == folder.students() == ["ada"]
    assert "eve" in folder.unrecognised()
