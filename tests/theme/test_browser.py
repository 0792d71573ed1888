"""Every page in a real browser: light and dark, wide and narrow, menus closed and open.

One walk over the site gathers what the tests look at: requests, weights, the console, and axe's violations.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, Page, Response

from tests.browser import AXE, RUN_AXE, overflow

pytestmark = pytest.mark.browser

# In another color scheme a page may fail these anew, and the other rules only where it shows other elements.
OF_COLORS = ["color-contrast", "link-in-text-block"]
SHOWN = """(part) => [...document.querySelector(part).querySelectorAll('*')].map(
  element => element.localName + element.checkVisibility({ visibilityProperty: true })).join()"""
# What a menu is made of, wherever its links lead, and its styles: where it is the same, axe finds the same.
MADE_OF = """(part) => {
  const menu = document.querySelector(part).cloneNode(true);
  for (const link of menu.querySelectorAll('[href]')) link.setAttribute('href', '');
  for (const form of menu.querySelectorAll('[action]')) form.setAttribute('action', '');
  const styles = [...document.styleSheets].map(sheet => sheet.href ?? sheet.ownerNode.textContent);
  return [menu.outerHTML, ...styles].join('\\n');
}"""
# Colored code is thousands of elements of a few kinds: one of each kind is kept, which makes axe four times as fast.
# Equations look alike where they stand in the same kind of place, and are thinned out in the same way. So are the rows
# of a table that are made alike, each kept in an odd or even place as it was, and the shapes of a figure without text,
# none of which axe judges: it lays all that is on a page in a grid to judge any of it.
THIN_OUT = r"""() => {
  const seen = new Set();
  for (const token of document.querySelectorAll('.highlight span')) {
    if (seen.has(token.className)) token.replaceWith(...token.childNodes); else seen.add(token.className);
  }
  for (const equation of document.querySelectorAll('.katex')) {
    const [parent, around] = [equation.parentElement, equation.closest('table, aside, figure, li, .admonition')];
    const place = [parent, around].map(element => element && element.tagName + element.className).join();
    if (seen.has(place)) equation.replaceWith('x'); else seen.add(place);
  }
  const told = /^(aria-.*|role|style|class|scope|colspan|rowspan|tabindex)$/;  // by its value, others by their name
  const made = element => [element.localName, /\S/.test(element.textContent),
    ...[...element.attributes].map(({ name, value }) => told.test(name) ? `${name}=${value}` : name + !value)].join();
  for (const body of document.querySelectorAll('article :is(thead, tbody)')) {
    const [rows, kinds, kept] = [[...body.rows], new Set(), []];
    rows.forEach((row, place) => {
      const kind = [place % 2, ...[row, ...row.querySelectorAll('*')].map(made)].join(';');
      if (kinds.has(kind)) return;
      kinds.add(kind);
      kept.push(...kept.length % 2 === place % 2 ? [row] : [rows[place - 1], row]);
    });
    if (!body.querySelector('[rowspan]')) body.replaceChildren(...kept);
  }
  for (const figure of document.querySelectorAll('article svg:not(:has(text, a, foreignObject, title, desc))')) {
    const kinds = new Set();
    for (const shape of [...figure.querySelectorAll('*')].reverse()) {  // what is in a group before the group
      if (shape.childElementCount) continue;
      if (kinds.has(made(shape))) shape.remove(); else kinds.add(made(shape));
    }
  }
}"""
# Four fifths of axe's time went into contrast, which it measures at each element with text. It follows from how the
# element and those around it are painted, so two elements of each look are measured: on every page, in both themes, at
# both widths. Every other rule looks at everything.
MARK_LOOKS = r"""(part) => {
  const within = document.querySelector(part);
  const ids = new Map(), marked = new Map();
  const painted = ['backgroundColor', 'backgroundImage', 'opacity', 'filter', 'mixBlendMode', 'position', 'zIndex',
    'overflow', 'clip', 'clipPath', 'visibility', 'textShadow'];
  const own = ['color', 'fontSize', 'fontWeight', 'webkitTextStroke', 'webkitTextFillColor', 'display'];
  const id = key => ids.get(key) ?? ids.set(key, ids.size).get(key);
  const walk = (element, around) => {
    const style = getComputedStyle(element);
    const behind = painted.map(name => style[name]).join();
    const here = behind === plain ? around : id(`${around} ${behind}`);
    element.removeAttribute('data-look');
    const text = [...element.childNodes].map(node => node.nodeType === Node.TEXT_NODE ? node.data : '').join('');
    const says = text.trim() || element.matches('input, select, textarea');
    if (says && within.contains(element) && element.checkVisibility()) {
      const unsure = !/[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(text);  // axe does not judge a sign that stands alone
      const off = element.matches(':disabled, [aria-disabled=true]');  // nor what is disabled
      const look = `${here} ${unsure} ${off} ${own.map(name => style[name])}`;
      marked.set(look, (marked.get(look) ?? 0) + 1);
      if (marked.get(look) <= 2) element.setAttribute('data-look', '');
    }
    for (const child of element.children) walk(child, here);
  };
  const probe = document.documentElement.appendChild(document.createElement('span'));
  const plain = painted.map(name => getComputedStyle(probe)[name]).join();
  probe.remove();
  walk(document.documentElement, 0);
}"""
LOOKS_ALONE = "axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-look]' }] })"
# Menus lie outside what a page tells, and axe reads the whole page to look at any part of it.
TAKE_TEXT_OUT = "() => document.querySelector('article')?.replaceChildren()"
AT_ONCE = "*, ::before, ::after { transition: none !important; animation: none !important }"
SETTLE = "() => Promise.all(document.getAnimations().map(animation => animation.finished.catch(() => 0)))"
LOAD_ALL = """async () => {
  for (const image of document.images) { image.loading = 'eager'; await image.decode().catch(() => 0) }
  await document.fonts.ready
}"""
WIDTHS = {1280: 900, 390: 844}
SCHEMES = {1280: ("light", "dark"), 390: ("dark", "light")}  # each loads once, and changes with the system's setting
TEXT = ("text/", "javascript", "json", "svg", "xml")
HOME, HOME_LIMIT, PAGE_LIMIT = "book/index.html", 200_000, 350_000  # bytes, gzipped
# What opens: a name, the button (or the keys), what must show then, and the widths at which it is there.
MENUS = (
    ("site navigation", ".primary-toggle:visible", "#pst-primary-sidebar-modal[open]", (390,)),
    ("page contents", ".secondary-toggle:visible", "#pst-secondary-sidebar-modal[open]", (390,)),
    ("downloads", ".dropdown-download-buttons button:visible", ".dropdown-download-buttons .show", (1280, 390)),
    ("search", "Control+k", "#pst-search-dialog[open]", (1280, 390)),
)


@dataclass
class Visit:
    """What one page did in one setting."""

    page: str
    scheme: str
    width: int
    requests: list[str] = field(default_factory=list)
    bytes: int = 0
    console: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    overflow: int = 0

    def __str__(self) -> str:
        return f"{self.page} ({self.scheme}, {self.width} px)"


@dataclass
class Common:
    """What pages have in common, and is looked at once: files of the site, and menus that are made alike."""

    weights: dict[str, int] = field(default_factory=dict)
    menus: set[tuple[str, int, str]] = field(default_factory=set)

    def weight(self, response: Response) -> int:
        """What a response costs over a line that compresses text."""
        if response.url not in self.weights:
            try:
                body = response.body()
            except Exception:  # a redirect or an aborted request has no body
                return 0
            kind = response.headers.get("content-type", "")
            text = any(part in kind for part in TEXT)
            self.weights[response.url] = len(gzip.compress(body, 6)) if text else len(body)
        return self.weights[response.url]


def violations(page: Page, state: str, within: str = "html", rules: list[str] | None = None) -> list[str]:
    """axe-core's findings in a part of the page, by these rules or all, one line each."""
    # Transitions must be over before contrast is measured; style sheets need not be fetched a second time.
    page.evaluate(SETTLE)
    page.evaluate(MARK_LOOKS, within)
    items = page.evaluate(RUN_AXE, [within, rules])
    return [f"{state}: {item['id']}: {node['target']} {node['html'][:160]}" for item in items for node in item["nodes"]]


def prepare(page: Page) -> None:
    """Brings axe into the page, which gives up what would only take axe time."""
    page.evaluate(THIN_OUT)
    page.add_style_tag(content=AT_ONCE)
    page.evaluate(AXE)
    page.evaluate(LOOKS_ALONE)


def visit(page: Page, address: str, width: int, common: Common) -> list[Visit]:
    """The page as it loads in the first color scheme, then as it is after a change to each of the others."""
    name = urlparse(address).path.removeprefix("/")
    walked = [Visit(name, scheme, width) for scheme in SCHEMES[width]]
    looks = ""
    for seen in walked:
        page.emulate_media(color_scheme=seen.scheme)
        with listening(page, seen) as responses:
            if seen is walked[0]:
                page.goto(address)
            page.evaluate(LOAD_ALL)
            seen.bytes = sum(common.weight(response) for response in responses)
            seen.overflow = overflow(page)
            if seen is walked[0]:
                prepare(page)
            page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=seen.scheme)
            before, looks = looks, page.evaluate(SHOWN, "html")
            seen.violations += violations(page, "as shown", rules=OF_COLORS if looks == before else None)
    page.evaluate(TAKE_TEXT_OUT)
    for state, way, opened, widths in MENUS:
        if width in widths and not (state == "search" and name == "search.html"):
            look_into(page, walked, state, way, opened, common)
    return walked


