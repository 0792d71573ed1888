"""Refreshing: outputs come from the solved run, and a second refresh changes no byte."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import files, metadata, refreshing

EXPERIMENT = """
import matplotlib.pyplot as plt
from course import show, style
style()
fig, ax = plt.subplots()
ax.plot([1, 2], safe_softmax(torch.zeros(2), 0).tolist())
show(fig)
print("one,", end=" ")
print("two")
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A notebook of chapter 00 with one exercise, an experiment and a timing, in a folder of its own."""
    path = tmp_path / "00-warm-up.ipynb"
    stub = next(c for c in files.read(files.paths(["00"])[0]).cells if c.id == "safe_softmax-answer")
    check = next(c for c in files.read(files.paths(["00"])[0]).cells if c.id == "safe_softmax-check")
    cells = [
        new_markdown_cell("# A toy"),
        new_code_cell("import torch\nfrom torch import Tensor\nfrom course import check"),
        stub,
        check,
        new_code_cell(EXPERIMENT.strip(), metadata={"tags": ["skip-execution"]}),
        new_code_cell("import time\nprint(time.perf_counter())", metadata={"tags": ["timing"]}),
    ]
    monkeypatch.setattr(refreshing, "NOTEBOOKS", tmp_path)
    for name in ("write_exercises", "record"):
        monkeypatch.setattr(refreshing, name, lambda *_: None)
    files.write(metadata.normalize(new_notebook(cells=cells)), path)
    return path


def test_a_second_refresh_changes_no_byte(toy):
    refreshing.refresh(toy)
    first = toy.read_bytes()
    cells = {cell.id: cell for cell in files.read(toy).cells}
    assert cells["safe_softmax-answer"].source.endswith("raise NotImplementedError"), "the stub stays a stub"
    assert not cells["safe_softmax-check"].outputs, "an unsolved notebook never shows a pass"
    *_, experiment, timing = cells.values()
    assert "image/svg+xml" in experiment.outputs[0].data and experiment.outputs[1].text == "one, two\n"
    assert float(timing.outputs[0].text) > 0
    refreshing.refresh(toy)
    assert toy.read_bytes() == first, "the timing kept its output, and the rest came out the same"


def test_a_check_that_fails_stops_the_refresh_and_leaves_the_notebook(toy, monkeypatch):
    before = toy.read_bytes()
    monkeypatch.setattr("autograde.reference.source", lambda *_: "def safe_softmax(scores, dim=-1):\n    return scores")
    with pytest.raises(Exception, match="safe_softmax"):
        refreshing.refresh(toy)
    assert toy.read_bytes() == before
