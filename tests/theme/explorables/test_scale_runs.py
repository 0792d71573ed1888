"""The scale experiment's runs to scrub through: the records as they are; by mouse, keyboard and touch."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from course import committed
from course.figures import scale_runs
from tests.browser import overflow, violations

ROOT = Path(__file__).resolve().parents[3]
OWN, CHAPTER = "book/scale-runs.html", "notebooks/04-dot-product.html"
STATE = """part => [
  ...[...part.querySelectorAll('.title, th, td')].map(one => one.textContent),
  ...[...part.querySelectorAll('.lane, .others, circle')].map(one =>
    ['class', 'd', 'cx', 'cy'].map(name => one.getAttribute(name)).join()),
]"""
MILLISECONDS = """figure => {
  const slider = figure.querySelector('label:not([hidden]) input'), times = [];
  for (let i = 0; i < 40; i++) {
    const before = performance.now();
    slider.value = i % 5;
    slider.dispatchEvent(new Event('input'));
    figure.getBoundingClientRect();
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[20];
}"""


def shares(view: int, scale: str, value: str) -> list[float]:
    """The seeds' shares of a view at a value of its slider."""
    held = scale_runs.views()[view]
    found = held.shares[list(scale_runs.NAMES).index(scale)]
    assert found is not None
    return found[held.values.index(value)]


# ---------------------------------------------------------------- what was measured


def test_every_record_is_in_the_figure_once() -> None:
    for view, (name, along) in enumerate(((scale_runs.BY_STEP, "step"), (scale_runs.BY_RATE, "learning_rate"))):
        records, seeds = committed.read(name)["records"], committed.read(name)["seeds"]
        for r in records:
            value = scale_runs.decimal(r[along]) if along == "learning_rate" else str(r[along])
            assert shares(view, r["scale"], value)[seeds.index(r["seed"])] == r["accuracy"]
        held = [three for places in scale_runs.views()[view].shares for three in places or []]
        assert sum(map(len, held)) == len(records)


def test_both_views_have_the_same_runs_where_they_meet() -> None:
    for scale in list(scale_runs.NAMES)[:4]:
        assert shares(0, scale, "100") == shares(1, scale, "0.001")


def test_what_the_page_says() -> None:
    said = (ROOT / "book" / "scale-runs.md").read_text("utf-8")
    by_step, by_rate = scale_runs.views()
    for step in by_step.values:
        one, root, whole = (shares(0, scale, step) for scale in ("1", "1/sqrt(d)", "1/d"))
        assert all(a < b for a, b in zip(one, root, strict=True))
        assert all(a <= b for a, b in zip(root, whole, strict=True)) or min(whole) > 0.9995 - 1e-9
        control = shares(0, "1, smaller start and steps", step)
        assert all(abs(a - b) < 0.0105 for a, b in zip(control, root, strict=True))
    assert min(shares(0, "1/d", "20")) == 0.9975
    means = {rate: scale_runs.mean(shares(1, "1", rate)) for rate in by_rate.values}
    assert sorted(means, key=lambda rate: means[rate])[-2:] in (["0.0001", "0.0003"], ["0.0003", "0.0001"])
    assert {f"{means[rate]:.2f}" for rate in ("0.0001", "0.0003")} == {"0.88"}
    assert max(max(shares(1, "1", rate)) for rate in by_rate.values) < 0.98
    for rate in by_rate.values[:3]:
        assert shares(1, "1, smaller start", rate) == [1, 1, 1]
    scales = list(scale_runs.NAMES)[:4]
    first = {scale: scale_runs.mean(shares(1, scale, "0.00001")) for scale in scales}
    at = {scale: scale_runs.mean(shares(1, scale, "0.003")) for scale in scales}
    assert max(first, key=lambda scale: first[scale]) == "1, smaller start"
    assert min(first, key=lambda scale: first[scale]) == "1/d" and f"{first['1/d']:.2f}" == "0.26"
    assert at["1/d"] > 0.99 and f"{at['1, smaller start']:.2f}" == "0.33"
    assert shares(1, "1", "0.0001") == [0.9685, 0.8325, 0.824]
    for number in ("0.9975", "0.88", "0.98", "0.26", "0.33", "0.9685, 0.8325 and 0.8240"):
        assert number in said


# ---------------------------------------------------------------- operated


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 1400}, reduced_motion="reduce")
    opened.goto(address + OWN)
    yield opened
    opened.close()


