"""The roofline from data sheets: the bound that holds, by every way of moving the intensity."""

import math

import pytest
from playwright.sync_api import Browser, Locator, Page

from course.data_sheets import CARDS
from course.figures import roofline

PAGE = "notebooks/09-cuda.html"
FIGURE = "roof-line"
BOX = (roofline.LEFT, roofline.TOP, roofline.WIDTH, roofline.HEIGHT)
MILLISECONDS = """(element) => {
  const range = element.querySelector('input[type=range]'), times = [];
  for (let i = 0; i < 40; i++) {
    const before = performance.now();
    range.value = i / 4;
    range.dispatchEvent(new Event('input'));
    element.getBoundingClientRect();
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[20];
}"""


def test_below_the_bend_memory_holds_and_above_it_the_peak() -> None:
    card = CARDS["a100"]
    bend = 312e12 / 1555e9
    assert roofline.attainable(card, "bfloat16", 1.0) == 1555e9
    assert roofline.attainable(card, "bfloat16", 2 * bend) == 312e12
    assert "memory-bound" in roofline.sentence(card, "bfloat16", 0.99 * bend)
    assert "compute-bound" in roofline.sentence(card, "bfloat16", 1.01 * bend)
    assert "has no units for bfloat16" in roofline.sentence(CARDS["t4"], "bfloat16", 1.0)
    assert roofline.attainable(CARDS["t4"], "bfloat16", 4096) == CARDS["t4"].peaks["float32"]


def test_the_kinds_of_work_are_counted_as_chapter_09_counts_them() -> None:
    one, vector, norm, linear = roofline.WORKS
    assert (one.intensity("float32"), norm.intensity("bfloat16")) == (1 / 8, 2)
    assert vector.intensity("bfloat16") == pytest.approx(1, rel=1e-3)
    rows, columns = 8192, 768
    moved = 2 * (rows * columns + columns * 3072 + rows * 3072)
    assert linear.intensity("bfloat16") == pytest.approx(2 * rows * columns * 3072 / moved)


def test_what_the_page_says_of_the_cards() -> None:
    linear = roofline.WORKS[-1]
    for card in CARDS.values():
        for format in roofline.FORMATS:
            assert roofline.attainable(card, format, linear.intensity(format)) == card.peak(format)
        assert roofline.attainable(card, "float16", 1.0) < 0.01 * card.peak("float16")
    h100, h200 = CARDS["h100"], CARDS["h200"]
    assert h100.peaks == h200.peaks and h100.bandwidth < h200.bandwidth


def test_everything_lies_within_the_axes() -> None:
    left, top, width, height = BOX
    for card in CARDS.values():
        for format in roofline.FORMATS:
            drawn = roofline.drawing(card, format, 1.0)
            for _, x, y in drawn["works"]:  # type: ignore[attr-defined]
                assert left <= x <= left + width and top <= y <= top + height


@pytest.fixture
def page(browser: Browser, address: str):
    opened = browser.new_page(viewport={"width": 1280, "height": 1400})
    opened.goto(address + PAGE)
    opened.locator(FIGURE).scroll_into_view_if_needed()
    yield opened
    opened.close()


def says(page: Page, words: str) -> None:
    page.locator(FIGURE).get_by_role("status").get_by_text(words).wait_for(timeout=5000)


def intensity(page: Page) -> Locator:
    return page.locator(FIGURE).get_by_role("slider", name="Operations per byte")


@pytest.mark.browser
def test_the_script_computes_what_the_data_sheets_give(page: Page) -> None:
    call = f"""([card, format, intensity]) => {{
      const data = JSON.parse(document.querySelector('{FIGURE}').dataset.start);
      return customElements.get('{FIGURE}').attainable(data.cards[card], format, intensity);
    }}"""
    for index, card in enumerate(CARDS.values()):
        for format in roofline.FORMATS:
            for power in (-3.0, 0.3, 5.5, 7.9, 12.0):
                found = page.evaluate(call, [index, format, 2**power])
                assert found["rate"] == pytest.approx(roofline.attainable(card, format, 2**power), rel=1e-12)


