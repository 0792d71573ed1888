"""What is completed from what an author writes: figures' numbers."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import metadata


def sources(*cells) -> list[str]:
    return [cell.source for cell in metadata.normalize(new_notebook(cells=list(cells))).cells]


def test_figures_are_numbered_by_the_titles_chapter():
    made = sources(
        new_markdown_cell("# 7. Counting\n\nFigure 7.1 falls."),
        new_code_cell("# Figure: before it\nfig = 1"),
        new_code_cell("# Figure 7.1: falls\nfig = 1"),
    )
    assert made[0] == "# 7. Counting\n\nFigure 7.2 falls."
    assert made[-2:] == ["# Figure 7.1: before it\nfig = 1", "# Figure 7.2: falls\nfig = 1"]


def test_a_title_without_a_number_and_a_reference_to_nothing_say_so():
    with pytest.raises(SystemExit, match="numbered by chapter"):
        sources(new_markdown_cell("# A toy"), new_code_cell("# Figure: a\nfig = 1"))
    with pytest.raises(SystemExit, match=r"# 7\. Counting: the text refers to Figure 7\.3"):
        sources(new_markdown_cell("# 7. Counting"), new_markdown_cell("See Figure 7.3."))