@contextmanager
def listening(page: Page, seen: Visit) -> Iterator[list[Response]]:
    """Keeps what the page asks for and says, and gives the responses."""
    responses: list[Response] = []
    listeners = {
        "request": lambda request: seen.requests.append(request.url),
        "response": lambda response: responses.append(response),
        "console": lambda message: (
            seen.console.append(f"{message.type}: {message.text}") if message.type in ("error", "warning") else None
        ),
        "pageerror": lambda error: seen.console.append(f"uncaught: {error}"),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield responses
    for event, listener in listeners.items():
        page.remove_listener(event, listener)


def look_into(page: Page, walked: list[Visit], state: str, way: str, opened: str, common: Common) -> None:
    """axe's findings in a menu while it is open, in each color scheme; none where the page has no such menu, or where
    it is made as one that was looked at."""
    with listening(page, walked[-1]):
        if way == "Control+k":
            page.keyboard.press(way)
        elif page.locator(way).count():
            page.locator(way).first.click()
        else:
            return
        page.locator(opened).first.wait_for(state="attached")
    made, looks = (state, walked[0].width, page.evaluate(MADE_OF, opened)), ""
    for seen in reversed(walked) if made not in common.menus else ():  # it is in the last one's
        with listening(page, seen):
            page.emulate_media(color_scheme=seen.scheme)
            page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=seen.scheme)
            before, looks = looks, page.evaluate(SHOWN, opened)
            rules = OF_COLORS if looks == before else None
            seen.violations += violations(page, f"{state} open", opened, rules)
    common.menus.add(made)
    with listening(page, walked[-1]):
        page.emulate_media(color_scheme=walked[-1].scheme)
        page.keyboard.press("Escape")
        page.locator(opened).first.wait_for(state="detached")
        # The button's tooltip stays while it has the pointer or the focus, and may lie over the next button.
        page.mouse.move(0, 0)
        page.evaluate("document.activeElement.blur()")
        page.locator(".tooltip").first.wait_for(state="detached")


