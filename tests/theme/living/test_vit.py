"""A digit to draw: equal to PyTorch; by mouse, touch and keyboard; strange drawings; where something is missing."""

from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.living import vit, weights
from course.data import digits
from course.figures.vit import TESTED
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

CHAPTER, OWN = "notebooks/08-vit.html", "book/draw-a-digit.html"
PARTS = ("layers", "vision-transformer", "vit")  # what comes with the first touch
TOLERANCE = 1e-4


def test_the_figure_says_how_many_digits_were_tested() -> None:
    assert TESTED == digits.TESTED


def figure(page: Page) -> Locator:
    return page.locator("living-vit")


def says(page: Page) -> Locator:
    return figure(page).get_by_role("status")


def press(page: Page, name: str) -> None:
    figure(page).get_by_role("button", name=name, exact=True).click()


def pixel(page: Page, row: int, column: int) -> Locator:
    return figure(page).get_by_role("gridcell", name=f"row {row}, column {column}, ", exact=False)


def ink(page: Page) -> np.ndarray:
    """The drawing (8, 8), as its pixels' names say it."""
    names = figure(page).get_by_role("gridcell").evaluate_all("cells => cells.map(cell => cell.ariaLabel)")
    return np.array([float(name.split()[-1]) for name in names]).reshape(8, 8)


def probabilities(page: Page) -> list[str]:
    return figure(page).locator(".live tbody td").all_inner_texts()


# ---------------------------------------------------------------- equal to PyTorch

READ = """async images => {
  for (const name of ["layers", "vision-transformer"]) await living.script(name, "test");
  const model = living.visionTransformer(await living.model("vit", "test"));
  const alike = Array.from({ length: 16 }, (_, patch) => model.alike(patch));
  return { alike, read: images.map(image => {
    const { logits, probabilities, weights } = model.read(image);
    const rollout = living.attentionRollout(weights).map(row => [...row]);
    return { logits: [...logits], probabilities, weights, rollout };
  }) };
}"""


def test_every_step_equals_pytorch(page: Page) -> None:
    model = vit.from_file()
    generator = torch.Generator().manual_seed(3)
    drawn = torch.rand(12, 1, 8, 8, generator=generator) * (torch.rand(12, 1, 8, 8, generator=generator) < 0.5)
    images = torch.cat([drawn, torch.zeros(1, 1, 8, 8), torch.ones(1, 1, 8, 8), vit.examples()[3][1].unsqueeze(0)])
    made = page.evaluate(READ, images[:, 0].tolist())
    with torch.no_grad(), vit.watch_attention(model) as seen:
        logits = model(images)
    layers = [seen[f"encoder.layers.{i}.self_attention"] for i in range(2)]
    wanted = {
        "logits": logits,
        "probabilities": logits.softmax(dim=1),
        "weights": torch.stack(layers, dim=1).transpose(2, 3),  # (B, L, H, T, T) -> (B, L, T, H, T)
        "rollout": vit.attention_rollout(layers),
    }
    for name, tensor in wanted.items():
        assert np.abs(np.array([one[name] for one in made["read"]]) - tensor.numpy()).max() < TOLERANCE, name
    assert np.abs(np.array(made["alike"]) - vit.alike(model).numpy()).max() < TOLERANCE


def test_the_still_picture_is_the_live_one(page: Page) -> None:
    state = "part => [part.innerText, ...[...part.querySelectorAll('.cells')].map(cells => cells.ariaLabel)]"
    wanted = figure(page).locator(".still").evaluate(state.replace("innerText", "textContent.replace(/\\s+/g, ' ')"))
    press(page, "Example 3")
    press(page, "Example 6")
    expect(says(page)).to_contain_text("Most likely 6, ")
    made = figure(page).locator(".live").evaluate(state.replace("innerText", "textContent.replace(/\\s+/g, ' ')"))
    assert made == wanted and not figure(page).locator(".still").is_visible()


# ---------------------------------------------------------------- operated


