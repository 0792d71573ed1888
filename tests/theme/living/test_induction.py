"""An induction head, live: equal to PyTorch; by mouse, touch and keyboard; strange strings; without weights."""

from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.living import induction
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

CHAPTER, OWN = "notebooks/07-language-model.html", "book/induction-head.html"
PARTS = ("layers", "attention-reader", "induction")  # what comes with the first touch
TOLERANCE = 1e-4


def figure(page: Page) -> Locator:
    return page.locator("living-induction")


def says(page: Page, text: str) -> None:
    expect(figure(page).get_by_role("status")).to_contain_text(text)


def text(page: Page) -> Locator:
    return figure(page).get_by_role("textbox", name="Your string")


def button(page: Page, name: str) -> Locator:
    return figure(page).get_by_role("button", name=name, exact=True)


def named(page: Page) -> list[str]:
    """What the model expects at each place, and after the last."""
    return figure(page).locator(".live .named").all_inner_texts()


# ---------------------------------------------------------------- equal to PyTorch

READ = """async strings => {
  for (const name of ["layers", "attention-reader"]) await living.script(name, "test");
  const model = living.attentionReader(await living.model("induction", "test"));
  return strings.map(([tokens, look]) => {
    const { logits, weights } = model.read(tokens, look);
    return { logits: logits.map(row => [...row]), weights };
  });
}"""


def test_logits_and_weights_equal_pytorch_wherever_layer_0_may_look(page: Page) -> None:
    model, generator = induction.from_file(), torch.Generator().manual_seed(6)
    drawn = [torch.randint(16, (n,), generator=generator) for n in (1, 2, 9, 24)]
    asked = [(tokens, look) for tokens in drawn for look in induction.LOOKS]
    for (tokens, look), made in zip(
        asked, page.evaluate(READ, [[tokens.tolist(), look] for tokens, look in asked]), strict=True
    ):
        logits, looks = induction.read(model, tokens, look)
        assert np.abs(np.array(made["logits"]) - logits.numpy()).max() < TOLERANCE
        assert np.abs(np.array(made["weights"]) - looks.numpy()).max() < TOLERANCE


def test_the_still_picture_is_the_live_one(page: Page) -> None:
    state = """part => [part.querySelector('.sentence').textContent.replace(/\\s+/g, ''),
      ...[...part.querySelectorAll('.strip')].map(strip => strip.ariaLabel + strip.textContent.replace(/\\s+/g, '')),
      ...[...part.querySelectorAll('.sum, .from')].map(value => value.textContent),
      ...[...part.querySelectorAll('.strip span')].map(bar => bar.style.getPropertyValue('--weight') + bar.className),
      ...[...part.querySelectorAll('.word, .named')].map(span => span.className.split(' ').sort().join())]"""
    still = figure(page).locator(".still")
    wanted, score = still.evaluate(state), still.locator(".score").text_content()
    button(page, "b, place 18").click()
    says(
        page,
        "After b (18) the model expects g 0.99. The symbol has stood twice before, and layer 1 gives 0.99 of its "
        f"weight to what followed. {score}",
    )
    assert figure(page).locator(".live").evaluate(state) == wanted and not still.is_visible()


# ---------------------------------------------------------------- operated


