"""A training step as a timeline: the model of time, what its page says of it, and the script's equal."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from course.figures import step_timeline
from course.figures.step_timeline import BACKWARD, DELAY, FORWARD, MICRO_BATCHES, percent, step
from tests.browser import overflow, violations

CHAPTER, OWN = "notebooks/10-scale.html", "book/step-timeline.html"
BUCKETS = range(1, step_timeline.BUCKETS + 1)
NETWORKS = [tenths / 10 for tenths in range(1, 21)]
SETTINGS = list(itertools.product(MICRO_BATCHES, BUCKETS, NETWORKS, (True, False)))
MILLISECONDS = """figure => {
  const range = figure.querySelector('input[type=range]'), times = [];
  for (let i = 0; i < 40; i++) {
    const before = performance.now();
    range.value = 1 + i % 16;
    range.dispatchEvent(new Event('input'));
    figure.getBoundingClientRect();
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[20];
}"""


# ---------------------------------------------------------------- the model of time


def overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    return max(0.0, min(sum(one), sum(other)) - max(one[0], other[0]))


def test_in_every_setting_spans_follow_one_another_and_their_sums_agree() -> None:
    for micro_batches, buckets, network, every in SETTINGS:
        made = step(micro_batches, buckets, network, every)
        assert all(span > 0 for _, span in made.waits)  # the last bucket is full only when the backward pass ends
        computing = sorted([*made.forward, *made.backward, *made.waits])
        for lane in (computing, made.exchanges):
            assert all(sum(one) <= after[0] + 1e-9 for one, after in itertools.pairwise(lane))
        assert sum(span for _, span in computing) == pytest.approx(made.length)
        sent = micro_batches if every else 1
        busy = sum(span for _, span in made.exchanges)
        assert len(made.exchanges) == sent * buckets and busy == pytest.approx(sent * (network + buckets * DELAY))
        assert made.waited + made.rate == pytest.approx(1)
        hidden = sum(overlap(span, sent) for span in made.forward + made.backward for sent in made.exchanges)
        assert made.hidden == pytest.approx(hidden / busy)
        assert micro_batches * (FORWARD + BACKWARD) < made.length
        assert made.length <= step_timeline.longest(micro_batches, network) + 1e-9


def test_a_bucket_is_sent_once_it_is_full_and_the_network_is_free() -> None:
    made = step(1, 4, 1.0, every=True)
    full = [FORWARD + BACKWARD * share for share in (0.25, 0.5, 0.75, 1.0)]
    assert made.exchanges[0][0] == full[0]
    for (begins, _), filled, before in zip(made.exchanges[1:], full[1:], made.exchanges, strict=False):
        assert begins == max(filled, sum(before))
    fast = step(1, 4, 0.1, every=True)
    assert [begins for begins, _ in fast.exchanges] == full


# ---------------------------------------------------------------- what the page says


def waited(buckets: int, network: float, micro_batches: int = 1, every: bool = True) -> str:
    return percent(step(micro_batches, buckets, network, every).waited)


def best(network: float) -> int:
    """The number of buckets with the shortest wait."""
    return min(BUCKETS, key=lambda buckets: step(1, buckets, network, True).waited)


def test_one_bucket_hides_nothing() -> None:
    for micro_batches, network, every in itertools.product(MICRO_BATCHES, NETWORKS, (True, False)):
        assert abs(step(micro_batches, 1, network, every).hidden) < 1e-9


def test_the_last_bucket_is_never_hidden_and_smaller_ones_leave_less_to_wait_for() -> None:
    assert [waited(buckets, 0.5) for buckets in (1, 4, 16)] == ["26%", "9%", "3%"]
    for micro_batches, buckets, network, every in SETTINGS:
        made = step(micro_batches, buckets, network, every)
        assert made.waits[-1][1] >= made.exchanges[-1][1] - 1e-9


def test_too_many_buckets_cost_more_than_they_hide() -> None:
    assert [waited(buckets, 1.0) for buckets in (1, 7, 16)] == ["40%", "16%", "20%"]
    assert best(1.0) == 7 and best(0.5) == 16
    assert all(best(slower) <= best(network) for network, slower in itertools.pairwise(NETWORKS))


def test_a_network_slower_than_the_backward_pass_cannot_be_hidden() -> None:
    for _, buckets, network, every in SETTINGS:
        assert step(1, buckets, network, every).waits[-1][1] > network - BACKWARD
    assert min((step(1, buckets, 2.0, True).waited, waited(buckets, 2.0)) for buckets in BUCKETS)[1] == "46%"


def test_more_micro_batches_alone_save_nothing() -> None:
    for micro_batches, buckets, network in itertools.product(MICRO_BATCHES, BUCKETS, NETWORKS):
        every, one = (step(count, buckets, network, True).waited for count in (micro_batches, 1))
        assert every == pytest.approx(one)
    assert [waited(4, 1.0, 1), waited(4, 1.0, 8), waited(4, 1.0, 8, every=False)] == ["18%", "18%", "3%"]


# ---------------------------------------------------------------- operated


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The figure's own page, one for all tests that leave it in order."""
    opened = browser.new_page(viewport={"width": 1280, "height": 1400}, reduced_motion="reduce")
    opened.goto(address + OWN)
    yield opened
    opened.close()


def figure(page: Page) -> Locator:
    return page.locator("step-timeline")


def slider(page: Page, name: str) -> Locator:
    return figure(page).get_by_role("slider", name=name, exact=True)


def says(page: Page, setting: tuple[int, int, float, bool]) -> None:
    expect(figure(page).get_by_role("status")).to_have_text(step_timeline.sentence(*setting))
    facts = [value for _, value in step_timeline.facts(step(*setting))]
    assert figure(page).locator("td").all_inner_texts() == facts


NUMBERS = r"""svg => [...svg.querySelectorAll('path:not(.axis), .ticks text')].map(part =>
  [part.getAttribute('class'), (part.getAttribute('d') ?? part.getAttribute('x') + ' ' + part.textContent)])"""


@pytest.mark.browser
def test_the_script_computes_what_python_does(page: Page) -> None:
    found = page.evaluate(
        """settings => {
          const figure = document.querySelector('step-timeline');
          return settings.map(([micro, buckets, network, every]) => {
            const made = figure.constructor.step(figure.data.model, micro, buckets, network, every);
            const spans = [made.forward, made.backward, made.waits, made.exchange];
            return [made.length, made.waited, made.rate, made.hidden, made.longest, ...spans.flat(2)];
          });
        }""",
        SETTINGS,
    )
    for setting, numbers in zip(SETTINGS, found, strict=True):
        made = step(*setting)
        spans = [
            number for lane in (made.forward, made.backward, made.waits, made.exchanges) for s in lane for number in s
        ]
        end = step_timeline.longest(setting[0], setting[2])
        assert numbers == pytest.approx([made.length, made.waited, made.rate, made.hidden, end, *spans], abs=1e-12)


@pytest.mark.browser
def test_the_script_begins_where_the_still_picture_stands(page: Page, static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator("svg").is_visible() and figure(static).locator("fieldset").count() == 0
    assert figure(static).locator(".says").inner_text() == step_timeline.sentence(*step_timeline.START)
    before = figure(static).locator("svg").evaluate(NUMBERS)
    figure(page).get_by_role("radio", name="4", exact=True).check()
    assert figure(page).locator("svg").evaluate(NUMBERS) != before
    figure(page).get_by_role("radio", name="2", exact=True).check()
    after = figure(page).locator("svg").evaluate(NUMBERS)
    assert [name for name, _ in after] == [name for name, _ in before]
    for (_, one), (_, other) in zip(before, after, strict=True):
        places = [[float(number) for number in re.findall(r"\d+\.?\d*", text)] for text in (one, other)]
        assert places[0] == pytest.approx(places[1], abs=0.011)


@pytest.mark.browser
def test_by_keyboard_every_control(page: Page) -> None:
    page.reload()
    figure(page).get_by_role("radio", name="2", exact=True).focus()
    page.keyboard.press("ArrowRight")
    says(page, (4, 4, 1.0, True))
    slider(page, "Buckets").focus()
    page.keyboard.press("Home")
    says(page, (4, 1, 1.0, True))
    assert slider(page, "Buckets").get_attribute("aria-valuetext") == "1 bucket"
    slider(page, "Network’s time for a gradient").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    says(page, (4, 1, 1.9, True))
    assert slider(page, "Network’s time for a gradient").get_attribute("aria-valuetext") == "1.9 backward passes"
    figure(page).get_by_role("radio", name="after every micro-batch").focus()
    page.keyboard.press("ArrowRight")
    says(page, (4, 1, 1.9, False))
    assert step_timeline.sentence(4, 1, 1.9, False) in (figure(page).locator("svg").get_attribute("aria-label") or "")


@pytest.mark.browser
def test_by_mouse_the_drawing_is_that_of_python(page: Page) -> None:
    page.reload()
    box = slider(page, "Buckets").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    figure(page).get_by_text("after the last only", exact=True).click()
    setting = (2, 16, 1.0, False)
    says(page, setting)
    made, end = step(*setting), step_timeline.longest(2, 1.0)
    for name, spans, lane in (
        ("forward", made.forward, "computing"),
        ("backward", made.backward, "computing"),
        ("waits", made.waits, "computing"),
        ("exchange", made.exchanges, "network"),
    ):
        drawn = figure(page).locator(f"path.{name}").get_attribute("d") or ""
        wanted = step_timeline.path(spans, end, lane)
        numbers = [[float(number) for number in re.findall(r"\d+\.?\d*", text)] for text in (drawn, wanted)]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.011)


@pytest.mark.browser
def test_by_touch_at_320_pixels_in_the_chapter(phone: Page, address: str) -> None:
    phone.goto(address + CHAPTER)
    figure(phone).scroll_into_view_if_needed()
    figure(phone).get_by_text("8", exact=True).first.tap()
    figure(phone).get_by_text("after the last only", exact=True).tap()
    says(phone, (8, 4, 1.0, False))
    slider(phone, "Buckets").tap()  # its middle
    expect(figure(phone).get_by_role("status")).to_contain_text(re.compile("[89] buckets"))
    assert overflow(phone) == 0


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_it_runs_from_a_folder(browser: Browser, built: Path, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto((built / OWN).as_uri())
    figure(page).get_by_role("radio", name="8", exact=True).check()
    says(page, (8, 4, 1.0, True))
    assert violations(page, "step-timeline") == []
    page.close()


@pytest.mark.browser
def test_it_answers_at_once_and_prints_without_controls(page: Page) -> None:
    figure(page).get_by_role("radio", name="8", exact=True).check()  # with the most to draw
    assert figure(page).evaluate(MILLISECONDS) < 50
    page.emulate_media(media="print")
    assert all(figure(page).locator(part).is_visible() for part in ("svg", "table", ".says"))
    controls = figure(page).locator("fieldset").all()
    assert len(controls) == 4 and not any(control.is_visible() for control in controls)
    page.emulate_media(media="screen")
