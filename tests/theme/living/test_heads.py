"""Heads to switch off: equal to PyTorch; by mouse, touch and keyboard; bad input; where something is missing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.living import heads, weights
from course import committed
from course.data import numbers_sentence
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

CHAPTER, OWN = "notebooks/05-multi-head.html", "book/heads-off.html"
PARTS = ("layers", "translation", "counter", "heads")  # what comes with the first touch
TOLERANCE = 1e-4
COUNTED = 20_000  # milliseconds for a count, on a busy machine too


def figure(page: Page) -> Locator:
    return page.locator("living-heads")


def says(page: Page, text: str) -> None:
    expect(figure(page).get_by_role("status")).to_contain_text(text, timeout=COUNTED)


def button(page: Page, name: str) -> Locator:
    return figure(page).get_by_role("button", name=name, exact=True)


def words(page: Page) -> Locator:
    return figure(page).locator(".live .sentence button")


def named(page: Page) -> list[str]:
    return figure(page).locator(".live .masked .named").all_inner_texts()


def recorded(without: list[list[int]], in_place: str = "zeros") -> dict[str, Any]:
    records = committed.read("multi_head_living")["records"]
    off = [r for r in records if r["measure"] == "off" and r["in_place"] == in_place]
    (one,) = (r for r in off if r["heads"] == heads.numbered(map(tuple, without)))
    return one


# ---------------------------------------------------------------- equal to PyTorch

READ = """async sentences => {
  for (const name of ["layers", "translation", "counter"]) await living.script(name, "test");
  const file = await living.model("heads", "test"), model = living.counter(file);
  const { sentence, english } = living.translation;
  const vector = { on: () => null, zeros: () => model.zeros, means: (l, h) => Float32Array.from(file.means[l][h]) };
  return sentences.map(({ first, places, found }) => {
    const words = sentence([0, 1, 2, 3].map(i => first + i), english), ids = model.idsOf(words);
    const off = found.map((layer, l) => layer.map((name, h) => vector[name](l, h)));
    const made = model.read(model.hide(ids, places), places, off);
    return { ids, words, logits: made.map(one => [...one.logits]), weights: made.map(one => one.weights) };
  });
}"""


def test_every_step_equals_pytorch(page: Page) -> None:
    model, draw = heads.from_file(), np.random.default_rng(5)
    means, asked = weights.header(heads.PATH)["means"], []
    for first in (1, 19, 96, 400, 557, 996):
        sentence = numbers_sentence(range(first, first + 4)).source
        for _ in range(3):  # the same sentence with other heads off, so that what is kept of it must be let go
            places = sorted(draw.choice(len(sentence), 4, replace=False).tolist())
            asked.append(
                {"first": first, "places": places, "found": draw.choice(["on", "zeros", "means"], (2, 4)).tolist()}
            )
            asked.append({**asked[-1], "found": [asked[-1]["found"][0], draw.choice(["on", "zeros"], 4).tolist()]})
    for one, made in zip(asked, page.evaluate(READ, asked), strict=True):
        batch, changed = heads.one_sentence(one["first"], one["places"]), model
        for kind, given in (("zeros", None), ("means", means)):
            changed = heads.without(
                changed, [head for head in heads.HEADS if one["found"][head[0]][head[1]] == kind], given
            )
        logits, looks = heads.answers(changed, batch)
        seen = torch.stack([layer[0, :, one["places"]] for layer in looks]).permute(2, 0, 1, 3)  # (places, L, H, T)
        assert made["ids"] == batch.ids[0].tolist()
        assert np.abs(np.array(made["logits"]) - logits[0, one["places"]].numpy()).max() < TOLERANCE
        assert np.abs(np.array(made["weights"]) - seen.numpy()).max() < TOLERANCE


def test_the_still_picture_is_the_live_one(page: Page) -> None:
    state = """part => [part.textContent.replace(/\\s+/g, ''), part.querySelector('.bar').style.cssText,
      ...[...part.querySelectorAll('.strip')].map(strip => strip.ariaLabel),
      ...[...part.querySelectorAll('.strip span')].map(bar => bar.style.getPropertyValue('--weight'))]"""
    wanted = figure(page).locator(".still").evaluate(state)
    button(page, "Head 1 of layer 0").click()
    says(page, "466 of 511 hidden words right, 34 fewer than with all.")
    assert figure(page).locator(".live").evaluate(state) != wanted and not figure(page).locator(".still").is_visible()
    button(page, "All on").click()
    says(page, "All heads are on. 500 of 511 hidden words right. In this sentence all are right.")
    assert figure(page).locator(".live").evaluate(state) == wanted


# ---------------------------------------------------------------- operated


def test_nothing_is_fetched_before_the_first_touch(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    names = requested(page)
    page.goto(address + CHAPTER)
    figure(page).scroll_into_view_if_needed()
    assert "living-heads" in names and not set(PARTS) & set(names)
    button(page, "Head 3 of layer 0").click()
    says(page, "Off: head 3 of layer 0, with zeros in its place.")
    assert all(names.count(part) == 1 for part in PARTS)
    page.close()


@pytest.mark.parametrize(
    ("pressed", "off"),
    [
        (("Head 0 of layer 1", "Head 1 of layer 1"), [[1, 0], [1, 1]]),
        (("All off",), [list(head) for head in heads.HEADS]),
    ],
    ids=["two", "all"],
)
def test_what_is_left_is_what_was_measured(page: Page, pressed: tuple[str, ...], off: list[list[int]]) -> None:
    for name in pressed:
        button(page, name).click()
    for place, text in (("zeros", "with zeros in their place"), ("means", "with the mean in their place")):
        wanted = recorded(off, place)
        button(page, {"zeros": "Zeros", "means": "Its mean"}[place]).click()
        says(page, f"{text}. {wanted['right']} of 511 hidden words right, {500 - wanted['right']} fewer than with all.")
        score = figure(page).locator(".live .score").inner_text()
        assert f"({wanted['accuracy']:.2f}), loss {wanted['loss']:.2f} nats" in score
    assert figure(page).locator(".live .head.off").count() == len(off)


def test_a_head_that_one_word_needs(page: Page) -> None:
    figure(page).locator(".live .head").nth(3).click(position={"x": 20, "y": 90})  # all of its card can be pressed
    says(page, "In this sentence “hundred” is named “,”.")
    assert named(page)[3].startswith(", ") and figure(page).locator(".live .wrong").count() == 1
    button(page, "Head 3 of layer 0").click()
    button(page, "Head 1 of layer 0").click()
    says(page, "In this sentence all are right.")


def test_by_keyboard_alone(page: Page) -> None:
    words(page).first.focus()
    page.keyboard.press("Space")  # no longer hidden
    says(page, "500 of 511")
    assert len(named(page)) == 3 and words(page).first.get_attribute("aria-pressed") == "false"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(words(page).nth(1)).to_have_attribute("aria-pressed", "true")
    expect(figure(page).locator(".live .from")).to_have_text("hundred (2)")
    button(page, "Head 2 of layer 1").press("Space")
    says(page, "Off: head 2 of layer 1,")
    assert button(page, "Head 2 of layer 1").get_attribute("aria-pressed") == "false"
    looks = figure(page).locator(".live .strip").first.get_attribute("aria-label")
    assert looks.startswith("Looks most at ") and looks.count("(") == 3


def test_a_number_of_ones_own_and_the_tested_sentences(page: Page) -> None:
    figure(page).get_by_label("Count from").fill("98")
    says(page, "500 of 511")
    assert words(page).all_inner_texts() == list(numbers_sentence(range(98, 102)).source)
    batch = heads.tested(2)
    for i, first in enumerate(heads.firsts(batch)):
        button(page, "Another test sentence").click()
        expect(figure(page).get_by_label("Count from")).to_have_value(str(first))
        assert len(named(page)) == int(batch.hidden[i].sum())


def test_by_touch_at_320_pixels(phone: Page, address: str) -> None:
    phone.goto(address + OWN)
    button(phone, "Head 2 of layer 0").tap()
    says(phone, "461 of 511")
    words(phone).nth(2).tap()
    expect(words(phone).nth(2)).to_have_attribute("aria-pressed", "true")
    assert overflow(phone) == 0


def test_what_cannot_be_counted_gets_a_sentence(page: Page) -> None:
    field = figure(page).get_by_label("Count from")
    for text, answer in (
        ("", "Type a whole number from 1 to 996"),
        ("997", "“997” is out of range: four numbers are counted from it, and the model knows 1 to 999."),
        ("0", "“0” is out of range"),
        ("-3", "“-3” is no whole number in digits. Type one such as 98."),
        ("🎲", "“🎲” is no whole number in digits."),
        ("<script>alert(1)</script>", "“<script>aler…” is no whole number in digits."),
        ("9" * 400, "is out of range"),
    ):
        field.fill(text)
        says(page, answer)
        assert field.get_attribute("aria-invalid") == "true" and words(page).count() == 14
    field.fill("7")
    says(page, "500 of 511")
    assert field.get_attribute("aria-invalid") == "false" and words(page).count() == 7
    for i in range(7):
        if words(page).nth(i).get_attribute("aria-pressed") == "false":
            words(page).nth(i).click()
    says(page, "Training hid about 15 words of a hundred; here it is 7 of 7.")
    for i in range(7):
        words(page).nth(i).click()
    says(page, "Nothing is hidden in this sentence: press a word to hide it.")


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(page: Page, trouble: Trouble) -> None:
    page.route("**/heads.js*", trouble)
    button(page, "All off").click()
    says(page, "The model’s weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/heads.js*")
    button(page, "All off").click()
    says(page, "Off: all heads, with zeros in their place.")
    page.emulate_media(media="print")
    assert only_still(figure(page))


def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator(".still").is_visible() and figure(static).locator(".still .head").count() == 8
    assert figure(static).locator(".still .named").all_inner_texts() == [
        "four 0.65",
        ", 1.00",
        ", 0.99",
        "hundred 0.70",
    ]
    assert figure(static).locator(".measured td").count() == 10 and figure(static).locator(".controls").count() == 0


def test_it_runs_from_a_folder(browser: Browser, built: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto((built / OWN).as_uri())
    button(page, "Head 3 of layer 1").click()
    says(page, "485 of 511")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_live_figure(browser: Browser, address: str, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto(address + OWN)
    button(page, "Head 3 of layer 0").click()
    says(page, "475 of 511")
    assert violations(page, "living-heads") == []
    page.close()


def test_weights_are_light() -> None:
    assert heads.PATH.stat().st_size < 500_000
    assert set(weights.read(heads.PATH)) == set(heads.from_file().state_dict())
