"""Figures of the notebooks: their drawings in the page's own colors, their captions, and the links to them.

A drawing is stored as SVG. It is put into the page itself, where the colors of `course.plots` become the page's CSS
variables: the same drawing is legible in the light, in the dark and on paper. Its caption is the comment at the head of
the cell that draws it (`course.captions`); "Figure 4.3" in the text of any page leads to that figure.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from course import captions, plots
from theme import cells, prose
from theme.notebooks import paths

logger = logging.getLogger(__name__)
SHEET = "inks.css"
COLOR = re.compile(r"#[0-9a-fA-F]{6}\b")
TARGET = re.compile(r"url\(#([^)]+)\)")
GLYPH = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*-[0-9a-f]+")  # a letter's outline: a font's name, the letter's number
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
INLINE = re.compile(r"`([^`]+)`|\$([^$]+)\$|\*([^*]+)\*")  # what a caption may hold beside words
KINDS = (nodes.literal, nodes.math, nodes.emphasis)
POINT = 96 / 72  # CSS pixels


# ---------------------------------------------------------------- drawings


def on_page(style: str) -> str:
    """Return a style with the page's colors in place of stored ones. Raises ValueError for a color of neither."""
    return COLOR.sub(lambda match: plots.page_color(match[0]), style)


def inlined(svg: str, alt: str, prefix: str, letters: dict[str, str]) -> str:
    """Return a stored drawing as markup for a page.

    Args:
        svg: what Matplotlib wrote.
        alt: what the drawing shows.
        prefix: what this drawing's own ids begin with, so that no two of a page are the same.
        letters: the outlines of letters by their id, which all drawings of a page share; new ones are put in.

    Raises:
        ValueError: where it is no SVG, has no size in points, holds a script or an address elsewhere, or a color that
            the page has not.
    """
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise ValueError(f"it is no SVG: {error}") from None
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)
            elif _local(child.tag) == "script":
                raise ValueError("it holds a script")
    renamed = _rename(root, prefix, letters)
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {_local(name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update({name: _value(name, value, renamed) for name, value in attributes.items()})
        if element.get("href", "#")[:1] != "#" and not element.attrib["href"].startswith("data:image/"):
            raise ValueError(f"it points to {element.attrib['href'][:80]}, which is not in the drawing")
        element.text, element.tail = (text if text and text.strip() else None for text in (element.text, element.tail))
    _take_ground_away(root)
    sides = [root.get(side, "") for side in ("width", "height")]
    if not all(side.endswith("pt") for side in sides):
        raise ValueError("it has no width and height in points, as Matplotlib writes them")
    width, height = (float(side.removesuffix("pt")) * POINT for side in sides)
    root.attrib.clear()
    root.attrib.update({
        "role": "img", "aria-label": alt, "viewBox": f"0 0 {width / POINT:g} {height / POINT:g}",
        "width": f"{width:.0f}", "height": f"{height:.0f}",
    })  # fmt: skip
    return ElementTree.tostring(root, "unicode")


def _local(name: str) -> str:
    """A name without its namespace: within a page, an SVG needs none."""
    return name.rsplit("}", 1)[-1]


def _rename(root: ElementTree.Element, prefix: str, letters: dict[str, str]) -> dict[str, str]:
    """Move the letters' outlines out, take ids away that nothing points to; return the others' ids on the page."""
    asked = set()
    for element in root.iter():
        for name, value in element.attrib.items():
            asked |= set(TARGET.findall(value))
            if _local(name) == "href":
                asked.add(value.removeprefix("#"))
    renamed = {}
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.attrib.pop("id", "")
            if name not in asked:
                continue
            renamed[name] = f"{prefix}-{name}"
            outline = f'<path d="{child.get("d")}" transform="{child.get("transform")}"'
            if GLYPH.fullmatch(name) and child.get("d") and letters.setdefault(name, outline) == outline:
                renamed[name] = name
                parent.remove(child)
            else:
                child.set("id", renamed[name])
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) == "defs" and not len(child):
                parent.remove(child)
    return renamed


def _value(name: str, value: str, renamed: dict[str, str]) -> str:
    """An attribute as the page has it."""
    if name == "href" and value.startswith("#"):
        if value[1:] not in renamed:
            raise ValueError(f"it points to {value}, which is not in the drawing")
        return "#" + renamed[value[1:]]
    if name in ("d", "x", "y"):
        value = LONG_NUMBER.sub(lambda match: f"{float(match[0]):.2f}", value)
        return re.sub(r"\s+", " ", value).strip()
    value = TARGET.sub(lambda match: f"url(#{renamed[match[1]]})", value)
    return on_page(value) if name == "style" else value


def _take_ground_away(root: ElementTree.Element) -> None:
    """Make the grounds of the figure and of its axes transparent: the first thing that Matplotlib draws in each."""
    figure = root.find("g")
    for group in () if figure is None else (figure, *figure.findall("g")):
        if len(group) and [(path.tag, path.get("style")) for path in group[0]] == [("path", "fill: var(--ground)")]:
            group.remove(group[0])


def sprite(letters: dict[str, str]) -> str:
    """Return the outlines of all letters of a page's drawings, each of them once."""
    paths = "".join(f'{outline} id="{name}"/>' for name, outline in sorted(letters.items()))
    return f'<svg class="letters" width="0" height="0" aria-hidden="true"><defs>{paths}</defs></svg>'


# ---------------------------------------------------------------- captions


def words(text: str) -> list[nodes.Node]:
    """Return a caption's words as nodes: code stands in backticks, mathematics between dollars, stress in stars."""

    def node(match: re.Match[str]) -> nodes.Node:
        return next(kind("", inner) for kind, inner in zip(KINDS, match.groups(), strict=True) if inner)

    return prose.substituted(text, INLINE, node)


def _raw(markup: str) -> nodes.raw:
    return nodes.raw("", markup, format="html")


def anchor(number: tuple[int, int]) -> str:
    return f"figure-{number[0]}-{number[1]}"


@cache
def pages(notebooks: Path) -> dict[tuple[int, int], str]:
    """Return the page of each figure by its number, from the committed notebooks."""
    page_of = {}
    for path in paths(notebooks):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for number in captions.numbers("".join(cell["source"]), cell["cell_type"] == "code"):
                page_of[number] = f"notebooks/{path.stem}"
    return page_of


class ShowFigures(SphinxPostTransform):
    """Runs once outputs have become what is shown and their alternative text has been looked at (alt_text, 155)."""

    default_priority = 160
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        letters: dict[str, str] = {}
        for cell in cells.code(self.document):
            for image in list(cell.findall(nodes.image)):
                self.show(image, cell, letters)
        if letters:
            self.document.append(nodes.raw("", sprite(letters), format="html"))

    def show(self, image: nodes.image, cell: nodes.container, letters: dict[str, str]) -> None:
        """Put a figure, its caption under it, in an image's place."""
        caption = captions.caption(cells.source(cell))
        if caption is None or caption.number is None:
            self.warn("this figure has no caption: begin its cell with a comment, # Figure: what it shows", image)
            return
        figure = nodes.figure("", ids=[anchor(caption.number)], classes=["course-figure"])
        image.replace_self(figure)
        # A wide figure scrolls within its own box on a phone: it must take the focus, or a keyboard cannot.
        box = '<div class="figure-box{}" tabindex="0" role="group" aria-label="Figure">'
        drawing = [_raw(box.format(" pixels")), image, _raw("</div>")]
        if image["uri"].endswith(".svg"):
            try:
                svg = (Path(self.env.srcdir) / image["uri"].lstrip("/")).read_text("utf-8")
                markup = inlined(svg, image.get("alt", ""), anchor(caption.number), letters)
            except ValueError as error:
                self.warn(f"the drawing of Figure {caption.number[0]}.{caption.number[1]}: {error}", figure)
            else:
                drawing = [_raw(f"{box.format('')}{markup}</div>")]
        number = nodes.strong("", f"Figure {caption.number[0]}.{caption.number[1]}: ", classes=["figure-number"])
        figure += [*drawing, nodes.caption("", "", number, *words(caption.words))]

    def warn(self, message: str, node: nodes.Node) -> None:
        logger.warning(message, location=node, type="course", subtype="figure")


class LinkFigures(SphinxPostTransform):
    """Makes a link of each "Figure 4.3" in running text. A number that no figure has fails the build."""

    default_priority = 165
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        prose.link(self.document, captions.REFERENCE, self.link)

    def link(self, around: nodes.Element, match: re.Match[str]) -> nodes.reference | None:
        number = (int(match[1]), int(match[2]))
        page = pages(Path(self.env.srcdir) / "notebooks").get(number)
        if page is None:
            logger.warning("there is no %s", match[0], location=around, type="course", subtype="figure")
            return None
        relative = "" if page == self.env.docname else self.app.builder.get_relative_uri(self.env.docname, page)
        name = nodes.Text(" ".join(match[0].split()))
        return nodes.reference("", "", name, internal=True, refuri=f"{relative}#{anchor(number)}")


def write_sheet(app: Sphinx) -> None:
    """Put the colors' style sheet into the site, before any page names it."""
    pages.cache_clear()
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / SHEET).write_text(plots.sheet(), "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_sheet)
    app.add_css_file(SHEET)
    app.add_post_transform(ShowFigures)
    app.add_post_transform(LinkFigures)
