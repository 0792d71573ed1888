"""What single cells take is measured in a run of the whole notebook."""

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from benchmarks import cells, solved
from course.committed import digest
from tools.notebooks import refreshing

BUSY = "import time; end = time.process_time() + 0.4\nwhile time.process_time() < end: pass"


@pytest.mark.slow  # it starts a kernel
def test_only_guessed_cells_that_train_get_their_seconds(tmp_path: Path) -> None:
    tags = {"tags": ["guess", "skip-execution"]}
    notebook = new_notebook(
        cells=[
            new_markdown_cell("Which?"),
            new_code_cell("import time"),
            new_code_cell(BUSY, metadata=tags),
            new_code_cell(BUSY + "  # not guessed"),
            new_code_cell("1", metadata=tags),
        ]
    )
    nbformat.write(notebook, tmp_path / "00-toy.ipynb")
    cells.main(["--solved", str(tmp_path), "--folder", str(tmp_path)])
    records = json.loads((tmp_path / "cells.json").read_text())["records"]
    assert [(record["notebook"], record["cell"]) for record in records] == [
        ("00-toy", digest(BUSY)),
        ("00-toy", digest("1")),
    ]
    assert 0.4 <= records[0]["cpu_seconds"] < 0.7 and records[1]["cpu_seconds"] < 0.2


def test_cells_are_measured_as_a_refresh_runs_them() -> None:
    assert solved.ENVIRONMENT | cells.ENVIRONMENT == refreshing.ENVIRONMENT


def test_without_solved_notebooks_the_command_that_makes_them_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no solved notebook in .* run `python -m tools.notebooks solve` first"):
        cells.main(["--solved", str(tmp_path)])
