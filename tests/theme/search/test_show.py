"""The search in a browser: what is fetched and when, the keyboard, a screen reader, a file system, what is typed."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import AXE

pytestmark = pytest.mark.browser

HOME = "book/index.html"
FIELD, OPTION = "#pst-search-dialog input", "#search-list [role=option]"
FIRST_QUERY = 150_000  # bytes, gzipped


def ask(page: Page, query: str) -> list[str]:
    """Types a query into the dialog, which is opened where it is not, and returns where the results lead."""
    if not page.locator("#pst-search-dialog[open]").count():
        page.keyboard.press("Control+k")
    page.locator(FIELD).fill(query[:-1])
    page.locator(FIELD).press("End")
    page.locator(FIELD).press_sequentially(query[-1])
    page.locator(OPTION).first.wait_for()
    return page.locator(OPTION).evaluate_all("links => links.map(link => link.getAttribute('href'))")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    made = browser.new_page()
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.goto(address + HOME)
    yield made
    made.close()
    assert not errors


def test_nothing_is_fetched_before_the_dialog_opens_and_little_after(browser: Browser, address: str) -> None:
    page, weights = browser.new_page(), {}
    page.on("response", lambda response: weights.update({response.url: len(gzip.compress(response.body(), 6))}))
    page.goto(address + HOME, wait_until="networkidle")
    before = set(weights)
    assert [url.rpartition("/")[2].partition("?")[0] for url in before if "/search/" in url] == ["open.js"]
    assert not [url for url in before if "searchindex" in url or "doctools" in url]
    ask(page, "why divide by sqrt")
    page.locator(".search-text mark").first.wait_for()
    page.wait_for_load_state("networkidle")
    fetched = {url: weight for url, weight in weights.items() if url not in before}
    assert fetched and all(url.startswith(address) for url in fetched)
    assert sum(fetched.values()) < FIRST_QUERY, fetched
    page.close()


def test_results_are_shown_while_typing_and_say_what_they_are(page: Page, address: str) -> None:
    assert f"{address}notebooks/04-dot-product.html#why-the-root" in ask(page, "why divide by the ro")[:3]
    ask(page, "why divide by sqrt")
    first = page.locator(OPTION).first
    assert first.locator(".search-title").inner_text() == "4.4 Why the root?"
    assert first.locator(".search-kind").inner_text() == "Section"
    first.locator(".search-text mark").first.wait_for()
    ask(page, "Here the queries compete for each key")
    assert "Message of a check" in page.locator(f"{OPTION} .search-kind").all_inner_texts()


def test_the_keyboard_chooses_goes_and_closes(page: Page, address: str) -> None:
    results = ask(page, "KV cache")
    field = page.locator(FIELD)
    assert (field.get_attribute("role"), field.get_attribute("aria-expanded")) == ("combobox", "true")
    assert "result" in page.locator("#pst-search-dialog [role=status]").inner_text()
    for key, place in (
        ("ArrowDown", 0),
        ("ArrowDown", 1),
        ("ArrowUp", 0),
        ("ArrowUp", len(results) - 1),
        ("ArrowDown", 0),
    ):
        page.keyboard.press(key)
        chosen = page.locator(f"{OPTION}[aria-selected=true]")
        assert chosen.get_attribute("href") == results[place]
        assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.keyboard.press("Escape")
    page.locator("#pst-search-dialog[open]").wait_for(state="detached")
    ask(page, "KV cache")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(results[0])


def test_enter_alone_shows_all_results_on_a_page_with_links(page: Page, address: str) -> None:
    results = ask(page, "positonal encoding")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=positonal+encoding")
    links = page.locator("ol.search-list a")
    links.first.wait_for()
    listed = links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert listed[: len(results)] == results and len(listed) > len(results)
    page.locator(".search-page input").fill("exercise 4.3")
    page.wait_for_url("**/search.html?q=exercise+4.3")
    assert links.first.get_attribute("href") == f"{address}notebooks/04-dot-product.html#exercise-4-3-self-attention"


def test_it_works_from_a_file_system(browser: Browser, built: Path) -> None:
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built / "notebooks/06-transformer.html").as_uri())
    results = ask(page, "KV cache")
    assert results[0].startswith((built / "notebooks/07-language-model.html").as_uri())
    page.locator(".search-text mark").first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=KV+cache")
    page.locator("ol.search-list a mark").first.wait_for()
    assert all(url.startswith(("file:", "data:")) for url in asked)
    page.close()


def test_results_lead_into_the_site_from_the_page_of_missing_pages(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}404.html")
    assert ask(page, "exercise 4.3")[0] == f"{address}notebooks/04-dot-product.html#exercise-4-3-self-attention"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_dialog_and_page_are_accessible_and_fit(browser: Browser, address: str, scheme: str, width: int) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 640})
    found = []
    for place in (HOME, "search.html?q=scaled_dot_product_attention"):
        page.goto(address + place)
        if place == HOME:
            ask(page, "scaled_dot_product_attention")
            page.keyboard.press("ArrowDown")
        page.locator(".search-text mark").first.wait_for()
        page.evaluate(AXE)
        part = "#pst-search-dialog" if place == HOME else ".search-page"
        report = page.evaluate("part => axe.run(part, { resultTypes: ['violations'] })", part)
        found += [f"{rule['id']}: {node['html']}" for rule in report["violations"] for node in rule["nodes"]]
        for wide in ("document.documentElement", f"document.querySelector('{part}')"):
            assert page.evaluate(f"{wide}.scrollWidth - {wide}.clientWidth") <= 0, (place, wide)
    assert not found, "\n".join(found)
    page.close()


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "🙂🙂",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "q" * 5000,
        "zzzzqqqq",
        "\"'`${1}",
    ],
)
def test_whatever_is_typed_gets_a_sentence_and_is_never_markup(page: Page, address: str, typed: str) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(address + "search.html")
    page.locator(".search-page input").fill("x")
    page.locator("ol.search-list a").first.wait_for()
    page.locator(".search-page input").fill(typed)
    said = page.locator(".search-page [role=status]").inner_text()
    assert said.endswith((".", "results", "result", "characters")), said
    assert page.locator(".search-page :is(script, img)").count() == 0 and not dialogs


def test_without_a_script_the_page_leads_to_the_glossary(static: Page, address: str) -> None:
    static.goto(address + "search.html?q=attention")
    static.locator("noscript a", has_text="glossary").click()
    static.wait_for_url("**/book/glossary.html")
