"""A learner's kernel, as Jupyter runs it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """A learner's folder, and a function that runs cells in a fresh kernel there and gives each cell's text."""
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / ".course"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[3]))

    def run(*cells: str, allow_errors: bool = True) -> list[nbformat.NotebookNode]:
        notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=allow_errors)
        client.execute(cwd=str(tmp_path))
        return notebook.cells

    return run


def text_of(cell, kind: str = "text/plain") -> str:
    texts = [
        o.get("text", "") or o.get("data", {}).get(kind, "") or "\n".join(o.get("traceback", [])) for o in cell.outputs
    ]
    return "\n".join(texts)
