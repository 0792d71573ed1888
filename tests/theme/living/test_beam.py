"""Beam search unfolding: equal to the course's; by mouse, touch and keyboard; bad input; something missing."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.living import beam, stream
from course.data import numbers_sentence
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

CHAPTER, OWN = "notebooks/06-transformer.html", "book/beam-search.html"
PARTS = ("layers", "translation", "transformer", "beam", "stream")  # what comes with the first touch
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def own(browser: Browser, address: str) -> Iterator[Page]:
    """The figure's own page, one for all tests that leave it in order."""
    opened = browser.new_page(reduced_motion="reduce")
    opened.goto(address + OWN)
    yield opened
    opened.close()


@pytest.fixture
def page(own: Page) -> Page:
    """The page as it begins, but for the model, which is there once a test has touched it."""
    field(own).fill("4, 5, 13")
    button(own, "2").click()
    button(own, "the sum").click()
    button(own, "Last").click()
    says(own, "Step 6 of 6")
    return own


def figure(page: Page) -> Locator:
    return page.locator("living-beam")


def says(page: Page, text: str) -> None:
    expect(figure(page).get_by_role("status")).to_contain_text(text, timeout=20_000)


def button(page: Page, name: str) -> Locator:
    return figure(page).get_by_role("button", name=name, exact=True)


def field(page: Page) -> Locator:
    return figure(page).get_by_label("Numbers, 1 to 999")


# ---------------------------------------------------------------- equal to the course's beam_search

SEARCH = """async cases => {
  for (const name of ["layers", "translation", "transformer", "beam"]) await living.script(name, "test");
  const file = await living.model("stream", "test"), model = living.transformer(file);
  const { bos, eos, most_words: most } = file, { sentence, english } = living.translation;
  const toItsEnd = search => { for (;;) { const { done, value } = search.next(); if (done) return value; } };
  return cases.map(([numbers, width, penalty]) => {
    const ids = [...sentence(numbers, english).map(word => file.source.indexOf(word)), eos];
    return toItsEnd(living.beamSearch(model, ids, { bos, eos, most, width, penalty, dropped: 2 }));
  });
}"""


def test_every_search_equals_the_courses(own: Page) -> None:
    model, draw = stream.from_file(), np.random.default_rng(12)
    cases = [(numbers, width, penalty) for numbers in beam.SENTENCES for width in (1, 2) for penalty in beam.PENALTIES]
    for width in range(1, 6):
        numbers = tuple(draw.integers(1, 1000, draw.integers(1, 7)).tolist())
        cases.append((numbers, width, float(draw.choice(beam.PENALTIES))))
    for case, steps in zip(cases, own.evaluate(SEARCH, cases), strict=True):
        tokens, score = beam.searched(model, *case)
        assert steps[-1][0]["tokens"] == tokens, case
        assert steps[-1][0]["score"] == pytest.approx(score, abs=TOLERANCE), case
        for made, wanted in zip(steps, beam.unfolded(model, *case), strict=True):
            assert [one["kept"] for one in made] == [one.kept for one in wanted]
            assert [one["score"] for one in made] == pytest.approx([one.score for one in wanted], abs=TOLERANCE)
            assert [one["total"] for one in made] == pytest.approx([one.total for one in wanted], abs=TOLERANCE)
            if all(one.score - other.score > 1e-3 for one, other in pairwise(wanted)):  # of equals, any
                assert [(one["tokens"], one["parent"]) for one in made] == [(one.tokens, one.parent) for one in wanted]


def test_the_still_picture_is_the_live_one(page: Page) -> None:
    state = """part => [part.textContent.replace(/\\s+/g, ''), part.querySelector('svg').getAttribute('viewBox'),
      part.querySelector('svg').getAttribute('aria-label'),
      ...[...part.querySelectorAll('svg :is(path, g)')].map(one => one.getAttribute('class') + one.getAttribute('d')
        + one.getAttribute('transform'))]"""
    wanted = figure(page).locator(".still").evaluate(state)
    button(page, "Back").click()
    assert figure(page).locator(".live").evaluate(state) != wanted and not figure(page).locator(".still").is_visible()
    button(page, "Next").click()
    assert figure(page).locator(".live").evaluate(state) == wanted


# ---------------------------------------------------------------- operated


