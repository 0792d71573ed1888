"""What a page makes a reader's browser fetch.

Scripts that nothing uses are not linked, icons and letters that no page shows are cut out of their fonts, images have
their sizes written down and wait until they are near.

The finished files in the build folder are changed here; nothing in the installed themes is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from fontTools import subset
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

# Scripts that extensions link on every page, whether or not the book uses them. The last two serve Sphinx's own search.
UNUSED = re.compile(
    r"thebe|mathjax|require\.min\.js|embed-amd\.js|togglebutton|toggle(Hint|Open)|translations\.js|design-tabs\.js"
    r"|doctools\.js|sphinx_highlight\.js",
    re.IGNORECASE,
)
STOCK_SEARCH = ("doctools.js", "sphinx_highlight.js", "searchtools.js", "language_data.js")
CSS_PIXELS = {"": 1, "px": 1, "pt": 96 / 72, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}
# What KaTeX draws: elements of these kinds and the text between them, up to the first element of another kind. Prose
# that follows in the same paragraph is taken along.
EQUATION = re.compile(r'class="katex-html"[^>]*>((?:</?(?:span|svg|path|line)\b[^>]*>|[^<]+)*)')
# One Font Awesome rule: the names of an icon, and its character.
ICON_RULE = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"([^"]+)"\}')


def needed(linked: Iterable[object]) -> list[object]:
    """The scripts or styles that a page links, without the unused ones, and each once."""
    files: dict[tuple[str, str], object] = {}
    for file in linked:
        name, body = str(getattr(file, "filename", "") or ""), getattr(file, "attributes", {}).get("body", "")
        if not UNUSED.search(name) and not UNUSED.search(body):
            files.setdefault((name, body), file)
    return list(files.values())


def lighten(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Take unused scripts and styles off a page and complete its images."""
    for files in ("script_files", "css_files"):
        context[files] = needed(context[files])
    if context.get("body"):
        context["body"] = with_sizes(app, context["body"])


