"""The figure that walks through attention: right in its numbers, by keyboard, without script and on paper."""

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from course.figures.attention_step import DECODER, ENCODER, SOURCE, TARGET, attend, steps
from course.figures.drawn import number, vector

PAGE = "book/attention-step.html"


def test_weights_sum_to_one_and_blend_the_states() -> None:
    scores, weights, contexts = attend(DECODER, ENCODER)
    assert np.allclose(weights.sum(1), 1)
    for t in range(len(TARGET)):
        by_hand = [np.exp(scores[t, j]) for j in range(len(SOURCE))]
        assert np.allclose(weights[t], np.array(by_hand) / sum(by_hand))
        assert np.allclose(contexts[t], sum(weights[t, j] * ENCODER[j] for j in range(len(SOURCE))))


def test_each_word_looks_at_its_own() -> None:
    assert [step["top"]["word"] for step in steps()] == ["she", "has", "the", "book", "read"]


def test_numbers_have_true_minus_signs_and_no_minus_zero() -> None:
    assert number(-1.234) == "\N{MINUS SIGN}1.23"
    assert number(-0.001) == "0.00"
    assert vector([0.1, -1.6]) == "(0.1, \N{MINUS SIGN}1.6)"


@pytest.fixture
def page(browser: Browser, address: str):
    opened = browser.new_page()
    opened.goto(address + PAGE)
    yield opened
    opened.close()


def weights_shown(page: Page) -> list[float]:
    return [float(text) for text in page.locator("attention-step .live td.weight").all_inner_texts()]


@pytest.mark.browser
def test_arrow_keys_walk_through_the_words(page: Page) -> None:
    words = page.get_by_role("group", name="Word to write")
    words.get_by_role("radio", name="sie").focus()
    _, weights, _ = attend(DECODER, ENCODER)
    for t, word in enumerate(TARGET):
        if t:
            page.keyboard.press("ArrowRight")
        assert page.locator("attention-step .live .asks b").inner_text() == word
        assert np.allclose(weights_shown(page), weights[t], atol=0.0051)
        assert f"For {word}," in page.get_by_role("status").inner_text()


@pytest.mark.browser
def test_stages_hide_what_is_not_yet_computed(page: Page) -> None:
    live = page.locator("attention-step .live")
    show = page.get_by_role("group", name="Show")
    show.get_by_role("radio", name="weights").focus()
    page.keyboard.press("Space")
    assert live.locator("td.weight").first.is_visible() and not live.locator("td.blend").first.is_visible()
    page.keyboard.press("ArrowLeft")
    assert live.locator("td.score").first.is_visible() and not live.locator("td.weight").first.is_visible()
    page.keyboard.press("ArrowLeft")
    assert not live.locator("td.score").first.is_visible()


@pytest.mark.browser
def test_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + PAGE)
    assert static.locator("attention-step .step").count() == len(TARGET)
    assert all(step.is_visible() for step in static.locator("attention-step .step").all())


@pytest.mark.browser
def test_every_step_on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    assert [step.is_visible() for step in page.locator("attention-step .step:not(.live)").all()] == [True] * len(TARGET)
    assert not page.locator("attention-step .live").is_visible()
    assert not page.get_by_role("group", name="Show").is_visible()


@pytest.mark.browser
def test_loaded_only_where_it_is_shown(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address + "book/glossary.html")
    fetched = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert fetched and not [url for url in fetched if "/explorables/" in url]
    page.close()
