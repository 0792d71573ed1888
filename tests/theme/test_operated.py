"""Every figure on its own page: operated by mouse, by touch and by keyboard."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from benchmarks import site
from course.figures import FIGURES
from tests.browser import overflow

pytestmark = pytest.mark.browser

MADE = {name: make() for name, make in FIGURES.items()}
WAYS = ("mouse", "touch", "keyboard")
CHANGED = 3000  # milliseconds, on a busy machine too: the first touch brings a model
TRIED = 5  # of a kind of control, until one changes what is shown: to switch on a head that is on changes nothing
# What a figure shows; which button is pressed and where the focus may go are not counted.
SHOWN = """figure => figure.outerHTML.replace(/ (aria-pressed|aria-invalid|tabindex)="[^"]*"/g, "")"""
KIND = "e => e.getAttribute('role') ?? (e.matches('textarea, [type=number]') ? 'text' : e.type)"
DIFFERS = f"([figure, before]) => ({SHOWN})(figure) !== before"
IN_FIRST_HALF = "range => 2 * (range.value - range.min) < range.max - range.min"
# Where a control is touched: at its middle, a slider that is dragged at its tip, what a label lies over at the label.
PLACE = """e => {
  const at = e.querySelector('circle') ?? (e.matches('[type=radio], [type=checkbox]') ? e.parentElement : e);
  at.scrollIntoView({ block: 'center' });
  const { left, top, width, height } = at.getBoundingClientRect();
  return [left, top, width, height];
}"""


def opened(page: Page, address: str, name: str) -> Locator:
    """The figure on the page of its name."""
    page.goto(f"{address}book/{name}.html")
    element = re.match(r"\s*<([a-z-]+)", MADE[name].markup)
    assert element
    figure = page.locator(element[1]).first
    figure.scroll_into_view_if_needed()
    return figure


def at(page: Page, control: Locator, across: float) -> tuple[float, float]:
    """A place on a control, in the window; `across` is a share of its width."""
    left, top, width, height = control.evaluate(PLACE)
    return left + across * width, top + height / 2


def dragged(page: Page, way: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    if way == "mouse":
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        page.mouse.up()
        return
    session, middle = page.context.new_cdp_session(page), ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    for kind, place in (("touchStart", start), ("touchMove", middle), ("touchMove", end), ("touchEnd", None)):
        points = [{"x": place[0], "y": place[1]}] if place else []
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.detach()


def use(page: Page, way: str, kind: str, control: Locator) -> None:
    """Does to a control what its kind is for, in one way."""
    if kind == "text":  # which is chosen in each way, and then typed into
        if way == "keyboard":
            control.focus()
        else:
            (page.mouse.click if way == "mouse" else page.touchscreen.tap)(*at(page, control, 0.5))
        expect(control).to_be_focused()
        control.press("End")
        control.press("Backspace")
    elif way == "keyboard":
        control.focus()
        to_an_end = "Home" if kind == "range" and not control.evaluate(IN_FIRST_HALF) else "End"
        page.keyboard.press({"range": to_an_end, "slider": "ArrowRight", "button": "Enter"}.get(kind, "Space"))
    elif kind == "slider":
        x, y = at(page, control, 0.5)
        dragged(page, way, (x, y), (x + 30, y))
    else:
        place = at(page, control, 0.5 if kind != "range" else 0.8 if control.evaluate(IN_FIRST_HALF) else 0.1)
        (page.mouse.click if way == "mouse" else page.touchscreen.tap)(*place)


def usable(figure: Locator) -> list[Locator]:
    """The controls that can be seen, less the radio buttons that are chosen."""
    chosen = "e => e.type === 'radio' && e.checked"
    return [one for one in figure.locator(site.CONTROLS).all() if one.is_visible() and not one.evaluate(chosen)]


def changes(page: Page, way: str, kind: str, control: Locator, figure: Locator) -> bool:
    """Whether the figure shows something else once the control was used."""
    before = figure.evaluate(SHOWN)
    use(page, way, kind, control)
    try:
        page.wait_for_function(DIFFERS, arg=[figure.element_handle(), before], timeout=CHANGED)
    except TimeoutError:
        return False
    return True


def any_changes(page: Page, way: str, kind: str, figure: Locator) -> bool:
    """Whether one of its controls of a kind does."""
    controls = [control for control in usable(figure) if control.evaluate(KIND) == kind]
    return any(changes(page, way, kind, control, figure) for control in controls[:TRIED])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MADE)
def test_each_kind_of_control_changes_what_is_shown(browser: Browser, address: str, name: str, way: str) -> None:
    size = {"width": 320, "height": 640} if way == "touch" else {"width": 1280, "height": 900}
    with browser.new_context(viewport=size, has_touch=way == "touch", reduced_motion="reduce") as context:
        page = context.new_page()
        figure = opened(page, address, name)
        kinds = sorted({control.evaluate(KIND) for control in usable(figure)})
        assert kinds  # buttons first: one of them shows what the model makes of the text as it is
        # Once more at the end: a button that goes back to the start changes nothing there.
        still = [kind for kind in kinds if not any_changes(page, way, kind, figure)]
        assert [kind for kind in still if not any_changes(page, way, kind, figure)] == []
        assert overflow(page) <= 0
