"""Figures: drawings in the page's colors, legible in every theme and on paper; captions, numbers and links."""

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image as Picture
from playwright.sync_api import Browser, Page

from course import captions
from theme import figures
from theme.notebooks import paths

NOTEBOOKS = paths()
OPEN = '<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt">'
DRAWING = (
    OPEN + '<defs><style type="text/css">*{stroke-linecap: butt}</style></defs><g id="figure_1">'
    '<g id="patch_1"><path d="M 0 0 L 9.123456 9" style="fill: #ffffff"/></g>'
    '<g id="axes_1"><g id="patch_2"><path d="M 0 0 z" style="fill: #ffffff"/></g>'
    '<g id="line"><path d="M 1 2" clip-path="url(#p1)" style="fill: none; stroke: #0072b2"/></g>'
    '<g id="text_1"><!-- 0 --><g transform="scale(0.1 -0.1)"><defs><path id="DejaVuSans-13" d="M 1 1" '
    'transform="scale(0.015625)"/></defs><use xlink:href="#DejaVuSans-13"/></g></g></g></g>'
    '<defs><clipPath id="p1"><rect x="0" y="0" width="1" height="1"/></clipPath></defs></svg>'
)


def test_a_drawing_takes_the_pages_colors_and_lets_its_ground_through() -> None:
    letters: dict[str, str] = {}
    markup = figures.inlined(DRAWING, "a “line”", "figure-4-1", letters)
    assert 'aria-label="a “line”"' in markup and 'width="96" height="48"' in markup
    assert 'style="fill: none; stroke: var(--ink-blue)"' in markup
    assert "ground" not in markup and "#0072b2" not in markup and "style>" not in markup
    assert 'clip-path="url(#figure-4-1-p1)"' in markup and 'id="figure-4-1-p1"' in markup
    assert letters == {"DejaVuSans-13": '<path d="M 1 1" transform="scale(0.015625)"'}
    assert 'href="#DejaVuSans-13"' in markup and 'id="DejaVuSans-13"' in figures.sprite(letters)


def test_letters_stand_once_on_a_page_and_another_font_under_the_same_id_stands_apart() -> None:
    letters: dict[str, str] = {}
    figures.inlined(DRAWING, "a line", "figure-4-1", letters)
    markup = figures.inlined(DRAWING.replace('d="M 1 1"', 'd="M 2 2"'), "a line", "figure-4-2", letters)
    assert len(letters) == 1 and 'href="#figure-4-2-DejaVuSans-13"' in markup and 'id="figure-4-2-DejaVu' in markup


