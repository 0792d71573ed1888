"""Equations, made while the book is built."""

import pytest
from docutils import nodes
from playwright.sync_api import Browser

from theme import math

# Equations with a stop or a comma after them, and those of which that stands on the next line. Long ones may break.
PARTED = """() => {
  const parted = [];
  let stops = 0;
  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const equation of document.querySelectorAll('span.math')) {
    const text = equation.nextSibling;
    const last = [...equation.querySelectorAll('.base')].at(-1)?.getBoundingClientRect();
    if (text?.nodeType !== Node.TEXT_NODE || !/^[.,;:!?)]/.test(text.data) || !last?.width) continue;
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 1);
    stops += 1;
    const long = equation.querySelector('.katex-html').textContent.length > 24;
    if (range.getBoundingClientRect().left < last.right - 2 && !long) parted.push(equation.textContent);
  }
  return [stops, parted];
}"""


def test_an_equation_that_cannot_be_read_says_why() -> None:
    assert 'class="katex' in math.render(r"\alpha_{tj}", display=False)
    with pytest.raises(ValueError, match="KaTeX parse error"):
        math.render(r"\frac{1}", display=True)


def test_an_equation_that_cannot_be_read_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple] = []
    monkeypatch.setattr(math.logger, "warning", lambda *words, **where: told.append(words))
    equation = nodes.math("", r"\frac{1}")
    assert math.in_characters(equation) in math.markup(equation, display=False) and len(told) == 1


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_line_begins_with_the_stop_after_an_equation(browser: Browser, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    stops = 0
    for name in ("02-bahdanau", "04-dot-product", "05-multi-head"):
        page.goto(f"{address}/notebooks/{name}.html")
        count, parted = page.evaluate(PARTED)
        assert not parted, f"{name} at {width} px"
        stops += count
    assert stops > 50
    page.close()