@pytest.mark.browser
def test_the_script_begins_where_the_still_picture_stands(page: Page, static: Page, address: str) -> None:
    key, format, at = roofline.START
    page.wait_for_timeout(300)
    says(page, roofline.sentence(CARDS[key], format, at))
    static.goto(address + PAGE)
    assert static.locator(f"{FIGURE} svg").is_visible() and static.locator(f"{FIGURE} fieldset").count() == 0
    assert static.locator(f"{FIGURE} .says").inner_text() == roofline.sentence(CARDS[key], format, at)
    places = "elements => elements.map(element => element.getAttribute('transform').match(/[\\d.]+/g).map(Number))"
    before = static.locator(f"{FIGURE} g").evaluate_all(places)
    after = page.locator(f"{FIGURE} g").evaluate_all(places)
    assert len(before) == 5 and all(math.dist(a, b) < 0.1 for a, b in zip(before, after, strict=True))


@pytest.mark.browser
def test_card_format_work_and_intensity_by_keyboard(page: Page) -> None:
    figure = page.locator(FIGURE)
    figure.get_by_role("radio", name="NVIDIA A100-SXM4-40GB").focus()
    page.keyboard.press("ArrowRight")
    says(page, roofline.sentence(CARDS["a100-80gb"], "bfloat16", 1.0))
    figure.get_by_role("radio", name="bfloat16").focus()
    page.keyboard.press("ArrowLeft")
    says(page, roofline.sentence(CARDS["a100-80gb"], "float16", 1.0))
    linear = roofline.WORKS[-1]
    figure.get_by_role("button", name=linear.name).focus()
    page.keyboard.press("Enter")
    says(page, roofline.sentence(CARDS["a100-80gb"], "float16", linear.intensity("float16")))
    intensity(page).focus()
    page.keyboard.press("Home")
    says(page, roofline.sentence(CARDS["a100-80gb"], "float16", 1 / 8))
    assert intensity(page).get_attribute("aria-valuetext") == "0.125 operations per byte"
    assert "memory-bound" in (figure.locator("svg").get_attribute("aria-label") or "")


def across(page: Page, power: float) -> tuple[float, float]:
    """Where in the window an intensity lies: 2 to a power, and the middle of the drawing."""
    box = page.locator(f"{FIGURE} svg").bounding_box()
    assert box is not None
    left, _, width, _ = BOX
    low, high = roofline.INTENSITIES
    x = left + width * (power - low) / (high - low)
    return box["x"] + box["width"] * x / 340, box["y"] + box["height"] / 2


@pytest.mark.browser
def test_the_mouse_drags_the_intensity_across_the_bend(page: Page) -> None:
    page.mouse.move(*across(page, 0))
    page.mouse.down()
    page.mouse.move(*across(page, 10), steps=5)
    says(page, "compute-bound, at most 312 trillion operations a second, 100% of the peak")
    page.mouse.move(*across(page, 4), steps=5)
    page.mouse.up()
    says(page, "memory-bound")
    assert math.log2(float((intensity(page).get_attribute("aria-valuetext") or "").split()[0])) == pytest.approx(
        4, abs=0.1
    )


@pytest.mark.browser
def test_a_finger_drags_it_on_a_small_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address + PAGE)
    page.evaluate(f"document.querySelector('{FIGURE} svg').scrollIntoView({{ block: 'center' }})")
    session = context.new_cdp_session(page)
    for kind, power in (("touchStart", 1), ("touchMove", 5), ("touchMove", 10), ("touchEnd", None)):
        points = [] if power is None else [dict(zip("xy", across(page, power), strict=True))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    says(page, "compute-bound")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()


@pytest.mark.browser
def test_it_answers_at_once_and_prints_without_controls(page: Page) -> None:
    assert page.locator(FIGURE).evaluate(MILLISECONDS) < 50
    page.emulate_media(media="print")
    assert page.locator(f"{FIGURE} svg").is_visible() and page.locator(f"{FIGURE} .says").is_visible()
    controls = page.locator(f"{FIGURE} fieldset").all()
    assert controls and not any(control.is_visible() for control in controls)
