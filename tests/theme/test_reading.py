"""Reading: by keyboard, without a script, on a narrow phone, on paper; a line's length; what a chapter leads to."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = "notebooks/04-dot-product.html"
CHAPTERS = [f"notebooks/{path.stem}.html" for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))]
SOME = ("book/index.html", CHAPTER, "book/attention-step.html", "book/bibliography.html", "search.html")
# The color of an element's text, and of the ground that it stands on, as red, green, blue.
PAINTED = """(element) => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  let ground = [255, 255, 255];
  for (let e = element; e; e = e.parentElement) {
    const [r, g, b, a = 1] = channels(getComputedStyle(e).backgroundColor);
    if (a > 0) { ground = [r, g, b]; break }
  }
  return [channels(getComputedStyle(element).color).slice(0, 3), ground];
}"""
# Every element that takes the focus and is shown, focused in turn as after a key: those without a line around them.
UNSEEN = """() => {
  const unseen = [];
  let stops = 0;
  for (const element of document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    element.focus();
    if (document.activeElement !== element) continue;
    stops += 1;
    const shown = element.matches('[type=radio]') ? element.closest('label') : element;
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(shown);
    const line = outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && !/^rgba.*, 0\\)$/.test(outlineColor);
    if (!element.matches(':focus-visible') || !line) unseen.push(shown.outerHTML.slice(0, 160));
  }
  return [stops, unseen];
}"""


def luminance(channels: list[float]) -> float:
    """WCAG 2.2, relative luminance."""
    shares = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * shares[0] + 0.7152 * shares[1] + 0.0722 * shares[2]


def contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# ---------------------------------------------------------------- the keyboard


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_is_seen_wherever_it_goes(browser: Browser, address: str, pages: list[str], scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    missing = []
    for name in pages if scheme == "light" else SOME:
        if name == "index.html":  # which sends the reader on to the welcome page
            continue
        page.goto(address + name)
        page.keyboard.press("Tab")
        stops, unseen = page.evaluate(UNSEEN)
        assert stops > 20, name
        missing += [f"{name}: {markup}" for markup in unseen]
    assert not missing, "\n".join(missing[:20])
    line = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--course-orange')").strip()
    _, ground = page.locator("main").first.evaluate(PAINTED)
    assert contrast([int(line[place : place + 2], 16) for place in (1, 3, 5)], ground) >= 3
    page.close()


# ---------------------------------------------------------------- without a script


@pytest.fixture(params=["light", "dark"])
def plain(request: pytest.FixtureRequest, browser: Browser) -> BrowserContext:
    """A browser without scripts, on a system with this wish; `wish` says which."""
    context = browser.new_context(java_script_enabled=False, color_scheme=request.param)
    context.wish = request.param
    yield context
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", SOME[:4])
def test_colors_are_there_without_a_script(plain: BrowserContext, address: str, name: str) -> None:
    page = plain.new_page()
    page.goto(address + name)
    text, ground = page.locator("article h1").first.evaluate(PAINTED)
    assert (luminance(ground) < 0.1) == (plain.wish == "dark") and contrast(text, ground) >= 7


@pytest.mark.browser
def test_code_is_colored_without_a_script(plain: BrowserContext, address: str) -> None:
    page = plain.new_page()
    page.goto(address + CHAPTER)
    colors = set()
    for kind in ("k", "n", "mi", "c1", "s2"):
        text, ground = page.locator(f".highlight span.{kind}").first.evaluate(PAINTED)
        assert contrast(text, ground) >= 4.5, kind
        colors.add(tuple(text))
    assert len(colors) >= 4 and (luminance(ground) < 0.1) == (plain.wish == "dark")


# ---------------------------------------------------------------- a narrow phone, and paper


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 1920])  # those between, in test_browser.py
def test_no_page_scrolls_sideways(browser: Browser, address: str, pages: list[str], width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 640})
    wide = []
    for name in pages:
        if name != "index.html":  # which sends the reader on to the welcome page
            page.goto(address + name)
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wide += [f"{name}: {over} px"] if over > 0 else []
    page.close()
    assert not wide


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SOME[:4])
def test_paper_is_white_and_legible_from_either_theme(browser: Browser, address: str, name: str, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto(address + name)
    page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    page.emulate_media(media="print", color_scheme=scheme)
    seen = page.locator("article :is(h1, h2, p, li, td, th, a, code, .highlight span, summary, figcaption)")
    pale = []
    for text, ground, words in seen.evaluate_all(
        "(elements, painted) => elements.filter(e => e.checkVisibility() && e.textContent.trim())"
        ".map(e => [...eval(painted)(e), e.outerHTML.slice(0, 120)])",
        PAINTED,
    ):
        if luminance(ground) < 0.7 or contrast(text, ground) < 4.4:
            pale.append(f"{text} on {ground}: {words}")
    assert not pale, "\n".join(pale[:20])
    page.close()


@pytest.mark.browser
def test_no_line_of_code_is_cut_on_paper(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 718, "height": 1000})  # A4 with Chromium's margins, in CSS pixels
    page.goto(address + CHAPTER)
    page.emulate_media(media="print")
    cut = page.locator("article .cell_input pre").evaluate_all(
        "blocks => blocks.filter(pre => pre.scrollWidth > pre.clientWidth + 1).map(pre => pre.textContent.slice(0, 80))"
    )
    assert not cut
    page.close()


# ---------------------------------------------------------------- lines, and what a chapter leads to

LINES = """() => {
  const counts = [];
  for (const paragraph of document.querySelectorAll('article section > p')) {
    if (paragraph.querySelector('.math, img, svg') || paragraph.textContent.length < 200) continue;
    const range = document.createRange(); range.selectNodeContents(paragraph);
    const rows = new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 6)));
    const height = parseFloat(getComputedStyle(paragraph).lineHeight);
    const lines = Math.round(paragraph.getBoundingClientRect().height / height);
    if (rows.size > 2) counts.push(paragraph.textContent.length / (lines - .5));
  }
  return counts;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 1600, 1920])
