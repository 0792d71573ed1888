"""The volume as EPUB 3: a file of XHTML for each page, pictures, a table of contents, and no script.

Equations stand as MathML, which readers of books draw or speak; figures to move as the still pictures that they are
without a script. No file has a time of its own, so that the same site gives the same bytes.
"""

import mimetypes
import re
import zipfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import tinycss2
from lxml import etree
from lxml.html import HtmlElement

from theme.schemes import selectors as selectors_of
from tools.bound.pages import Volume, relink

XHTML, SVG, MATHML = "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"
NAMESPACES = {"svg": SVG, "math": MATHML}
# The parser of HTML writes all names small; these are SVG's with a capital.
CAPITALS = {
    name.lower(): name
    for name in ("viewBox", "preserveAspectRatio", "textLength", "lengthAdjust", "clipPathUnits", "gradientUnits",
                 "gradientTransform", "spreadMethod", "patternUnits", "patternTransform", "markerWidth", "markerHeight",
                 "markerUnits", "refX", "refY", "clipPath", "linearGradient", "radialGradient", "foreignObject")
}  # fmt: skip
CONTROLS = ("button", "input", "select", "textarea", "output", "progress", "dialog", "audio", "video", "iframe")
UNWRAPPED = ("form", "label", "fieldset", "legend", "wbr")  # the parser of HTML lets a wbr hold what follows it
DROPPED = ("tabindex", "loading", "decoding", "autocomplete", "download", "title")  # attributes that say nothing here
LIGHT = 'html[data-theme="light"]'
TIME = (1980, 1, 1, 0, 0, 0)  # of every file in the archive, the earliest that it can say
CONTAINER = (
    '<?xml version="1.0" encoding="utf-8"?>\n<container version="1.0" '
    'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>\n'
)


@dataclass(frozen=True)
class About:
    """What a book's package says of it. `modified` is a time such as 2026-01-31T00:00:00Z."""

    title: str
    authors: tuple[str, ...]
    rights: str
    modified: str
    language: str = "en"


@dataclass(frozen=True)
class Item:
    """A file of the book: its name, its content, and what the package says of it."""

    name: str
    content: bytes
    kind: str
    properties: str = ""


def file_of(name: str) -> str:
    return f"{name.replace('/', '-')}.xhtml"


def adapted(article: HtmlElement) -> HtmlElement:
    """An article in what a book can show: MathML for equations, no controls. Changed in place."""
    for element in list(article.iter()):
        if not isinstance(element.tag, str):
            if element.getparent() is not None:
                element.drop_tree()
            continue
        if element.tag in CONTROLS or element.get("hidden") is not None or "katex-html" in element.get("class", ""):
            element.drop_tree()
        elif "-" in element.tag or element.tag in UNWRAPPED:
            element.drop_tag()
    for paragraph in article.xpath(".//summary/p"):
        paragraph.drop_tag()
    for element in article.iter():
        element.tag = CAPITALS.get(element.tag, element.tag)
        for name, value in list(element.attrib.items()):
            if name in DROPPED or unknown(element.tag, name, value):
                del element.attrib[name]
            elif name in CAPITALS:
                element.set(CAPITALS[name], value)
                del element.attrib[name]
        if element.tag == "path" and "d" not in element.attrib:  # the outline of a space
            element.set("d", "M0 0")
    return article


def unknown(tag: str, name: str, value: str) -> bool:
    """Whether an attribute is one that pages may have and books may not."""
    return (tag == "math" and name.startswith("aria-")) or (tag, name, value) == ("svg", "role", "group")


def qualified(article: HtmlElement, parent: etree._Element | None = None, within: str = XHTML) -> etree._Element:
    """The same tree with every element in its namespace, as XML wants it."""
    within = NAMESPACES.get(article.tag, XHTML if article.tag == "foreignObject" else within)
    tag = f"{{{within}}}{article.tag}"
    attributes = {name: value for name, value in article.attrib.items() if not re.match(r"xmlns\b|xlink:", name)}
    if "xlink:href" in article.attrib:
        attributes["href"] = article.attrib["xlink:href"]
    nsmap = {None: within}  # no prefixes: what is in a namespace says so once, where it begins
    new = etree.Element(tag, attributes, nsmap) if parent is None else etree.SubElement(parent, tag, attributes, nsmap)
    new.text, new.tail = article.text, article.tail
    for child in article:
        qualified(child, new, XHTML if article.tag == "foreignObject" else within)
    return new


def light(css: str) -> str:
    """A style sheet of the site as it is in the light: without conditions, without the other theme.

    >>> light('html[data-theme="light"] .k { color: red } html[data-theme="dark"] .k { color: pink }')
    'html .k{ color: red }'
    """
    kept = []
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            selectors = [each for each in selectors_of(rule) if "dark" not in each and ":not" not in each]
            if selectors:
                kept.append(f"{','.join(selectors)}{{{tinycss2.serialize(rule.content)}}}".replace(LIGHT, "html"))
    return "\n".join(kept)


