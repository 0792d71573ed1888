"""Short asides stand open beside the prose before them: in the margin on a wide screen, below it on a narrow one."""

import re
from pathlib import Path

import pytest
from docutils import nodes
from playwright.sync_api import Page

from theme import folds, margin_notes

CHAPTER = "notebooks/01-seq2seq.html"


def fold(title: str, *body: nodes.Element) -> nodes.Element:
    return folds.folded(nodes.admonition("", nodes.title("", title), *body, classes=["dropdown"]))


def test_only_what_is_short_and_aside_is_a_note() -> None:
    short = nodes.paragraph("", "Such units are subwords.")
    assert margin_notes.is_aside(fold("As papers say it: subwords", short))
    assert not margin_notes.is_aside(fold("Two cautions", short.deepcopy()))
    assert not margin_notes.is_aside(fold("As papers say it", nodes.paragraph("", "x" * (margin_notes.LONGEST + 1))))
    assert not margin_notes.is_aside(fold("As papers say it", short.deepcopy(), nodes.math_block("", "x")))


def test_a_note_stands_beside_as_much_prose_as_it_is_high() -> None:
    note = fold("As papers say it", nodes.paragraph("", "n" * 100))
    prose = [nodes.paragraph("", letter * 120) for letter in "abc"]
    nodes.section("", nodes.title("", "1.1 A"), *prose, note, nodes.paragraph("", "after"))
    assert margin_notes.beside(note) == prose[1:]
    alone = fold("As papers say it", nodes.paragraph("", "n"))
    nodes.section("", nodes.title("", "1.1 A"), nodes.literal_block("", "code"), alone)
    assert margin_notes.beside(alone) == []


def test_a_note_keeps_its_words_and_follows_its_prose(built: Path) -> None:
    page = (built / CHAPTER).read_text("utf-8")
    rows = re.findall(r'<div class="margin-prose.*?<aside class="margin-note">(.*?)</aside>', page, re.DOTALL)
    assert len(rows) > 2 and all('<strong class="margin-title">As papers say it' in row for row in rows)
    assert "Equal probability for all" in " ".join(rows) and "scheduled sampling" in " ".join(rows)


@pytest.mark.browser
def test_notes_are_in_the_margin_of_a_wide_page_alone_without_a_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    prose, note = static.locator(".margin-prose").first, static.locator(".margin-note").first

    def is_beside() -> bool:
        left, right = prose.bounding_box(), note.bounding_box()
        assert left and right and right["width"] > 150
        return right["x"] >= left["x"] + left["width"] and right["y"] < left["y"] + left["height"]

    assert is_beside()
    static.set_viewport_size({"width": 390, "height": 800})
    assert not is_beside() and static.evaluate("document.documentElement.scrollWidth") <= 390
    static.set_viewport_size({"width": 1280, "height": 900})
    static.emulate_media(media="print")
    assert not is_beside()