def test_prose_has_lines_of_about_seventy_characters(browser: Browser, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(address + CHAPTER)
    counts = page.evaluate(LINES)
    assert len(counts) > 10 and 60 <= sum(counts) / len(counts) <= 80
    prose = page.locator("article section > p").first.bounding_box()["width"]
    code = page.locator("article .cell_input").first.bounding_box()["width"]
    assert code > 1.2 * prose
    page.close()


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_leads_to_its_solutions_words_and_works(built: Path, name: str) -> None:
    text = (built / name).read_text("utf-8")
    stem = Path(name).name
    for target in (f"../book/solutions/{stem}", "../book/glossary.html", "../book/bibliography.html"):
        assert re.search(rf'<p class="beside">.*?href="{re.escape(target)}"', text, re.DOTALL), target
    assert re.search(r'href="\.\./book/glossary\.html#term-', text)
    assert re.search(r'<a class="work[^"]*" href="\.\./book/bibliography\.html#id\d+"', text)


ENTRY = re.compile(r'<div class="citation" id="([^"]+)"[^>]*>\s*<span class="label">(.*?)</span>\n', re.DOTALL)
CITED = re.compile(r'href="[^"#]*bibliography\.html#(id\d+)"[^>]*>((?:(?!</a>).)*)</a>(?=[],])')


def plain_text(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup)


def test_a_citation_says_what_its_entry_is_labelled(built: Path) -> None:
    bibliography = (built / "book" / "bibliography.html").read_text("utf-8")
    labels = {match[1]: plain_text(match[2]).strip("[]") for match in ENTRY.finditer(bibliography)}
    assert len(labels) > 100 and len(set(labels.values())) == len(labels)
    pages = list((built / "book").rglob("*.html"))
    cited = [(page, *found) for page in pages for found in CITED.findall(page.read_text("utf-8"))]
    assert len(cited) > 20
    for page, target, words in cited:
        said = plain_text(words)  # the label, or where the text names the authors, its year
        assert labels[target] == said or labels[target].endswith(f", {said}"), page.name


@pytest.mark.browser
def test_every_search_button_has_a_name(browser: Browser, address: str, pages: list[str]) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    nameless = []
    for name in pages:
        if name != "index.html":
            page.goto(address + name)
            buttons = page.locator("button.search-button, button.search-button-field, .bd-search button, [type=search]")
            nameless += [
                f"{name}: {markup}"
                for markup in buttons.evaluate_all(
                    "all => all.filter(e => !(e.ariaLabel || e.textContent.trim())).map(e => e.outerHTML.slice(0, 120))"
                )
            ]
    page.close()
    assert not nameless


# The header's buttons, with two more as a book has them that knows its repository; then those that lie on each other.
OVERLAPPING = """() => {
  const download = document.querySelector('.article-header-buttons .dropdown-download-buttons');
  for (let i = 0; i < 2; i++) download.before(download.cloneNode(true));
  const all = [...document.querySelectorAll('.bd-header-article :is(a, button)')].filter(e => e.checkVisibility());
  const boxes = all.map(e => e.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return [all.length, all.filter((_, i) => boxes.some((box, j) => i < j && meet(boxes[i], box))).map(e => e.title)];
}"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390, 1280, 1920])
def test_no_button_of_the_header_lies_on_another(browser: Browser, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 600})
    page.goto(address + CHAPTER)
    count, on_others = page.evaluate(OVERLAPPING)
    assert count >= 6 and not on_others
    page.close()