def test_nothing_is_fetched_before_the_first_touch(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    names = requested(page)
    page.goto(address + CHAPTER)
    figure(page).scroll_into_view_if_needed()
    assert "living-vit" in names and not set(PARTS) & set(names)
    press(page, "Move left")
    expect(says(page)).to_contain_text("Most likely ")
    assert all(names.count(part) == 1 for part in PARTS)
    page.close()


def test_a_digit_drawn_with_the_mouse_is_read(page: Page) -> None:
    press(page, "Clear")
    assert not ink(page).any()
    box = figure(page).locator(".live .picture").bounding_box()
    unit = box["width"] / 8
    path = [(2, 1.2), (5.5, 1.2), (4, 3.6), (5.5, 5), (4.5, 7), (2.2, 6.8)]
    page.mouse.move(box["x"] + path[0][0] * unit, box["y"] + path[0][1] * unit)
    page.mouse.down()
    for x, y in path[1:]:
        page.mouse.move(box["x"] + x * unit, box["y"] + y * unit, steps=4)
    page.mouse.up()
    expect(says(page)).to_contain_text("Most likely 3, ")
    page.mouse.move(box["x"] + unit, box["y"] + unit)  # the pen is up
    drawn = ink(page)
    assert drawn[1, 3] > 0.9 and 0 < drawn.max(axis=1).min() and not drawn[:, 7].any()
    press(page, "Erase")
    page.mouse.click(box["x"] + 3.5 * unit, box["y"] + 1.5 * unit)
    assert ink(page)[1, 3] == 0
    press(page, "Move")
    page.mouse.move(box["x"] + 4 * unit, box["y"] + 4 * unit)
    page.mouse.down()
    page.mouse.move(box["x"] + 5.1 * unit, box["y"] + 2 * unit, steps=5)
    page.mouse.up()
    expect(says(page)).to_contain_text("Moved by 2 up, 1 right.")
    assert figure(page).locator(".measured .now").get_attribute("data-down") == "-2"


def test_what_is_moved_out_comes_back(page: Page) -> None:
    press(page, "Example 6")
    expect(says(page)).to_contain_text("Most likely 6, ")  # at the first touch, the weights are fetched
    before = ink(page)
    for _ in range(3):
        press(page, "Move down")
    assert (ink(page)[3:] == before[:-3]).all() and not ink(page)[:3].any()
    assert figure(page).locator(".measured .now").count() == 0
    for _ in range(3):
        press(page, "Move up")
    assert (ink(page) == before).all()
    image = vit.examples()[6][1].unsqueeze(0)
    press(page, "Move left")
    guess = vit.reading(vit.from_file(), vit.moved(image, 0, -1))[0][0]
    expect(says(page)).to_contain_text(f"Most likely {int(guess.argmax())}, {guess.max():.2f};")
    assert probabilities(page) == [f"{share:.2f}" for share in guess]


def test_by_keyboard_alone(page: Page) -> None:
    press(page, "Clear")
    start = pixel(page, 7, 3)  # the marked patch's first pixel can be reached by the tab key, and no other
    tab = "cells => cells.filter(cell => cell.tabIndex === 0).length"
    assert figure(page).get_by_role("gridcell").evaluate_all(tab) == 1
    start.focus()
    for key in ("Space", "ArrowUp", "Enter", "ArrowRight", "ArrowRight", "Space"):
        page.keyboard.press(key)
    assert np.argwhere(ink(page)).tolist() == [[5, 2], [5, 4], [6, 2]]
    assert page.evaluate("document.activeElement.ariaLabel") == "row 6, column 5, ink 1.00"
    page.keyboard.press("Space")
    assert ink(page)[5, 4] == 0
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.ariaLabel") == "row 6, column 1, ink 0.00"
    expect(says(page)).to_contain_text("Marked: patch 3, 1.")


def test_a_wiped_patch_is_read_as_without_it(page: Page) -> None:
    press(page, "Example 2")
    expect(says(page)).to_contain_text("Most likely 2, ")
    pixel(page, 8, 5).focus()
    press(page, "Wipe the marked patch")
    image = vit.examples()[2][1].unsqueeze(0).clone()
    image[..., 6:8, 4:6] = 0
    guess = vit.reading(vit.from_file(), image)[0][0]
    expect(says(page)).to_contain_text(f"Most likely {int(guess.argmax())}, {guess.max():.2f};")


def test_by_touch_at_320_pixels(phone: Page, address: str) -> None:
    phone.goto(address + OWN)
    figure(phone).get_by_role("button", name="Clear").tap()
    board = figure(phone).locator(".live .picture")
    board.scroll_into_view_if_needed()
    box = board.bounding_box()
    touch = phone.context.new_cdp_session(phone)
    for kind, place in (("touchStart", 1.5), ("touchMove", 4.0), ("touchMove", 6.5), ("touchEnd", None)):
        points = [] if place is None else [{"x": box["x"] + 27 * 4, "y": box["y"] + place * box["height"] / 8}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(says(phone)).to_contain_text("Most likely ")
    assert (ink(phone)[1:7].max(axis=1) > 0.5).all()
    assert overflow(phone) == 0


def test_strange_drawings_get_a_sentence(page: Page) -> None:
    press(page, "Clear")
    expect(says(page)).to_contain_text("Nothing is drawn. The model has no way to say so: it must name a digit.")
    pixel(page, 1, 1).press("Space")
    expect(says(page)).to_contain_text("Less ink than any digit of its training: 1.0 pixels’ worth, not 11.6 to 27.1.")
    for row in range(1, 9):
        for column in range(1, 5):
            if (row, column) != (1, 1):
                pixel(page, row, column).press("Space")
    expect(says(page)).to_contain_text("More ink than any digit of its training: 32.0 pixels’ worth")
    assert sum(map(float, probabilities(page))) == pytest.approx(1, abs=0.05)


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(page: Page, trouble: Trouble) -> None:
    page.route("**/vit.js*", trouble)
    press(page, "Move left")
    expect(says(page)).to_contain_text("The model’s weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/vit.js*")
    press(page, "Example 4")
    expect(says(page)).to_contain_text("Most likely 4, ")
    page.emulate_media(media="print")
    assert only_still(figure(page))


def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator(".still tbody tr").count() == 10 and figure(static).locator(".still").is_visible()
    assert figure(static).locator(".measured td").count() == 25 and figure(static).locator(".controls").count() == 0


def test_it_runs_from_a_folder(browser: Browser, built: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto((built / OWN).as_uri())
    press(page, "Example 0")
    expect(says(page)).to_contain_text("Most likely 0, ")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_live_figure(browser: Browser, address: str, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto(address + OWN)
    press(page, "Example 8")
    expect(says(page)).to_contain_text("Most likely ")
    assert violations(page, "living-vit") == []
    page.close()


def test_weights_are_light() -> None:
    assert vit.PATH.stat().st_size < 500_000
    assert set(weights.read(vit.PATH)) == set(vit.from_file().state_dict())