@pytest.fixture(scope="module")
def visits(browser: Browser, address: str, pages: list[str]) -> list[Visit]:
    walked, common = [], Common()
    for width, height in WIDTHS.items():
        context = browser.new_context(viewport={"width": width, "height": height})
        page = context.new_page()  # without a cache, so that each page weighs what it weighs alone
        context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
        for name in pages:
            if name != "index.html":  # which sends the reader on to the welcome page
                walked += visit(page, address + name, width, common)
        context.close()
    return walked


def test_no_request_leaves_the_site(visits: list[Visit], address: str) -> None:
    host = urlparse(address).netloc
    asked = [(seen, urlparse(url)) for seen in visits for url in seen.requests]
    assert not [f"{seen}: {url.geturl()}" for seen, url in asked if url.scheme != "data" and url.netloc != host]


def test_the_console_stays_empty(visits: list[Visit]) -> None:
    assert not [f"{seen}: {line}" for seen in visits for line in seen.console]


def test_axe_finds_nothing(visits: list[Visit]) -> None:
    lines = [f"{seen}: {line}" for seen in visits for line in seen.violations]
    assert not lines, "\n".join(lines)


def test_axe_sees_one_pale_word_and_one_nameless_image(browser: Browser, address: str) -> None:
    """Though it measures the contrast of two elements of each look only: a word of another color is another look."""
    page = browser.new_page()
    page.goto(address + HOME)
    page.evaluate("""() => {
      const last = [...document.querySelectorAll('article p')].at(-1);
      last.innerHTML = '<em style="color: #ddd; background: #eee">pale</em><img src="/favicon.ico">';
    }""")
    prepare(page)
    lines = violations(page, "as shown")
    assert len(lines) == 2 and {line.split(": ")[1] for line in lines} == {"color-contrast", "image-alt"}
    (line,) = violations(page, "in another scheme", rules=OF_COLORS)
    assert line.split(": ")[1] == "color-contrast"
    of_colors = page.evaluate("() => axe.getRules(['cat.color']).map(rule => rule.ruleId)")
    assert set(of_colors) - set(OF_COLORS) == {"color-contrast-enhanced"}  # which is beyond what is asked for
    page.close()


