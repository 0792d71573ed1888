"""The plane with a query and keys to drag: its arithmetic is PyTorch's, its numbers follow the hand."""

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from playwright.sync_api import Browser, Locator, Page

from course.figures.attention_plane import KEYS, QUERY, VALUES, attend, start

PAGE = "notebooks/04-dot-product.html"
FIGURE = "attention-plane"
NAMES = list(KEYS)
# As it answers: the median of forty moves of the hand, layout included.
MILLISECONDS = """(element) => {
  const tip = element.querySelector('circle'), times = [];
  tip.hasPointerCapture = () => true;
  for (let i = 0; i < 40; i++) {
    const { x, y } = tip.getBoundingClientRect(), before = performance.now();
    tip.dispatchEvent(new PointerEvent('pointermove', { clientX: x + i % 7, clientY: y + i % 5 }));
    element.getBoundingClientRect();
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[20];
}"""


def by_pytorch(query: Any, keys: Any, values: Any, gain: float, root: bool, mask: list[bool]) -> dict[str, Any]:
    """Weights, their entropy in bits and the output, by `F.scaled_dot_product_attention`."""
    query, keys = (torch.tensor(np.array(x), dtype=torch.float64) for x in (query, keys))
    value = torch.tensor(np.array(values), dtype=torch.float64).unsqueeze(-1)
    scale = gain / math.sqrt(query.shape[-1]) if root else gain
    allowed = torch.tensor([mask])

    def returned(value: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(query.unsqueeze(0), keys, value, allowed, scale=scale)[0]

    weights = returned(torch.eye(len(keys), dtype=torch.float64))
    entropy = torch.special.entr(weights).sum() / math.log(2)
    return {"weights": weights.tolist(), "entropy": entropy.item(), "output": returned(value).item()}


def drawn(seed: int) -> dict[str, Any]:
    """A query, keys, values, gain, root and mask drawn at random; every fourth mask leaves nothing."""
    draw = np.random.default_rng(seed)
    keys, width = int(draw.integers(1, 7)), int(draw.integers(1, 6))
    return {
        "query": draw.normal(0, 2, width).tolist(),
        "keys": draw.normal(0, 2, (keys, width)).tolist(),
        "values": draw.normal(0, 20, keys).tolist(),
        "gain": float(draw.uniform(0, 10)),
        "root": bool(draw.integers(2)),
        "mask": [False] * keys if seed % 4 == 0 else (draw.random(keys) < 0.7).tolist(),
    }


@pytest.mark.parametrize("seed", range(12))
def test_the_still_picture_is_computed_as_pytorch_does(seed: int) -> None:
    given = drawn(seed)
    expected = by_pytorch(**given)
    arrays = (np.array(given[name]) for name in ("query", "keys", "values"))
    _, weights, entropy, output = attend(*arrays, given["gain"], given["root"], given["mask"])
    assert np.allclose(weights, expected["weights"], atol=1e-9) and abs(entropy - expected["entropy"]) < 1e-9
    assert abs(output - expected["output"]) < 1e-9


@pytest.fixture
def page(browser: Browser, address: str):
    opened = browser.new_page(viewport={"width": 1280, "height": 1400})
    opened.goto(address + PAGE)
    opened.locator(FIGURE).scroll_into_view_if_needed()
    yield opened
    opened.close()


def arrow(page: Page, name: str) -> Locator:
    return page.locator(FIGURE).get_by_role("slider", name=name, exact=True)


def shown(page: Page) -> dict[str, Any]:
    """What the figure shows, in numbers."""

    def numbers(selector: str) -> list[float]:
        texts = page.locator(f"{FIGURE} {selector}").all_inner_texts()
        return [float(text.replace("\N{MINUS SIGN}", "-").replace("masked", "0")) for text in texts]

    (entropy,), (output,) = numbers(".entropy"), numbers(".output")
    return {"weights": numbers("td.weight .of"), "entropy": entropy, "output": output}


def agrees(seen: dict[str, Any], expected: dict[str, Any]) -> None:
    assert np.allclose(seen["weights"], expected["weights"], atol=5.1e-4)
    assert abs(seen["entropy"] - expected["entropy"]) < 5.1e-4 and abs(seen["output"] - expected["output"]) < 0.051


@pytest.mark.browser
def test_the_scripts_arithmetic_is_pytorchs(page: Page) -> None:
    call = f"""({{ query, keys, values, ...rest }}) =>
      customElements.get('{FIGURE}').attend(query, keys, values, rest)"""
    largest = 0.0
    for seed in range(60):
        given = drawn(seed)
        found, expected = page.evaluate(call, given), by_pytorch(**given)
        pairs = zip([*found["weights"], found["entropy"], found["output"]],
                    [*expected["weights"], expected["entropy"], expected["output"]], strict=True)  # fmt: skip
        largest = max(largest, *(abs(a - b) for a, b in pairs))
    assert largest < 1e-6


@pytest.mark.browser
def test_the_script_begins_where_the_still_picture_stands(page: Page) -> None:
    at_start = start()
    page.wait_for_timeout(300)  # the sentence is said once the hand rests
    assert page.locator(f"{FIGURE} .says").inner_text() == at_start["says"]
    agrees(shown(page), by_pytorch(QUERY, list(KEYS.values()), VALUES, 1.0, True, [True] * len(KEYS)))


@pytest.mark.browser
def test_arrow_keys_move_an_arrow_and_what_follows_is_said(page: Page) -> None:
    query = arrow(page, "Query")
    query.focus()
    for key in ("ArrowLeft", "Shift+ArrowLeft", "ArrowUp", "ArrowDown", "Shift+ArrowUp"):
        page.keyboard.press(key)
    assert query.get_attribute("aria-valuetext") == "1.4 to the right, 1.5 up"
    agrees(shown(page), by_pytorch((1.4, 1.5), list(KEYS.values()), VALUES, 1.0, True, [True] * len(KEYS)))
    said = page.locator(FIGURE).get_by_role("status")
    said.get_by_text("Query (1.4, 1.5), 2.1 long.").wait_for()
    for _ in range(9):
        page.keyboard.press("Shift+ArrowRight")
    assert query.get_attribute("aria-valuenow") == "3"  # the plane ends here
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Key Songs"


@pytest.mark.browser
def test_gain_root_and_mask_by_keyboard(page: Page) -> None:
    figure, keys = page.locator(FIGURE), list(KEYS.values())
    figure.get_by_role("slider", name="Gain").focus()
    for _ in range(15):
        page.keyboard.press("ArrowRight")
    agrees(shown(page), by_pytorch(QUERY, keys, VALUES, 2.5, True, [True] * 4))
    figure.get_by_role("checkbox", name="divided by √2").focus()
    page.keyboard.press("Space")
    agrees(shown(page), by_pytorch(QUERY, keys, VALUES, 2.5, False, [True] * 4))
    for name in NAMES:
        figure.get_by_role("checkbox", name=name).focus()
        page.keyboard.press("Space")
        mask = [other > NAMES.index(name) for other in range(4)]
        agrees(shown(page), by_pytorch(QUERY, keys, VALUES, 2.5, False, mask))
    figure.get_by_role("status").get_by_text("No key may be looked at").wait_for()
    assert "masked" in (arrow(page, "Key Songs").get_attribute("aria-valuetext") or "")
    figure.get_by_role("button", name="Back to the start").click()
    agrees(shown(page), by_pytorch(QUERY, keys, VALUES, 1.0, True, [True] * 4))


@pytest.mark.browser
def test_the_mouse_drags_a_key(page: Page) -> None:
    tip = arrow(page, "Key Algebra").locator("circle").bounding_box()
    axes = page.locator(f"{FIGURE} .axes").bounding_box()
    assert tip is not None and axes is not None
    x, y = tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2
    unit = axes["width"] / 6
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + unit, y + unit, steps=4)
    page.mouse.up()
    assert arrow(page, "Key Algebra").get_attribute("aria-valuetext") == "1.0 to the right, 1.0 up"
    keys = [*list(KEYS.values())[:2], (1.0, 1.0), KEYS["Gardening"]]
    agrees(shown(page), by_pytorch(QUERY, keys, VALUES, 1.0, True, [True] * 4))
    page.mouse.move(x, y)
    assert arrow(page, "Key Algebra").get_attribute("aria-valuetext") == "1.0 to the right, 1.0 up"


