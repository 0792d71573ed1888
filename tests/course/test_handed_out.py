"""What learners get of a notebook: no output that they are asked to guess."""

import json

import nbformat
import pytest

from course.handed_out import handed_out


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
