"""A translation may change words, and nothing that grades, links or outputs rest on."""

import copy
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode

from tools.notebooks import __main__ as command
from tools.notebooks.files import NOTEBOOKS, read, write
from tools.notebooks.translated import differences

ORIGINAL = read(NOTEBOOKS / "04-dot-product.ipynb")


def cell(notebook: NotebookNode, begins: str) -> NotebookNode:
    return next(c for c in notebook.cells if c.source.startswith(begins) or f"\n{begins}" in c.source)


def graded(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def test_words_may_change() -> None:
    made = copy.deepcopy(ORIGINAL)
    heading = cell(made, "## 4.4 Why the root?")
    heading.source = heading.source.replace("Why the root?", "Warum die Wurzel?")
    answer = graded(made, "attention_masks-answer")
    answer.source = answer.source.replace('"""', '"""Auf Deutsch. ', 1).replace("# YOUR", "# bitte\n    # YOUR", 1)
    printed = cell(made, 'print(f"what comes back: {shares')
    printed.source = printed.source.replace("what comes back: {shares", "es kommt zurück: {shares")
    assert made != ORIGINAL and differences(ORIGINAL, made) == []


def rename(made: NotebookNode) -> None:
    graded(made, "self_attention-answer").metadata["nbgrader"]["grade_id"] = "selbst-answer"


def points(made: NotebookNode) -> None:
    graded(made, "self_attention-check").metadata["nbgrader"]["points"] = 3


def tags(made: NotebookNode) -> None:
    next(c for c in made.cells if "guess" in c.metadata.get("tags", [])).metadata["tags"] = []


def code(made: NotebookNode) -> None:
    printed = cell(made, 'print(f"what comes back: {shares')
    printed.source = printed.source.replace("contents[:, 0]", "inhalt[:, 0]")


def check(made: NotebookNode) -> None:
    graded(made, "self_attention-check").source = 'check("4.3", SelbstAufmerksamkeit)'


def heading(made: NotebookNode) -> None:
    changed = cell(made, "### Exercise 4.3")
    changed.source = changed.source.replace("Exercise 4.3", "Aufgabe 4.4")


def link(made: NotebookNode) -> None:
    changed = cell(made, "[Figure 4.3:")
    changed.source = changed.source.replace("attention-plane.md", "ebene.md")


def equation(made: NotebookNode) -> None:
    changed = cell(made, "# 4. Scaled")
    changed.source = changed.source.replace(r"\sqrt{d_k}", "d_k", 1)


def drop(made: NotebookNode) -> None:
    made.cells.pop()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (rename, r"self_attention-answer\): its metadata say nbgrader\.grade_id = 'selbst-answer'"),
        (points, r"self_attention-check\): its metadata say nbgrader\.points = 3, in the original 2"),
        (tags, r"its metadata say tags = \[\], in the original \['guess'"),
        (code, r"its code is another; translate comments, docstrings and strings alone"),
        (check, r"self_attention-check\): a check is not translated"),
        (heading, r"its headings are not the original's; look at \('###', '4\.3'\)"),
        (link, r"its links are not the original's; look at '\.\./book/attention-plane\.md'"),
        (equation, r"its equations are not the original's"),
        (drop, r"it has \d+ cells, the original \d+: translate cell by cell"),
    ],
)
def test_what_may_not_change_is_named_with_its_cell(change: Callable[[NotebookNode], None], said: str) -> None:
    made = copy.deepcopy(ORIGINAL)
    change(made)
    (line,) = differences(ORIGINAL, made)
    assert re.search(said, line), line


def test_the_command_compares_with_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = copy.deepcopy(ORIGINAL)
    rename(made)
    write(made, tmp_path / "04-dot-product.ipynb")
    with pytest.raises(SystemExit, match=r"04-dot-product\.ipynb, cell \d+ \(selbst-answer\)"):
        command.main(["translated", str(tmp_path), "04"])
    with pytest.raises(SystemExit, match="is not there: name the folder"):
        command.main(["translated", str(tmp_path), "02"])
    command.main(["translated", str(NOTEBOOKS), "04"])
    assert "faithful" in capsys.readouterr().out