def test_nothing_is_fetched_before_the_first_touch_and_the_weights_once(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    names = requested(page)
    page.goto(address + CHAPTER)
    figure(page).scroll_into_view_if_needed()
    assert "living-beam" in names and not set(PARTS) & set(names)
    button(page, "Last").click()
    says(page, "Step 6 of 6")
    page.locator("living-stream .words button").first.click()  # the chapter's other figure of the same model
    expect(page.locator("living-stream").get_by_role("status")).to_contain_text("“drei”", timeout=20_000)
    assert all(names.count(part) == 1 for part in PARTS)
    page.close()


@pytest.mark.parametrize(
    ("sentence", "width", "score", "greedy", "beam"),
    [
        ("4, 5, 13", "2", "the sum", "2 of 5 words wrong", "all right"),
        ("4, 5, 13", "1", "the mean", "2 of 5 words wrong", "2 of 5 words wrong"),
        ("20, 10, 16", "2", "the sum", "all right", "2 missing at the end"),
        ("20, 10, 16", "2", "the mean", "all right", "all right"),
        ("90, 20, 4", "2", "the mean", "all right", "2 of 7 words wrong"),
    ],
)
def test_what_each_sentence_was_picked_for(
    page: Page, sentence: str, width: str, score: str, greedy: str, beam: str
) -> None:
    for name in (sentence, width, score):
        button(page, name).click()
    says(page, f"Scored by {score} of the log-probabilities. Greedy: {greedy}. Beam of {width}: {beam}.")
    assert all(button(page, name).get_attribute("aria-pressed") == "true" for name in (width, score))
    verdicts = figure(page).locator(".live .verdict").all_inner_texts()
    assert verdicts == [f"{greedy}.", f"{beam}."]


def test_step_by_step_by_keyboard(page: Page) -> None:
    field(page).fill("321")
    says(page, "Greedy: all right. Beam of 2: all right. 6 steps.")
    walk = figure(page).get_by_label("Step", exact=True)
    walk.focus()
    page.keyboard.press("Home")
    says(page, "Step 1 of 6: kept “drei”")
    page.keyboard.press("ArrowRight")
    says(page, "Step 2 of 6: kept “drei hundert”")
    told = figure(page).get_by_role("status").inner_text()
    assert walk.get_attribute("aria-valuetext") == told and "; dropped “" in told
    assert figure(page).locator(".live tbody tr.kept").count() == 2
    assert figure(page).locator(".live tbody tr.dropped td:last-child").all_inner_texts() == [
        "dropped: place 3, 2 kept",
        "dropped: place 4, 2 kept",
    ]
    right = [*numbers_sentence((321,)).target, "end"]
    page.keyboard.press("End")
    says(page, "Step 6 of 6: kept “" + " ".join(right) + "”")


def test_by_touch_at_320_pixels(phone: Page, address: str) -> None:
    phone.goto(address + OWN)
    button(phone, "20, 10, 16").tap()
    says(phone, "Beam of 2: 2 missing at the end.")
    button(phone, "First").tap()
    says(phone, "Step 1 of 6: kept “zwanzig”")
    assert overflow(phone) == 0


def test_what_is_no_number_gets_a_sentence(page: Page) -> None:
    for text, answer in (
        ("", "Type a number from 1 to 999"),
        ("1000", "“1000” is out of range"),
        ("🎲", "“🎲” is no whole number in digits."),
        ("<b>7</b>", "“<b>7</b>” is no whole number in digits."),
        ("1 2 3 4 5 6 7", "These are 7 numbers; the figure takes 6 at most."),
    ):
        field(page).fill(text)
        says(page, answer)
        assert field(page).get_attribute("aria-invalid") == "true"
        assert figure(page).locator(".live .source").inner_text() == "four , five , thirteen end"


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(browser: Browser, address: str, trouble: Trouble) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto(address + OWN)
    page.route("**/stream.js*", trouble)
    button(page, "Back").click()
    says(page, "The model’s weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/stream.js*")
    button(page, "20, 10, 16").click()
    says(page, "Greedy: all right.")
    page.emulate_media(media="print")
    assert only_still(figure(page))
    page.close()


def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator(".still svg").is_visible() and figure(static).locator(".still tbody tr").count() == 4
    assert figure(static).locator(".measured td").count() == 20 and figure(static).locator(".controls").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_it_runs_from_a_folder(browser: Browser, built: Path, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto((built / OWN).as_uri())
    button(page, "5").click()
    says(page, "Beam of 5: all right.")
    assert violations(page, "living-beam") == []
    page.close()
