"""The stream of a translation: equal to PyTorch; by mouse, touch and keyboard; bad input; something missing."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.living import stream, weights
from course import data
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

CHAPTER, OWN = "notebooks/06-transformer.html", "book/residual-stream.html"
PARTS = ("layers", "translation", "transformer", "stream")  # what comes with the first touch
TOLERANCE = 1e-4


def figure(page: Page) -> Locator:
    return page.locator("living-stream")


def says(page: Page, text: str) -> None:
    expect(figure(page).get_by_role("status")).to_contain_text(text, timeout=20_000)


def words(page: Page) -> Locator:
    return figure(page).locator(".live .words button")


def field(page: Page) -> Locator:
    return figure(page).get_by_label("Numbers, 1 to 999")


# ---------------------------------------------------------------- equal to PyTorch

READ = """async sentences => {
  for (const name of ["layers", "translation", "transformer"]) await living.script(name, "test");
  const file = await living.model("stream", "test"), model = living.transformer(file);
  const { sentence, english } = living.translation;
  return sentences.map(numbers => {
    const made = model.write([...sentence(numbers, english).map(word => file.source.indexOf(word)), file.eos]);
    const softmax = logits => living.maskedSoftmax(logits, logits.map(() => true));
    const shares = x => softmax([...model.logitsOf(x)]);
    const plain = ({ added, stream, weights }) => ({ added: [...added], weights, probabilities: shares(stream) });
    return made.map(({ token, stages }) => ({ token, stages: stages.map(plain) }));
  });
}"""


def test_every_step_equals_pytorch(page: Page) -> None:
    model, draw = stream.from_file(), np.random.default_rng(6)
    asked = [(1,), (321,), (999, 20), *(tuple(draw.integers(1, 1000, count).tolist()) for count in (1, 2, 3, 6))]
    for numbers, made in zip(asked, page.evaluate(READ, asked), strict=True):
        ids = stream.written(model, numbers)
        assert [word["token"] for word in made] == ids.tolist()
        for word, wanted in zip(made, stream.stages(model, numbers, ids), strict=True):
            for one, stage in zip(word["stages"], wanted, strict=True):
                assert np.abs(np.array(one["added"]) - stage.added.numpy()).max() < TOLERANCE
                assert np.abs(np.array(one["probabilities"]) - stage.probabilities.numpy()).max() < TOLERANCE
                assert (one["weights"] is None) == (stage.weights is None)
                if stage.weights is not None:
                    assert np.abs(np.array(one["weights"]) - stage.weights.numpy()).max() < TOLERANCE


def test_the_still_picture_is_the_live_one(page: Page) -> None:
    state = """part => [part.textContent.replace(/\\s+/g, ''),
      ...[...part.querySelectorAll('.adds')].map(added => added.style.cssText)]"""
    wanted = figure(page).locator(".still").evaluate(state)
    words(page).nth(0).click()
    says(page, "“drei”, word 1 of 6")
    words(page).nth(stream.ASKED).click()
    says(page, "“ein”, word 3 of 6")
    made = figure(page).locator(".live").evaluate(state)
    assert made[0] == wanted[0] and not figure(page).locator(".still").is_visible()
    for one, other in zip(made[1:], wanted[1:], strict=True):
        assert float(one.split(":")[1].rstrip(";")) == pytest.approx(float(other.split(":")[1].rstrip(";")), abs=0.002)


# ---------------------------------------------------------------- operated


def test_nothing_is_fetched_before_the_first_touch(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    names = requested(page)
    page.goto(address + CHAPTER)
    figure(page).scroll_into_view_if_needed()
    assert "living-stream" in names and not set(PARTS) & set(names)
    words(page).nth(1).click()
    says(page, "“hundert”, word 2 of 6")
    assert all(names.count(part) == 1 for part in PARTS)
    page.close()


def test_numbers_of_ones_own_by_keyboard(page: Page) -> None:
    field(page).fill("47, 960")
    right = [*data.numbers_sentence((47, 960)).target, "end"]
    says(page, f"“{right[0]}”, word 1 of {len(right)}")
    assert words(page).all_inner_texts() == right
    words(page).nth(3).focus()
    page.keyboard.press("Enter")
    says(page, f"“{right[3]}”, word 4 of {len(right)}")
    assert words(page).nth(3).get_attribute("aria-pressed") == "true"
    assert figure(page).locator(".live .from").inner_text() == right[3]
    last = figure(page).locator(".live .then").last
    assert last.inner_text().startswith(right[3]) and "fits" in last.get_attribute("class")


def test_by_touch_at_320_pixels(phone: Page, address: str) -> None:
    phone.goto(address + OWN)
    words(phone).nth(4).tap()
    says(phone, "“zwanzig”, word 5 of 6")
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
        assert field(page).get_attribute("aria-invalid") == "true" and words(page).count() == 6


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(page: Page, trouble: Trouble) -> None:
    page.route("**/stream.js*", trouble)
    words(page).nth(0).click()
    says(page, "The model’s weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/stream.js*")
    field(page).fill("12")
    says(page, "“zwölf”, word 1 of 2")
    page.emulate_media(media="print")
    assert only_still(figure(page))


def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator(".still").is_visible() and figure(static).locator(".still tbody tr").count() == 7
    assert figure(static).locator(".measured td").count() == 7 and figure(static).locator(".controls").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_it_runs_from_a_folder(browser: Browser, built: Path, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto((built / OWN).as_uri())
    words(page).nth(0).click()
    says(page, "“drei”")
    assert violations(page, "living-stream") == []
    page.close()


def test_weights_are_light() -> None:
    assert stream.PATH.stat().st_size < 500_000
    assert set(weights.read(stream.PATH)) == set(stream.from_file().state_dict())
