"""What tests share that look at a page in a browser: axe, and what can be asked of a page or of a figure."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Frame, Locator, Page, Route

Trouble = Callable[[Route], None]  # what answers a request otherwise than the site does

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN_AXE = """([part, rules]) => axe.run(part, {
  resultTypes: ['violations'], preload: false, ...(rules && { runOnly: { type: 'rule', values: rules } }),
}).then(found => found.violations)"""


def violations(page: Page | Frame, part: str) -> list[str]:
    """What axe finds in the part of a page that a selector names: a line each."""
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(RUN_AXE, [part, None])
    return [f"{item['id']}: {node['html'][:200]}" for item in found for node in item["nodes"]]


def overflow(page: Page) -> int:
    """By how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def requested(page: Page) -> list[str]:
    """The files that a page asks for from now on, by name without suffix: the list grows with the requests."""
    names: list[str] = []
    page.on("request", lambda request: names.append(Path(request.url.split("?")[0]).stem))
    return names


def only_still(figure: Locator) -> bool:
    """Whether a living figure shows its still picture, and not the live one."""
    return figure.locator(".still").is_visible() and not figure.locator(".live").is_visible()