def drop_settings(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Take out the settings that sphinx-thebe, which jupyter-book always loads, appends to every page."""
    for raw in list(doctree.findall(nodes.raw)):
        if "x-thebe-config" in raw.astext() or raw.astext().startswith("<script>kernelName"):
            raw.parent.remove(raw)


def length(text: str) -> float | None:
    """Return an SVG length in CSS pixels, or None where it depends on its surroundings."""
    match = re.fullmatch(r"([\d.]+)\s*([a-z]*)", text or "")
    return float(match[1]) * CSS_PIXELS[match[2]] if match and match[2] in CSS_PIXELS else None


@cache
def size(path: Path) -> tuple[int, int] | None:
    """Return an image's width and height in CSS pixels, or None where the file does not tell."""
    if path.suffix == ".svg":
        root = ElementTree.parse(path).getroot()
        width, height = length(root.get("width", "")), length(root.get("height", ""))
        if width is None or height is None:
            box = [float(number) for number in re.split(r"[\s,]+", root.get("viewBox", "").strip()) if number]
            if len(box) != 4:
                return None
            _, _, width, height = box
        return round(width), round(height)
    try:
        with Image.open(path) as image:
            return image.size
    except OSError:
        return None


def with_sizes(app: Sphinx, body: str) -> str:
    """Write each image's size into its tag, so that no page jumps; all but the first wait until they are near."""
    published = {name: Path(app.srcdir) / source for source, name in app.builder.images.items()}
    count = 0

    def complete(match: re.Match) -> str:
        nonlocal count
        tag = match[0]
        source = re.search(r'src="([^"]+)"', tag)
        if source is None or "loading=" in tag:
            return tag
        count += 1
        extra = ' decoding="async"' + (' loading="lazy"' if count > 1 else "")
        path = published.get(source[1].rsplit("/", 1)[-1])
        if path and path.is_file() and " width=" not in tag and "style=" not in tag and (sides := size(path)):
            extra += f' width="{sides[0]}" height="{sides[1]}"'
        return tag.replace("<img", "<img" + extra, 1)

    return re.sub(r"<img\b[^>]*>", complete, body)


def characters(text: str) -> set[int]:
    """Return the code points a piece of CSS `content` stands for: `\\f0e0`, or the character itself."""
    escaped = {int(code, 16) for code in re.findall(r"\\([0-9a-fA-F]{2,6})", text)}
    return escaped | {ord(letter) for letter in re.sub(r"\\[0-9a-fA-F]{2,6} ?", "", text)}


def shown_icons(out: Path) -> set[str]:
    """Return the names of the icons that a page or a script of the site asks for."""
    files = [*out.rglob("*.html"), *(out / "_static").rglob("*.js")]
    texts = (file.read_text("utf-8", "ignore") for file in files if "vendor" not in file.parts)
    return {name for text in texts for name in re.findall(r"\bfa-([\w-]+)", text)}


def prune_icons(out: Path) -> set[int]:
    """Take the rules of icons that are not shown out of the theme's style sheet; return the characters still needed."""
    sheet = out / "_static/styles/pydata-sphinx-theme.css"
    names, kept = shown_icons(out), set()

    def keep(match: re.Match) -> str:
        if names.isdisjoint(re.findall(r"fa-([\w-]+):before", match[1])):
            return ""
        kept.update(characters(match[2]))
        return match[0]

    text = ICON_RULE.sub(keep, sheet.read_text("utf-8"))
    text = re.sub(r',url\([^)]*\.ttf\)\s*format\("truetype"\)', "", text)
    text = re.sub(r"/\*# sourceMappingURL=.*?\*/", "", text)
    sheet.write_text(text, "utf-8")
    # The theme's own sheets write some icons as characters of the private-use area.
    for other in (out / "_static").rglob("*.css"):
        written = other.read_text("utf-8", "ignore")
        kept |= {code for code in characters(written) if 0xE000 <= code <= 0xF8FF}
    return kept


def letters(pages: Iterable[Path], within: str = "") -> set[int]:
    """Return every character of the pages that contain something: a superset of what their fonts must hold."""
    texts = (html.unescape(page.read_text("utf-8")) for page in pages)
    return {ord(letter) for text in texts if within in text for letter in set(text)}


def in_equations(pages: Iterable[Path]) -> set[int]:
    """Return the characters of the pages' equations, and all of ASCII, of which scripts write equations."""
    drawn = (html.unescape(piece) for page in pages for piece in EQUATION.findall(page.read_text("utf-8")))
    return {ord(letter) for piece in drawn for letter in re.sub(r"<[^>]*>", "", piece)} | set(range(0x20, 0x7F))


def cut(font_file: Path, codes: set[int], to: Path | None = None, **options: Any) -> None:
    """Reduce a font to the characters given, as woff2, in its own file or another; `options` are the subsetter's."""
    chosen = subset.Options(**{"flavor": "woff2", "layout_features": ["*"], "notdef_outline": True, **options})
    with subset.load_font(str(font_file), chosen) as font:
        subsetter = subset.Subsetter(chosen)
        subsetter.populate(unicodes=codes)
        subsetter.subset(font)
        subset.save_font(font, str(to or font_file), chosen)


def finish(app: Sphinx, error: Exception | None) -> None:
    """Reduce what the finished site carries."""
    if error is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    icons = prune_icons(out)
    for font in (static / "vendor/fontawesome/webfonts").glob("*.woff2"):
        cut(font, icons)
    of_equations = in_equations(out.rglob("*.html"))
    for font in (static / "katex/fonts").glob("*.woff2"):
        cut(font, of_equations, hinting=False)
    icon_script = static / "scripts/fontawesome.js"
    stock_search = [static / name for name in STOCK_SEARCH]
    for unused in [*static.rglob("*.map"), *static.rglob("*.ttf"), *static.glob("*thebe*"), icon_script, *stock_search]:
        unused.unlink(missing_ok=True)
    for script in (static / "scripts").glob("*.js"):
        text = script.read_text("utf-8")
        script.write_text(re.sub(r"//# sourceMappingURL=.*", "", text), "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", lighten, priority=900)
    app.connect("doctree-resolved", drop_settings, priority=900)
    app.connect("build-finished", finish)