def xhtml(title: str, body: etree._Element, sheets: list[str]) -> bytes:
    """A page of the book."""
    page = etree.Element(f"{{{XHTML}}}html", {"lang": "en"}, nsmap={None: XHTML})
    head = etree.SubElement(page, f"{{{XHTML}}}head")
    etree.SubElement(head, f"{{{XHTML}}}title").text = title
    for sheet in sheets:
        etree.SubElement(head, f"{{{XHTML}}}link", {"rel": "stylesheet", "type": "text/css", "href": sheet})
    etree.SubElement(page, f"{{{XHTML}}}body").append(body)
    etree.cleanup_namespaces(page)
    return etree.tostring(page, encoding="utf-8", xml_declaration=True, doctype="<!DOCTYPE html>")


def pages(volume: Volume, sheets: list[str]) -> tuple[list[Item], dict[str, str], set[str]]:
    """The book's pages, the title of each by its name, and the pictures that they show."""
    names, pictures = set(volume.names), set()

    def address(path: str, fragment: str) -> str | None:
        page = path.removesuffix(".html")
        if path.endswith(".html") and page in names:
            return file_of(page) + (f"#{fragment}" if fragment else "")
        if path.startswith("_images/"):
            pictures.add(path)
            return path
        return None

    items, titles = [], {}
    for name in volume.names:
        article = volume.article(name)
        titles[name] = volume.title(article)
        relink(article, name, address)
        body = qualified(adapted(article))
        kinds = (("mathml", MATHML), ("svg", SVG))
        properties = [kind for kind, space in kinds if next(body.iter(f"{{{space}}}*"), None) is not None]
        page = xhtml(titles[name], body, sheets)
        items.append(Item(file_of(name), page, "application/xhtml+xml", " ".join(properties)))
    return items, titles, pictures


def navigation(volume: Volume, titles: dict[str, str], about: About) -> bytes:
    """The table of contents, by part."""
    entries = []
    for part in volume.parts:
        links = "".join(f'<li><a href="{file_of(name)}">{escape(titles[name])}</a></li>' for name in part.names)
        entries.append(f"<li><span>{escape(part.caption)}</span><ol>{links}</ol></li>" if part.caption else links)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops" lang="en"><head><title>{escape(about.title)}</title></head><body>'
        f'<nav epub:type="toc"><h1>Contents</h1><ol>{"".join(entries)}</ol></nav></body></html>\n'
    ).encode()


def package(items: list[Item], spine: list[str], about: About) -> bytes:
    """The file that lists all others, with what is known of the book."""
    listed = "".join(
        f'<item id="i{number}" href="{escape(item.name)}" media-type="{item.kind}"'
        + (f' properties="{item.properties}"' if item.properties else "")
        + "/>"
        for number, item in enumerate(items)
    )
    ids = {item.name: f"i{number}" for number, item in enumerate(items)}
    order = "".join(f'<itemref idref="{ids[name]}"/>' for name in spine)
    creators = "".join(f"<dc:creator>{escape(author)}</dc:creator>" for author in about.authors)
    identifier = uuid5(NAMESPACE_URL, f"{about.title}, {', '.join(about.authors)}")
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier><dc:title>{escape(about.title)}</dc:title>'
        f"{creators}"
        f"<dc:language>{about.language}</dc:language><dc:rights>{escape(about.rights)}</dc:rights>"
        f'<meta property="dcterms:modified">{about.modified}</meta></metadata>'
        f"<manifest>{listed}</manifest><spine>{order}</spine></package>\n"
    ).encode()


def write(volume: Volume, about: About, to: Path) -> None:
    """Write the book.

    Raises:
        ValueError: where a page shows a picture that the site lacks, or is no page of the site.
    """
    styles = [(name, volume.site / "_static" / name) for name in ("inks.css", "pygments.css")]
    styles.append(("book.css", Path(__file__).with_name("book.css")))
    items, titles, pictures = pages(volume, [name for name, _ in styles])
    spine = [item.name for item in items]
    items += [Item(name, light(path.read_text("utf-8")).encode(), "text/css") for name, path in styles]
    for picture in sorted(pictures):
        kind = mimetypes.guess_type(picture)[0] or "application/octet-stream"
        items.append(Item(picture, (volume.site / picture).read_bytes(), kind))
    items.append(Item("nav.xhtml", navigation(volume, titles, about), "application/xhtml+xml", "nav"))
    to.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(to, "w") as archive:
        put(
            archive, "mimetype", b"application/epub+zip", zipfile.ZIP_STORED
        )  # first, and as it is: so it is recognized
        put(archive, "META-INF/container.xml", CONTAINER.encode())
        put(archive, "OEBPS/content.opf", package(items, spine, about))
        for item in items:
            put(archive, f"OEBPS/{item.name}", item.content)


def put(archive: zipfile.ZipFile, name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
    archive.writestr(zipfile.ZipInfo(name, TIME), content, how)
