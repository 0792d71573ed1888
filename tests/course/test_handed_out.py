"""What learners get of a notebook: no output that they are asked to guess, and nothing that only tests need."""

import json
import re
import symtable

import nbformat
import pytest

from course.figures import FIGURES
from course.handed_out import handed_out
from tools.notebooks import files, metadata


def notebook(*tags: str) -> bytes:
    cells = [
        nbformat.v4.new_markdown_cell("What do you expect? \u00fc"),
        nbformat.v4.new_code_cell(
            "1 + 1", execution_count=1, outputs=[nbformat.v4.new_output("stream", text="2")], metadata={"tags": [*tags]}
        ),
        nbformat.v4.new_code_cell("3", execution_count=2, outputs=[nbformat.v4.new_output("stream", text="3")]),
    ]
    return (nbformat.writes(nbformat.v4.new_notebook(cells=cells)) + "\n").encode()


def test_only_what_is_to_be_guessed_goes() -> None:
    given = notebook("timing", "guess")
    before, after = json.loads(given)["cells"], json.loads(handed_out(given))["cells"]
    assert after[1] == before[1] | {"outputs": [], "execution_count": None}
    assert [after[0], after[2]] == [before[0], before[2]]


def test_the_bytes_are_nbformats() -> None:
    emptied = handed_out(notebook("guess"))
    assert (nbformat.writes(nbformat.reads(emptied.decode(), as_version=4)) + "\n").encode() == emptied


@pytest.mark.parametrize("tags", [(), ("timing",)])
def test_without_the_tag_the_bytes_are_the_same(tags: tuple[str, ...]) -> None:
    given = notebook(*tags)
    assert handed_out(given) == given


@pytest.mark.parametrize("path", files.paths(), ids=lambda path: path.stem)
def test_a_copy_lacks_the_courses_own_assertions_and_nothing_that_is_used(path) -> None:
    """Only `make lab`'s copies, where the course is installed, lack the cell that installs it."""
    committed = json.loads(path.read_bytes())["cells"]
    for installed in (False, True):
        copy = json.loads(handed_out(path.read_bytes(), installed))["cells"]
        assert [cell["id"] for cell in copy if "remove-cell" in cell["metadata"].get("tags", ())] == (
            [] if installed else [metadata.GUARD_ID]
        )
        gone = [cell for cell in committed if cell["id"] not in {cell["id"] for cell in copy}]
        assert len(gone) > 3 and not any("nbgrader" in cell["metadata"] for cell in gone)
        used = {
            name for cell in copy if cell["cell_type"] == "code" for name in _names("".join(cell["source"]), "used")
        }
        there = {
            name for cell in copy if cell["cell_type"] == "code" for name in _names("".join(cell["source"]), "bound")
        }
        lost = {name for cell in gone for name in _names("".join(cell["source"]), "bound")} & used - there
        assert not lost, f"{lost} is bound only in cells that a copy has not"


def test_a_figure_to_move_is_there_by_its_call() -> None:
    """A copy has no page beside it to link to; what stands around the caption stays."""
    text = "Before.\n\n[Figure 4.3: Query and keys.](../book/attention-plane.md) Try first: turn it.\n\nAfter."
    given = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])).encode()
    (cell,) = json.loads(handed_out(given))["cells"]
    assert "".join(cell["source"]) == (
        "Before.\n\n**Figure 4.3:** Query and keys. To have it here, run "
        '`import course; course.figure("attention-plane")` in a new cell. Try first: turn it.\n\nAfter.'
    )


def test_every_figure_of_the_chapters_can_be_called() -> None:
    called = []
    for path in files.paths():
        text = handed_out(path.read_bytes()).decode()
        assert "](../book/" not in text, path.name
        called += re.findall(r'course\.figure\(\\"([\w-]+)\\"\)', text)
    assert sorted(called) == sorted(FIGURES)


def _names(source: str, which: str) -> set[str]:
    """The global names that a cell binds, or that it uses at any depth."""
    lines = [line for line in source.splitlines() if not line.lstrip().startswith(("%", "!"))]
    table = symtable.symtable("\n".join(lines), "<cell>", "exec")
    if which == "bound":
        return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    used, scopes = set(), [table]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        top = scope.get_type() == "module"
        used |= {s.get_name() for s in scope.get_symbols() if s.is_referenced() and (top or s.is_global())}
    return used
