"""Norm, residual connection and warm-up to switch: the record as it is; by mouse, touch and keyboard; bad files."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.experiments import transformer
from course import committed
from course.figures import switches
from tests.browser import Trouble, only_still, overflow, requested, violations

CHAPTER, OWN = "notebooks/06-transformer.html", "book/norm-switches.html"


# ---------------------------------------------------------------- what was measured


@pytest.mark.parametrize("placement", ["before", "after"])
def test_with_all_its_connections_a_switched_model_is_the_chapters(placement: str) -> None:
    batch = next(transformer.norm_batches(0))
    losses = []
    for make in (
        lambda: transformer.norm_model(placement == "before"),
        lambda: transformer.switched(placement, residual=True),
    ):
        torch.manual_seed(0)
        losses.append(transformer.loss_of(make())(batch).item())
    assert losses[0] == losses[1]


def test_without_residual_connections_and_norms_a_layer_is_its_parts_in_a_row() -> None:
    torch.manual_seed(0)
    (layer, *_) = transformer.switched("none", residual=False).encoder.layers
    x = torch.randn(2, 5, transformer.NORM["d_model"])
    assert torch.equal(layer(x), layer.feed_forward(layer.self_attention(x, x, x)[0]))


def test_a_warm_up_keeps_the_mean_rate() -> None:
    for warm_up in transformer.NORM["warm_up"]:
        rates = transformer.warmed_up(warm_up, 0.01)
        assert len(rates) == 60 and sum(rates) / 60 == pytest.approx(0.01)
        assert (rates[0] < rates[-1]) == bool(warm_up)


def test_the_script_holds_the_records_curves() -> None:
    result, held = committed.read(switches.RECORD), switches.data()
    settings = result["settings"]
    values = [settings[name] for name in switches.SWITCHES]
    assert len(held["curves"]) == len(list(itertools.product(*values)))
    for r in result["records"]:
        wanted = [r[f"loss_{step}"] for step in held["steps"]]
        key = (r["norm"], r["residual"], r["warm_up"], r["mean_rate"])
        places = tuple(known.index(value) for known, value in zip(values, key, strict=True))
        assert switches.curves_of(held, places)[result["seeds"].index(r["seed"])] == wanted
    assert len(switches.script()) < 30_000


# ---------------------------------------------------------------- operated


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The figure's own page, one for all tests that leave it in order."""
    opened = browser.new_page(reduced_motion="reduce")
    opened.goto(address + OWN)
    yield opened
    opened.close()


def figure(page: Page) -> Locator:
    return page.locator("living-switches")


def says(page: Page, text: str) -> None:
    expect(figure(page).get_by_role("status")).to_contain_text(text, timeout=20_000)


def button(page: Page, name: str) -> Locator:
    return figure(page).get_by_role("button", name=name, exact=True)


@pytest.mark.browser
def test_the_still_picture_is_the_live_one(page: Page) -> None:
    state = """part => [part.textContent.replace(/\\s+/g, ''),
      ...[...part.querySelectorAll('.curves path')].map(path => path.getAttribute('class') + path.getAttribute('d'))]"""
    wanted = figure(page).locator(".still").evaluate(state)
    button(page, "post-norm").click()
    says(page, "Before, pre-norm")
    assert figure(page).locator(".live").evaluate(state) != wanted and not figure(page).locator(".still").is_visible()
    button(page, "pre-norm").click()
    says(page, "Before, post-norm")
    assert figure(page).locator(".live").evaluate(state) == wanted


@pytest.mark.browser
def test_a_switch_by_keyboard_shows_what_was_measured_beside_what_was_there_before(page: Page) -> None:
    held = switches.data()
    button(page, "pre-norm").click()
    for name, place in (("no residual", (0, 1, 0, 2)), ("residual", (0, 0, 0, 2)), ("0.003", (0, 0, 0, 1))):
        before = figure(page).locator(".live tr.now th").inner_text()
        button(page, name).focus()
        page.keyboard.press("Enter")
        at_end = switches.cell(switches.curves_of(held, place), -1)
        says(page, f"{switches.name_of(place)}: {at_end} at step 60. Before, {before}")
        assert button(page, name).get_attribute("aria-pressed") == "true"
        assert figure(page).locator(".live tr.now td").last.inner_text() == at_end
    button(page, "0.01").click()
    assert figure(page).locator(".live .curves path").count() == 2 * (1 + len(held["curves"][0]))


@pytest.mark.browser
def test_what_diverged_is_drawn_as_far_as_a_browser_paints_at_once(page: Page) -> None:
    held = switches.data()
    worst = max(
        itertools.product(*map(range, held["counts"])),
        key=lambda places: max(loss or 0 for curve in switches.curves_of(held, places) for loss in curve),
    )
    assert max(loss or 0 for curve in switches.curves_of(held, worst) for loss in curve) > 1e6
    for name in switches.name_of(worst).replace("rate ", "").split(", "):
        button(page, name).click()
    says(page, f"{switches.name_of(worst)}: ")
    drawn = figure(page).locator(".live .curves path").evaluate_all("all => all.map(path => path.getBBox().height)")
    assert max(drawn) < 100 * switches.DRAWING["height"]


@pytest.mark.browser
def test_by_touch_at_320_pixels_and_nothing_before_the_first(phone: Page, address: str) -> None:
    names = requested(phone)
    phone.goto(address + CHAPTER)
    figure(phone).scroll_into_view_if_needed()
    assert "living-switches" in names and "switches" not in names
    button(phone, "warm-up").tap()
    says(phone, "pre-norm, residual, warm-up, rate 0.01")
    assert names.count("switches") == 1
    assert overflow(phone) == 0


@pytest.mark.browser
def test_without_whole_curves_the_still_picture_stays(browser: Browser, address: str, trouble: Trouble) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto(address + OWN)
    page.route("**/switches.js*", trouble)
    button(page, "no norm").click()
    says(page, "The curves could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/switches.js*")
    button(page, "post-norm").click()
    says(page, "post-norm, residual, no warm-up, rate 0.01: ")
    page.emulate_media(media="print")
    assert only_still(figure(page))
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_it_runs_from_a_folder(browser: Browser, built: Path, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto((built / OWN).as_uri())
    button(page, "warm-up").click()
    says(page, "pre-norm, residual, warm-up, rate 0.01")
    assert violations(page, "living-switches") == []
    page.close()


@pytest.mark.browser
def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator(".still svg .curves").is_visible() and figure(static).locator("tbody tr").count() == 2
    assert figure(static).locator(".controls").count() == 0