def figure(page: Page) -> Locator:
    return page.locator("scale-runs")


def go_through(page: Page, view: int) -> Locator:
    """Choose a view; its slider."""
    held = scale_runs.views()[view]
    figure(page).get_by_role("button", name=held.name).click()
    return figure(page).get_by_role("slider", name=held.slider)


@pytest.mark.browser
def test_every_place_says_what_was_measured_and_the_stills_are_two_of_them(page: Page) -> None:
    stills = figure(page).locator(".still .step")
    assert stills.count() == len(scale_runs.STILLS) and not stills.first.is_visible()
    live = figure(page).locator("> .live")
    for i, view in enumerate(scale_runs.views()):
        slider = go_through(page, i)
        assert figure(page).get_by_role("slider").count() == 1, "the other view's slider is gone"
        for at, value in enumerate(view.values):
            slider.fill(str(at))
            made = scale_runs.section(view, at)
            assert figure(page).get_by_role("status").inner_text() == made["says"]
            assert slider.get_attribute("aria-valuetext") == value
            cells = [text for text in live.locator("td:not(:nth-child(2))").all_text_contents() if text]
            assert cells == [cell for lane in made["lanes"] for cell in lane["cells"]]
            for lane, wanted in zip(live.locator(".lane").all(), made["lanes"], strict=True):
                dots = lane.locator("circle").all()
                if wanted["seeds"] is None:
                    assert not any(dot.is_visible() for dot in dots)
                    continue
                places = [float(dot.get_attribute("cx") or "nan") for dot in dots]
                assert places == pytest.approx(wanted["seeds"], abs=0.051)
            if (i, at) in scale_runs.STILLS:
                still = stills.nth(scale_runs.STILLS.index((i, at)))
                assert live.evaluate(STATE) == still.evaluate(STATE)
                assert still.locator(".told").text_content() == made["says"]


@pytest.mark.browser
def test_by_keyboard_and_by_mouse(page: Page) -> None:
    by_step, by_rate = scale_runs.views()
    told = figure(page).get_by_role("status")
    go_through(page, 0).focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(told).to_have_text(scale_runs.section(by_step, 1)["says"])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")  # the button of the other view
    assert figure(page).get_by_role("button", name=by_rate.name).get_attribute("aria-pressed") == "true"
    slider = figure(page).get_by_role("slider", name=by_rate.slider)
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 20, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    expect(told).to_have_text(scale_runs.section(by_rate, 6)["says"])
    go_through(page, 0)
    expect(told).to_have_text(scale_runs.section(by_step, 1)["says"])
    assert figure(page).evaluate(MILLISECONDS) < 50


@pytest.mark.browser
def test_by_touch_at_320_pixels_in_the_chapter_and_on_paper(phone: Page, address: str) -> None:
    phone.goto(address + CHAPTER)
    by_rate = scale_runs.views()[1]
    figure(phone).get_by_role("button", name=by_rate.name).tap()
    slider = figure(phone).get_by_role("slider", name=by_rate.slider)
    slider.tap()  # its middle
    expect(figure(phone).get_by_role("status")).to_have_text(scale_runs.section(by_rate, 3)["says"])
    assert overflow(phone) == 0
    phone.emulate_media(media="print")
    assert figure(phone).locator(".told").first.is_visible() and not slider.is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    assert violations(page, "scale-runs") == []


@pytest.mark.browser
def test_whole_without_script(static: Page, address: str) -> None:
    for path, second in ((OWN, True), (CHAPTER, False)):
        static.goto(address + path)
        steps = figure(static).locator(".step").all()
        assert [step.is_visible() for step in steps] == [True, second] and figure(static).locator("input").count() == 0
