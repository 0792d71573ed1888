"""Explorables in their chapters: with number and caption; a few sections alone on paper and without script."""

import json
import re
from pathlib import Path
from unittest.mock import Mock

import pytest
from docutils.parsers.rst import DirectiveError
from docutils.statemachine import StringList
from playwright.sync_api import Browser, Page

from course import captions
from theme.explorables.figure import Explore
from theme.notebooks import paths

NOTEBOOKS = paths()
SECTIONS = "figure.live-figure :is(attention-step, choose-section) > .step"


def linked(path: Path) -> list[tuple[str, str]]:
    """The id and the page of each figure to move of a notebook."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    matches = [match for source in sources for match in captions.LINKED.finditer(source)]
    return [(f"figure-{match[1]}-{match[2]}", match[4]) for match in matches]


WITH_FIGURES = [path for path in NOTEBOOKS if linked(path)]


@pytest.mark.parametrize("path", WITH_FIGURES, ids=lambda path: path.stem)
def test_a_link_to_a_figures_page_is_the_figure_itself(path: Path, built: Path) -> None:
    text = (built / "notebooks" / path.with_suffix(".html").name).read_text("utf-8")
    for anchor, page in linked(path):
        number = "Figure {}.{}".format(*anchor.split("-")[1:])
        figure, after = text.split(f'id="{anchor}"')[1].split(f">{number}: </strong>")
        assert f'href="../book/{page}.html"' in after.split("</figcaption>")[0]
        own = (built / "book" / f"{page}.html").read_text("utf-8")
        element = re.split(r'<section class="(?:step|panel)', own)[1].split("</section>")[0]
        assert element in figure, f"{number} is not the figure of {page}"


def test_every_explorable_of_a_page_stands_in_a_chapter(built: Path) -> None:
    pages = {path.stem for path in (built / "book").glob("*.html") if "/explorables/" in path.read_text("utf-8")}
    pages.remove("index")  # the home page shows a small one of its own
    assert pages and pages == {page for path in WITH_FIGURES for _, page in linked(path)}


@pytest.fixture(params=WITH_FIGURES, ids=lambda path: path.stem)
def page(request: pytest.FixtureRequest, browser: Browser, address: str):
    opened = browser.new_page()
    opened.goto(f"{address}notebooks/{request.param.stem}.html")
    yield opened
    opened.close()


@pytest.mark.browser
def test_a_chapter_prints_the_still_sections_alone(page: Page) -> None:
    assert not [step for step in page.locator(f"{SECTIONS}:not(.live)").all() if step.is_visible()]
    page.emulate_media(media="print")
    still = page.locator(f"{SECTIONS}.still").all()
    assert all(step.is_visible() for step in still)
    assert not [step for step in page.locator(f"{SECTIONS}:not(.still)").all() if step.is_visible()]


@pytest.mark.browser
@pytest.mark.parametrize("path", WITH_FIGURES, ids=lambda path: path.stem)
def test_a_chapter_shows_the_still_sections_without_script(path: Path, static: Page, address: str) -> None:
    static.goto(f"{address}notebooks/{path.stem}.html")
    for figure in static.locator("figure.live-figure").all():
        shown = [step for step in figure.locator(".step, .still").all() if step.is_visible()]
        assert 1 <= len(shown) <= 2 and figure.locator("> figcaption").is_visible()


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("position-clock", {}, "there is no figure 'position-clock'; there are .*position-clocks"),
        ("position-clocks", {"small": None}, "the figure 'position-clocks' has no small form"),
    ],
)
def test_a_figure_that_cannot_be_had_is_told(name: str, options: dict[str, None], words: str) -> None:
    with pytest.raises(DirectiveError) as error:
        Explore("explorable", [name], options, StringList(), 1, 0, "", Mock(), Mock()).run()
    assert re.search(words, error.value.msg)
