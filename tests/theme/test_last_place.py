"""Where the reader was last time: kept by the browser, shown, followed, forgotten; and nothing breaks without it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

pytestmark = pytest.mark.browser
CHAPTER, PLACE, TITLE = "notebooks/04-dot-product.html", "why-the-root", "4.4 Why the root?"
KEY = "attention-from-scratch-place"
KEPT = f"() => localStorage.getItem('{KEY}')?.includes('{PLACE}')"


@pytest.fixture
def context(browser: Browser) -> BrowserContext:
    made = browser.new_context(viewport={"width": 390, "height": 800})
    yield made
    made.close()


def read_on(page: Page, site: str) -> None:
    """Read a chapter as far as a section in its middle."""
    page.goto(site + CHAPTER)
    expect(page.locator(".last-place")).to_have_count(0)
    page.evaluate(f"document.getElementById('{PLACE}').scrollIntoView()")
    page.wait_for_function(KEPT)


@pytest.mark.parametrize("kind", ["served", "from a folder"])
def test_home_and_chapter_lead_back_until_it_is_forgotten(
    context: BrowserContext, address: str, built: Path, kind: str
) -> None:
    site = address if kind == "served" else f"{built.as_uri()}/"
    page = context.new_page()
    read_on(page, site)
    for name in (CHAPTER, "book/index.html"):
        page.goto(site + name)
        expect(page.locator(".last-place")).to_contain_text(f"You were at {TITLE} last time.")
    page.goto(site + "notebooks/05-multi-head.html")
    expect(page.locator(".last-place")).to_have_count(0)
    page.goto(site + "book/index.html")
    page.locator(".last-place a").click()
    page.wait_for_url(f"**/{CHAPTER}#{PLACE}")
    expect(page.locator(".last-place")).to_have_count(0)  # who comes by a link to a place is there
    page.goto(site + "book/index.html")
    page.locator(".last-place button").press("Enter")
    expect(page.locator(".last-place")).to_have_count(0)
    page.reload()
    expect(page.locator(".last-place")).to_have_count(0)


@pytest.mark.parametrize(
    "before",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
        f"localStorage.setItem('{KEY}', '{{not JSON')",
        f"localStorage.setItem('{KEY}', JSON.stringify({{ page: 'https://elsewhere/', id: 'x', title: 'there' }}))",
    ],
)
def test_without_a_store_or_with_a_spoilt_one_nothing_is_shown(
    context: BrowserContext, address: str, before: str
) -> None:
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.add_init_script(before)
    page.goto(address + "book/index.html")
    page.goto(address + CHAPTER)
    page.evaluate(f"document.getElementById('{PLACE}').scrollIntoView()")
    page.wait_for_timeout(800)
    mine = [line for line in said if "last-place" in line]
    assert page.locator(".last-place").count() == 0 and not mine
