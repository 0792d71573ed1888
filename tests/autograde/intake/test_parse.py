"""Every kind of file that ever came back: a notebook or a plain reason, and never an exception."""

from __future__ import annotations

import hashlib
import json
import random

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.intake.received import Received, receive

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
        (json.dumps(notebook(*["x = 1\n" + " \n" * 60_000] * 2)), "in 120004 lines so far"),
        (json.dumps(notebook(*["x"] * 6000)), "cells"),
    ]:
        refused(receive(submission(tmp_path, content), NAME), word)


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
