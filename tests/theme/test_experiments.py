"""Experiments are cards: what they took, what they ask, their code folded; no word of the text is lost or moved."""

import json
import re
from pathlib import Path

import pytest
from docutils import nodes
from lxml import html
from playwright.sync_api import Page

from course import committed
from theme import experiments
from theme.notebooks import paths

NOTEBOOKS = paths()
CHAPTER = "notebooks/04-dot-product.html"


def cell(source: str, *tags: str, graded: bool = False) -> nodes.container:
    metadata = {"tags": list(tags)} | ({"nbgrader": {}} if graded else {})
    block = nodes.literal_block("", source)
    return nodes.container("", block, nb_element="cell_code", cell_metadata=metadata)


def test_the_question_is_the_last_that_asks_and_what_stands_around_it_stays() -> None:
    paragraph = nodes.paragraph("", "One line. ", nodes.emphasis("", "Which? Why?"))
    paragraph += nodes.Text(" (Two lines.) A blind guess is a fifth. Is it so? Guess both: a, b. Look.")
    before, question, after = (" ".join(map(experiments.said, part)) for part in experiments.divided(paragraph))
    assert (before, question, after) == (
        "One line. Which? Why? (Two lines.) A blind guess is a fifth.",
        "Is it so? Guess both: a, b.",
        "Look.",
    )
    assert experiments.divided(nodes.paragraph("", "No question.")) == ([], [], [])


def test_an_experiment_trains_or_reads_kept_results_and_is_guessed() -> None:
    assert experiments.is_experiment(cell("fit()", "guess", "skip-execution"))
    assert experiments.is_experiment(cell('r = committed_results("vit_bias")["records"]', "guess"))
    assert not experiments.is_experiment(cell("1 + 1", "guess"))
    assert not experiments.is_experiment(cell("fit()", "skip-execution"))
    asks, run, answer = nodes.paragraph("", "Which?"), cell("fit()", "guess", "skip-execution"), cell("", graded=True)
    section = nodes.section("", nodes.title("", "1"), asks, cell("1"), run, answer, cell("2"))
    assert [(before, len(cells)) for before, cells in experiments.runs(section)] == [([asks], 2)]


def test_what_it_took_is_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = committed.read("vit_bias")
    said = experiments.took([cell('committed_results("vit_bias")')])
    assert f"{len(kept['seeds'])} seeds" in said and experiments.span(kept["seconds"]) in said
    assert experiments.took([cell("1")]) == ""
    monkeypatch.setattr(experiments, "seconds", lambda: {committed.digest("fit()"): 4.2, committed.digest("1"): 0.1})
    assert experiments.took([cell("fit()"), cell("1")]) == " <span>4 s in the notebook</span>"
    assert experiments.took([cell("1")]) == " <span>less than a second in the notebook</span>"
    assert [experiments.span(seconds) for seconds in (41.7, 754, 9000)] == ["42 s", "13 min", "2.5 h"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_chapters_experiments_are_cards_with_their_code_folded(built: Path, path: Path) -> None:
    page = html.parse(built / "notebooks" / f"{path.stem}.html").getroot()
    cards = page.find_class("experiment")
    assert cards, path.stem
    prose = " ".join(
        " ".join("".join(c["source"]).split())
        for c in json.loads(path.read_text("utf-8"))["cells"]
        if c["cell_type"] == "markdown"
    )
    plain = re.sub(r"\W|_", "", re.sub(r"\$[^$]*\$|\]\([^)]*\)", "", prose))
    for card in cards:
        (asks,) = card.find_class("experiment-asks")
        for twice in asks.xpath(".//*[contains(@class, 'katex')]"):
            twice.drop_tree()
        words = [re.sub(r"\W|_", "", piece) for piece in asks.itertext()]
        assert all(word in plain for word in words), asks.text_content()
        found = card.xpath("./div[contains(@class, 'cell')]")
        folded = card.xpath("./div[contains(@class, 'cell')]/details[contains(@class, 'hide')]")
        assert found and len(found) == len(folded) and not card.xpath(".//*[contains(@class, 'exercise-')]")


@pytest.mark.browser
def test_code_and_result_of_an_experiment_open_without_a_script(static: Page, address: str) -> None:
    static.set_viewport_size({"width": 390, "height": 800})
    static.goto(address + CHAPTER)
    card = static.locator(".experiment:has(details.guess table)").first
    code, result = card.locator("details.hide pre").first, card.locator("details.guess table").first
    assert not code.is_visible() and not result.is_visible()
    for summary in (card.locator("details.hide > summary").first, card.locator("details.guess > summary").first):
        summary.press("Enter")
    assert code.is_visible() and result.is_visible()
    assert static.evaluate("document.documentElement.scrollWidth") <= 390