def test_nothing_is_fetched_before_the_first_touch(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    names = requested(page)
    page.goto(address + CHAPTER)
    figure(page).scroll_into_view_if_needed()
    text(page).focus()
    assert "living-induction" in names and not set(PARTS) & set(names)
    text(page).fill("abcab")
    says(page, "After b (5) the model expects c")
    assert all(names.count(part) == 1 for part in PARTS)
    page.close()


def test_a_string_of_ones_own(page: Page) -> None:
    text(page).fill("ABCDE abcd")
    says(page, "After d (9) the model expects e 1.00.")
    says(page, "3 of 3 symbols are as expected where the pair has stood before.")
    assert named(page)[6:] == ["b 0.98", "c 0.99", "d 1.00", "e 1.00"]
    assert figure(page).locator(".live .unknown").count() == 6 and figure(page).locator(".live .wrong").count() == 0
    button(page, "a, place 1").click()
    says(page, "The symbol has not stood before.")
    assert figure(page).locator(".live .sum").all_inner_texts() == ["nothing", "nothing"]
    text(page).fill("aaaa")
    says(page, "0 of 2 symbols are as expected where the pair has stood before.")
    assert figure(page).locator(".live .wrong").count() == 2


def test_without_layer_0s_stripe_nothing_is_found(page: Page) -> None:
    text(page).fill("abcdeabcd")
    says(page, "expects e 1.00.")
    button(page, "not at the place before").click()
    says(page, "layer 1 gives 0.00 of its weight to what followed")
    assert button(page, "everywhere").get_attribute("aria-pressed") == "false"
    button(page, "only at the place before").click()
    says(page, "expects e 0.97.")
    assert figure(page).locator(".live .sum").first.inner_text() == "1.00"


def test_another_string_repeats_as_the_slider_says(page: Page) -> None:
    slider = figure(page).get_by_role("slider", name="Repeats after")
    for key, period in (("Home", 4), ("End", 11)):
        slider.press(key)
        expect(slider).to_have_attribute("aria-valuetext", f"{period} symbols")
        says(page, f" of {23 - period} symbols are as expected where the pair has stood before.")
        string = text(page).input_value()
        assert len(string) == 24 and string[:-period] == string[period:] and len(set(string)) == period
    before = text(page).input_value()
    button(page, "Another string").click()
    expect(text(page)).not_to_have_value(before)


def test_by_keyboard_alone(page: Page) -> None:
    button(page, "h, place 8").focus()
    page.keyboard.press("Enter")
    says(page, "After h (8) the model expects")
    assert button(page, "h, place 8").get_attribute("aria-pressed") == "true"
    button(page, "not at the place before").press("Space")
    assert button(page, "not at the place before").get_attribute("aria-pressed") == "true"
    looks = figure(page).locator(".live .strip").last.get_attribute("aria-label")
    assert looks.startswith("Looks most at ") and looks.count("(") == 3


def test_by_touch_at_320_pixels(phone: Page, address: str) -> None:
    phone.goto(address + OWN)
    button(phone, "Another string").tap()
    says(phone, "where the pair has stood before.")
    figure(phone).locator(".live .sentence button").nth(2).tap()
    expect(figure(phone).locator(".live .sentence button").nth(2)).to_have_attribute("aria-pressed", "true")
    assert overflow(phone) == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Type letters from a to p, such as abcdabc."),
        ("🙂", "Left out, since the model knows the letters a to p alone: “🙂”."),
        ("xyzw", "Left out, since the model knows the letters a to p alone: “x”, “y”, “z” and others."),
        ("<script>alert(1)</script>", "After p (9) the model expects"),
        ("ab" * 40, "The model reads 24 symbols: the last ones."),
    ],
)
def test_strange_strings_get_a_sentence(page: Page, typed: str, said: str) -> None:
    text(page).fill("abab")
    says(page, "After b (4)")
    text(page).fill(typed)
    says(page, said)
    nothing = typed in ("", "🙂", "xyzw")
    assert text(page).get_attribute("aria-invalid") == str(nothing).lower()
    assert figure(page).locator(".live").is_visible()
    assert figure(page).locator(".live .sentence button").count() == (4 if nothing else 9 if "script" in typed else 24)


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(page: Page, trouble: Trouble) -> None:
    page.route("**/induction.js*", trouble)
    button(page, "Another string").click()
    says(page, "The model’s weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/induction.js*")
    button(page, "Another string").click()
    says(page, "where the pair has stood before.")
    page.emulate_media(media="print")
    assert only_still(figure(page))


def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    still = figure(static).locator(".still")
    assert still.is_visible() and still.locator(".strip span").count() == 48 and still.locator(".word").count() == 25
    assert figure(static).locator(".measured td").all_inner_texts() == ["0.97", "0.03", "0.96", "0.94"]
    assert figure(static).locator(".controls").count() == 0


def test_it_runs_from_a_folder(browser: Browser, built: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto((built / OWN).as_uri())
    text(page).fill("abcabc")
    says(page, "After c (6) the model expects a")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_live_figure(browser: Browser, address: str, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto(address + OWN)
    text(page).fill("aabbaabb")
    says(page, "After b (8)")
    assert violations(page, "living-induction") == []
    page.close()
