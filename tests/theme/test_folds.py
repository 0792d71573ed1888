"""Folds: one kind for dropdowns and folded notes, open on paper, with no script."""

import json
import re
from pathlib import Path

import pytest
from docutils import nodes
from playwright.sync_api import Page
from sphinx_design.shared import create_component

from theme import folds, margin_notes
from theme.notebooks import paths

NOTEBOOKS = paths()
WRITTEN = re.compile(r"^:{3,}\{dropdown\}|^:class: .*\bdropdown\b", re.MULTILINE)
CHAPTER = "notebooks/04-dot-product.html"
# How high what is inside stands on the page, fold by fold.
HEIGHTS = """folds => folds.map(fold => {
  const [whole, summary] = [fold, fold.firstElementChild].map(element => element.getBoundingClientRect().height);
  return whole - summary;
})"""
SHOWN = "summaries => summaries.map(summary => summary.checkVisibility())"


def test_a_note_keeps_its_title_its_kind_and_its_anchor() -> None:
    note = nodes.admonition(
        "", nodes.title("", "As papers say it"), nodes.paragraph("", "words"), classes=["note", "dropdown"], ids=["as"]
    )
    assert folds.is_fold(note)
    fold = folds.folded(note)
    assert fold["classes"] == ["fold", "note"] and fold["ids"] == ["as"]
    assert [part.astext() for part in fold] == ["As papers say it", "words"]
    warning = folds.folded(nodes.warning("", nodes.paragraph("", "hot"), classes=["dropdown"]))
    assert [part.astext() for part in warning] == ["Warning", "hot"] and warning["classes"] == ["fold", "warning"]
    assert not folds.is_fold(nodes.note("", nodes.paragraph("", "open")))


def test_a_dropdown_is_the_same_fold() -> None:
    dropdown = create_component("dropdown", opened=True, has_title=True)
    dropdown += [nodes.rubric("", "Two cautions"), nodes.paragraph("", "words")]
    fold = folds.folded(dropdown)
    assert fold["opened"] and fold["classes"] == ["fold"]
    assert [part.astext() for part in fold] == ["Two cautions", "words"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_fold_of_a_chapter_is_of_this_kind(path: Path, built: Path) -> None:
    page = (built / "notebooks" / path.with_suffix(".html").name).read_text("utf-8")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    written = sum(len(WRITTEN.findall(source)) for source in prose)
    in_margin = page.count(f'<aside class="{margin_notes.CLASS}">')
    assert written and len(re.findall(r'<details class="fold\b', page)) + in_margin == written
    assert "sd-dropdown" not in page and "togglebutton" not in page
    assert not re.search(r'class="[^"]*admonition[^"]*\bdropdown\b', page)


@pytest.mark.browser
def test_a_fold_opens_without_a_script_and_stands_open_on_paper(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    found = static.locator("details.fold")
    assert found.count() and max(found.evaluate_all(HEIGHTS)) < 5
    found.locator("summary").first.click()
    assert found.evaluate_all(HEIGHTS)[0] > 20
    static.emulate_media(media="print")
    assert min(found.evaluate_all(HEIGHTS)) > 20
    # What says that something can be clicked is not printed; a note's title is.
    assert not any(static.locator(":is(details.guess, details.hide) > summary").evaluate_all(SHOWN))
    assert all(found.locator("> summary").evaluate_all(SHOWN))