@pytest.mark.parametrize(
    ("within", "words"),
    [
        ("<script>1</script>", "a script"),
        ('<use xlink:href="https://example.org/a.svg#b"/>', "points to https://example.org"),
        ('<path style="fill: #123456"/>', "#123456 is no color"),
        ("<path>", "it is no SVG"),
    ],
)
def test_what_a_page_must_not_hold_is_refused(within: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        figures.inlined(f"{OPEN}{within}</svg>", "a drawing", "figure-4-1", {})


def test_a_drawing_without_a_size_is_refused() -> None:
    with pytest.raises(ValueError, match="no width and height in points"):
        figures.inlined("<svg/>", "a drawing", "figure-4-1", {})


def test_a_caption_holds_code_mathematics_and_stress() -> None:
    text, code, _, equation, _, stressed, _ = figures.words("Where `augment` puts $d_k$, by *chase*.")
    assert text.astext() == "Where " and (code.tagname, code.astext()) == ("literal", "augment")
    assert (equation.tagname, equation.astext()) == ("math", "d_k")
    assert (stressed.tagname, stressed.astext()) == ("emphasis", "chase")


# ---------------------------------------------------------------- in the notebooks and on the pages


def numbers_in_order(path: Path) -> list[tuple[int, int]]:
    """Of all figures of a notebook, those to move among them."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [n for cell in cells for n in captions.numbers("".join(cell["source"]), cell["cell_type"] == "code")]


def cells_with_figures(path: Path) -> list[dict]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    kinds = [{kind for output in cell.get("outputs", []) for kind in output.get("data", {})} for cell in cells]
    drawn = [cell for cell, kind in zip(cells, kinds, strict=True) if any(name.startswith("image/") for name in kind)]
    assert drawn
    return drawn


def is_drawing(cell: dict) -> bool:
    return any("image/svg+xml" in output.get("data", {}) for output in cell["outputs"])


class Ids(HTMLParser):
    """A page's ids, and what its drawings point to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.pointed: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if tag == "use" and name == "href":
                self.pointed.add((value or "").removeprefix("#"))
            self.pointed |= set(re.findall(r"url\(#([^)]+)\)", value or ""))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_figure_has_its_number_and_every_drawing_stands_in_the_page(path: Path, built: Path) -> None:
    page = (built / "notebooks" / path.with_suffix(".html").name).read_text("utf-8")
    drawn = cells_with_figures(path)
    numbers = numbers_in_order(path)
    assert numbers == [(int(path.stem[:2]), place) for place in range(1, len(numbers) + 1)]
    for cell in drawn:
        found = captions.caption("".join(cell["source"]))
        assert found is not None and found.number in numbers, f"cell {cell['id']} has no figure's number"
        number = found.number
        figure = re.search(rf'<figure [^>]*id="{figures.anchor(number)}".*?</figure>', page, re.DOTALL)
        shown = "<svg role=" if is_drawing(cell) else "<img "
        assert figure and shown in figure[0] and f"Figure {number[0]}.{number[1]}:" in figure[0], cell["id"]
    drawings = sum(map(is_drawing, drawn))
    assert drawings and page.count('class="figure-box"') == drawings
    read = Ids(page)
    assert read.pointed <= set(read.ids) and len(read.ids) == len(set(read.ids))


def test_the_text_leads_to_the_figures_that_it_names(built: Path) -> None:
    named = 0
    for path in NOTEBOOKS:
        text = (built / "notebooks" / path.with_suffix(".html").name).read_text("utf-8")
        prose = [
            captions.LINKED.sub("", "".join(cell["source"]))
            for cell in json.loads(path.read_text("utf-8"))["cells"]
            if cell["cell_type"] == "markdown"
        ]
        numbers = {match.groups() for source in prose for match in captions.REFERENCE.finditer(source)}
        drawn = [captions.caption("".join(cell["source"])) for cell in cells_with_figures(path)]
        missing = [found for found in drawn if found and found.number and tuple(map(str, found.number)) not in numbers]
        assert not missing, f"{path.stem}: the text names these figures nowhere: {missing}"
        for number in numbers:
            link = f'href="#figure-{number[0]}-{number[1]}">Figure {number[0]}.{number[1]}</a>'
            assert link in text, f"{path.stem}: Figure {number}"
            named += 1
    assert named > 20


@pytest.mark.browser
def test_a_figure_of_pixels_has_no_white_ground(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.goto(f"{address}notebooks/08-vit.html")
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    box = page.locator("#figure-8-9 .figure-box.pixels")
    box.locator("img").evaluate("image => { image.loading = 'eager'; return image.decode() }")

    def corner() -> tuple[int, ...]:
        """The color of the picture's own first pixels, as they are shown."""
        offset = box.evaluate("b => { const [o, i] = [b, b.firstElementChild].map(e => e.getBoundingClientRect()); "
                              "return [i.x - o.x + 3, i.y - o.y + 3] }")  # fmt: skip
        shown = Picture.open(io.BytesIO(box.screenshot())).convert("RGB")
        return shown.getpixel((round(offset[0]), round(offset[1])))

    assert corner() == (0xFC, 0xFB, 0xF7)  # the page's ground
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert corner() == (0xDE, 0xDA, 0xD0)  # a card of dimmed paper
    page.emulate_media(media="print", color_scheme="dark")
    assert corner() == (255, 255, 255)
    page.close()


# What is drawn in a figure, with the contrast to what lies under it: letters at least 4.5 to 1, lines and marks 3 to 1
# (WCAG 2.2, 1.4.3 and 1.4.11). Grids, frames and areas that are meant to be pale are no lines; pictures have their own.
CONTRASTS = r"""() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => known.get(color) ?? (() => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    known.set(color, [r, g, b, a / 255]);
    return known.get(color);
  })();
  const over = ([r, g, b], alpha, below) => [r, g, b].map((c, i) => c * alpha + below[i] * (1 - alpha));
  const luminance = color => color.map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + .05) / (y + .05);
  };
  const letters = document.querySelector('svg.letters');
  const shown = (element) => {
    let alpha = 1;
    for (let e = element; e.localName !== 'svg'; e = e.parentElement) alpha *= Number(getComputedStyle(e).opacity);
    return alpha;
  };
  const found = [];
  for (const svg of document.querySelectorAll('.figure-box > svg')) {
    let ground = null;
    for (let e = svg; e && !ground; e = e.parentElement) {
      const [r, g, b, a] = rgba(getComputedStyle(e).backgroundColor);
      if (a > 0) ground = [r, g, b];
    }
    const number = svg.closest('figure').id, below = [];
    ground ??= [255, 255, 255];
    for (const element of svg.querySelectorAll('path, use, image')) {
      if (element.closest('defs, clipPath')) continue;
      const style = getComputedStyle(element), alpha = shown(element), own = element.getAttribute('style') ?? '';
      if (element.localName === 'image') { below.push([element, null]); continue }
      const [fill, stroke] = [style.fill, style.stroke].map(color => color === 'none' ? null : rgba(color));
      const solid = fill && fill[3] * style.fillOpacity * alpha, box = element.getBoundingClientRect();
      const target = element.localName === 'use' && document.querySelector(element.getAttribute('href'));
      const letter = target && letters.contains(target);
      const x = box.x + box.width / 2, y = box.y + box.height / 2;
      let under = ground, picture = false;
      for (const [other, color, share] of below) {
        const place = new DOMPoint(x, y).matrixTransform(other.getScreenCTM().inverse());
        const { left, right, top, bottom } = other.getBoundingClientRect();
        const [across, down] = [(2 * x - left - right) / (right - left), (2 * y - top - bottom) / (bottom - top)];
        const within = other.localName === 'image' ? Math.max(Math.abs(across), Math.abs(down)) <= 1.02  // or its edge
          : other.localName === 'use' ? Math.hypot(across, down) <= 1 : other.isPointInFill(place);
        if (!within) continue;
        picture = color === null;
        if (!picture) under = over(color, share, under);
      }
      if (picture) continue;
      if (letter) {
        if (box.width) found.push([number, 'letter', contrast(over(fill, solid, under), under), own || style.fill]);
        continue;
      }
      const pale = /--gray-(grid|tint)|--ground/.test(own) || (solid && solid <= .5);
      if (stroke && !pale && !/fill: var\(--tint/.test(own)) {
        const mixed = over(stroke, stroke[3] * style.strokeOpacity * alpha, ground);
        found.push([number, 'line', contrast(mixed, ground), own]);
      } else if (!stroke && solid && !pale && !/--tint/.test(own)) {
        found.push([number, 'mark', contrast(over(fill, solid, ground), ground), own]);
      }
      if (solid) below.push([element, fill, solid]);
    }
  }
  return found;
}"""
LEAST = {"letter": 4.5, "line": 3, "mark": 3}


@pytest.fixture(scope="module")
def sheet(browser: Browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_letters_and_lines_are_legible_in_both_themes_and_on_paper(path: Path, sheet: Page, address: str) -> None:
    sheet.emulate_media(media="screen", color_scheme="light")
    sheet.goto(f"{address}notebooks/{path.stem}.html")
    sheet.evaluate("() => document.querySelectorAll('details').forEach(details => { details.open = true })")
    for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
        sheet.emulate_media(media=media, color_scheme=scheme)
        sheet.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        seen = sheet.evaluate(CONTRASTS)
        kinds = {kind for _, kind, _, _ in seen}
        assert {"letter", "line"} <= kinds
        pale = {f"{where} {kind} {at:.1f}: {style}" for where, kind, at, style in seen if at < LEAST[kind]}
        assert not pale, (media, scheme, sorted(pale))


@pytest.mark.browser
def test_the_contrasts_see_a_pale_letter_and_a_pale_line(sheet: Page, address: str) -> None:
    sheet.emulate_media(media="screen", color_scheme="light")
    sheet.goto(f"{address}notebooks/04-dot-product.html")
    sheet.add_style_tag(content="#figure-4-1 svg { fill: #aaa } #figure-4-1 path { stroke: #ccc !important }")
    found = sheet.evaluate(CONTRASTS)
    seen = [(kind, at) for where, kind, at, _ in found if where == "figure-4-1" and at < LEAST[kind]]
    assert {kind for kind, _ in seen} >= {"letter", "line"}
