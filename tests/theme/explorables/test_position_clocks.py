"""Positions as clocks: the chapter's encoding; by mouse, keyboard and touch; without script and on paper."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from course.figures import position_clocks
from solutions.multi_head import sinusoidal_encoding
from tests.browser import overflow, violations

OWN, CHAPTER = "book/position-clocks.html", "notebooks/05-multi-head.html"
CLOCKS = """part => [part.querySelector('.title').textContent, ...[...part.querySelectorAll('figure')].map(clock =>
  [clock.textContent, ...clock.querySelectorAll('svg, .arc, line')].map(one => one.outerHTML ?? one).join())]"""


def test_hands_turns_and_products_are_those_of_chapter_05() -> None:
    encoding = sinusoidal_encoding(position_clocks.LAST + position_clocks.FARTHEST + 1, position_clocks.D_MODEL)
    for t, offset in [*position_clocks.STILLS, (0, 0), (60, 12), (41, 7)]:
        made = position_clocks.section(t, offset)
        for end, at in (("before", t), ("after", t + offset)):
            numbers = np.concatenate([clock[end] for clock in made["clocks"]])
            assert np.allclose(numbers, encoding[at, : len(numbers)], atol=1e-5)
        product = (encoding[t] @ encoding[t + offset]).item()
        (said,) = re.findall(r"encodings is (\S+)\. ", made["says"])
        assert float(said.replace("−", "-")) == pytest.approx(product, abs=0.006)


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    opened = browser.new_page(reduced_motion="reduce")
    opened.goto(address + OWN)
    yield opened
    opened.close()


def slider(page: Page, name: str) -> Locator:
    return page.locator("position-clocks").get_by_role("slider", name=name)


@pytest.mark.browser
def test_the_live_figure_is_the_still_pictures_and_says_the_same(page: Page) -> None:
    stills = page.locator("position-clocks .still .step")
    assert stills.count() == len(position_clocks.STILLS) and not stills.first.is_visible()
    for still, (t, offset) in zip(stills.all(), position_clocks.STILLS, strict=True):
        slider(page, "From position").fill(str(t))
        slider(page, "Offset").fill(str(offset))
        live = page.locator("position-clocks > .live")
        assert live.evaluate(CLOCKS) == still.evaluate(CLOCKS)
        said = page.locator("position-clocks").get_by_role("status").inner_text()
        assert said == still.locator(".told").text_content() == position_clocks.section(t, offset)["says"]


@pytest.mark.browser
def test_by_keyboard_the_position_changes_neither_turn_nor_product(page: Page) -> None:
    told = page.locator("position-clocks").get_by_role("status")
    slider(page, "Offset").fill("2")
    slider(page, "From position").focus()
    page.keyboard.press("Home")
    expect(told).to_contain_text("From position 0 to 2 the hands turn by 114.6, 36.2, 11.5 and 3.6 degrees.")
    page.keyboard.press("End")
    expect(told).to_contain_text("From position 60 to 62 the hands turn by 114.6, 36.2, 11.5 and 3.6 degrees.")
    assert slider(page, "From position").get_attribute("aria-valuetext") == "From position 60 to 62"
    expect(told).to_contain_text(" encodings is 6.37. ")


@pytest.mark.browser
def test_by_touch_at_320_pixels_in_the_chapter(phone: Page, address: str) -> None:
    phone.goto(address + CHAPTER)
    box = slider(phone, "From position")
    box.scroll_into_view_if_needed()
    box.tap()  # its middle
    expect(phone.locator("position-clocks").get_by_role("status")).to_contain_text("From position 30 to 31")
    assert overflow(phone) == 0
    phone.emulate_media(media="print")
    assert phone.locator("position-clocks .told").first.is_visible() and not box.is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    assert violations(page, "position-clocks") == []


@pytest.mark.browser
def test_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + OWN)
    stills = static.locator("position-clocks .step").all()
    assert [still.is_visible() for still in stills] == [True] * len(position_clocks.STILLS)