def test_axe_sees_the_one_row_and_the_one_figure_that_are_made_otherwise(browser: Browser, address: str) -> None:
    """Though alike rows and shapes are thinned out: each row that is left keeps its odd or even place."""
    page = browser.new_page()
    page.goto(address + HOME)
    page.evaluate("""() => {
      const pale = 'style="color: #ddd; background: #eee"', row = '<tr><td>said</td><td>done</td></tr>';
      const rows = [...Array(20).fill(row), `<tr><td ${pale}>pale</td><td>done</td></tr>`, row];
      const shapes = '<g id="a"><path d="M0 0h9"/></g>'.repeat(20);
      document.querySelector('article p').outerHTML =
        `<table id="rows"><thead><tr><th>one</th><th>two</th></tr></thead><tbody>${rows.join('')}</tbody></table>
         <svg role="img" aria-label="told" width="9" height="9">${shapes}</svg>
         <svg role="img" width="9" height="9">${shapes}</svg>`;
    }""")
    prepare(page)
    left = "([rows, shapes]) => [document.querySelectorAll(rows).length, document.querySelectorAll(shapes).length]"
    assert page.evaluate(left, ["#rows tbody tr", "svg[width='9'] path"]) == [3, 2]
    assert page.locator("#rows tbody tr").nth(2).inner_text().startswith("pale")  # the 21st: in an odd place, as now
    lines = violations(page, "as shown")
    assert len(lines) == 2 and {line.split(": ")[1] for line in lines} == {"color-contrast", "svg-img-alt"}
    page.close()


def test_no_page_scrolls_sideways(visits: list[Visit]) -> None:
    assert not [f"{seen}: {seen.overflow} px" for seen in visits if seen.overflow > 0]


def test_pages_weigh_little(visits: list[Visit]) -> None:
    heavy = [seen for seen in visits if seen.bytes > (HOME_LIMIT if seen.page == HOME else PAGE_LIMIT)]
    assert not [f"{seen}: {seen.bytes / 1000:.0f} KB" for seen in heavy]


def test_equations_are_drawn_in_their_own_letters(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}notebooks/04-dot-product.html")
    page.evaluate(LOAD_ALL)
    used = "[...document.fonts].filter(font => font.status === 'loaded').map(font => font.family.replaceAll('\"', ''))"
    assert {"KaTeX_Main", "KaTeX_Math", "KaTeX_Size3"} <= set(page.evaluate(used))
    upright = page.locator(".katex .mord.text").first.evaluate("element => getComputedStyle(element).fontFamily")
    assert upright.startswith("KaTeX_Main")
    page.close()


def test_the_theme_can_be_switched(browser: Browser, address: str) -> None:
    page = browser.new_page(color_scheme="light")
    page.goto(address + HOME)
    schemes = set()
    for _ in range(3):
        page.locator(".theme-switch-button:visible").first.click()
        schemes.add(page.evaluate("document.documentElement.dataset.theme"))
    assert schemes == {"light", "dark"}
    page.close()


def test_search_finds_a_word(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address + HOME)
    page.keyboard.press("Control+k")
    page.keyboard.type("teacher forcing")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    page.locator("ol.search-list a").first.wait_for()
    page.close()