@pytest.mark.browser
def test_a_finger_drags_the_query_on_a_small_phone_and_the_page_stays(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address + PAGE)
    page.locator(f"{FIGURE} svg").scroll_into_view_if_needed()
    page.evaluate(f"document.querySelector('{FIGURE} svg').scrollIntoView({{ block: 'center' }})")
    tip, axes = (page.locator(f"{FIGURE} {part}").first.bounding_box() for part in ("circle", ".axes"))
    assert tip is not None and axes is not None and min(tip["width"], tip["height"]) >= 24  # WCAG 2.2, 2.5.8
    x, y, unit = tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2, axes["width"] / 6
    before, session = page.evaluate("scrollY"), context.new_cdp_session(page)
    for kind, share in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0), ("touchEnd", None)):
        points = [] if share is None else [{"x": x - share * unit, "y": y - share * unit}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.locator(f'{FIGURE} [aria-valuetext="1.0 to the right, 2.0 up"][aria-label="Query"]').wait_for(timeout=5000)
    assert page.evaluate("scrollY") == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()


@pytest.mark.browser
def test_it_answers_at_once(page: Page) -> None:
    assert page.locator(FIGURE).evaluate(MILLISECONDS) < 50


@pytest.mark.browser
def test_on_paper_it_stands_as_it_was_left_without_controls(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator(f"{FIGURE} table").is_visible() and page.locator(f"{FIGURE} svg").is_visible()
    controls = page.locator(f"{FIGURE} :is(fieldset, .how)").all()
    assert controls and not any(control.is_visible() for control in controls)


@pytest.mark.browser
def test_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + PAGE)
    assert static.locator(f"{FIGURE} table").is_visible() and static.locator(f"{FIGURE} fieldset").count() == 0
    agrees(shown(static), by_pytorch(QUERY, list(KEYS.values()), VALUES, 1.0, True, [True] * 4))
