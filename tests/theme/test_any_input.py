"""Figures under inputs that nobody chose: whatever a reader does to one, it goes on and says something that is true."""

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator

from benchmarks import site

pytestmark = pytest.mark.browser

DEFINED = re.compile(r'customElements\.define\("([a-z-]+)"')
KINDS = sorted(kind for path in site.FIGURES.glob("*/*.js") for kind in DEFINED.findall(path.read_text("utf-8")))
TEXTS = (
    "", "   ", "0", "-1", "1e9", "9" * 30, "1.5", "0x10", "321", "1,2,,3", "1 2 3 4 5 6 7 8 9 10", "٣", "１２", "five",
    "ab ab ab", "é", "😀😀", "مرحبا", "\u202eabc", "\x01", "<b>&amp;</b>", "<script>alert(1)</script>", "a" * 5000,
)  # fmt: skip
NO_NUMBER = re.compile(r"\b(NaN|undefined|Infinity|null)\b|\[object")
SEED, STEPS, STEPS_IN_FULL = 16, 4, 60
SET = """(input, share) => {
  input.value = Number(input.min) + share * (input.max - input.min);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}"""


@pytest.fixture(scope="module")
def where(built: Path) -> dict[str, str]:
    """Each kind of figure, and the page where it stands first."""
    found: dict[str, str] = {}
    for path in sorted(built.rglob("*.html")):
        for kind in re.findall(r"<([a-z]+(?:-[a-z]+)+)[ >]", path.read_text("utf-8")):
            found.setdefault(kind, path.relative_to(built).as_posix())
    return found


def use(control: Locator, draw: random.Random) -> str:
    """Does something to a control; returns what, in words."""
    kind = control.get_attribute("type") or control.get_attribute("role") or ""
    match control.evaluate("element => element.tagName"), kind:
        case "INPUT", "range":
            share = draw.choice((0, 0.3, 1))
            control.evaluate(SET, share)
            return f"to {share}"
        case _, "slider":
            key = draw.choice((*site.KEYS, "PageUp", "PageDown"))
            control.press(key)
            return key
        case "INPUT" | "TEXTAREA", "" | "text":
            text = draw.choice(TEXTS)
            control.fill(text)
            return repr(text[:30])
        case "INPUT", "radio" | "checkbox":
            control.press("Space")
            return "chosen"
    control.click(timeout=5000)
    return "pressed"


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_goes_on_whatever_is_done_to_it(kind, where, browser: Browser, address, request) -> None:
    draw = random.Random(f"{SEED} {kind}")
    page = browser.new_page(viewport={"width": draw.choice((320, 390, 1280)), "height": 800})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(address + where[kind])
    figure, done = page.locator(kind).first, []
    for _ in range(STEPS_IN_FULL if request.config.getoption("--full") else STEPS):
        controls = [c for c in figure.locator(site.CONTROLS).all() if c.is_visible() and c.is_enabled()]
        assert controls, f"nothing is left to be used after {done}"
        control = draw.choice(controls)
        name = control.evaluate(
            "e => (e.ariaLabel || e.textContent || e.parentElement.textContent).trim().slice(0, 40)"
        )
        done.append(f"{name}: {use(control, draw)}")
        page.wait_for_timeout(50)
        assert not errors, f"{errors} after {done}"
        assert not NO_NUMBER.search(figure.inner_text()), f"{figure.inner_text()} after {done}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"wider than the page after {done}"
    page.close()
