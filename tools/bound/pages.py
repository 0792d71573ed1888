"""The articles of the site in the order of the contents, each as a tree, with links that lead within the volume."""

import copy
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import yaml
from lxml import html
from lxml.html import HtmlElement

from theme.contents import pages
from theme.volume import CLASS

# What means nothing in a volume: the signs beside headings, scripts, what helps to solve an exercise.
LEFT_OUT = "headerlink", "exercise-foot", "prev-next-footer", CLASS
NAMES = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "headers", "list")  # attributes that name ids
REFERENCE = re.compile(r"url\(#([^)]+)\)")
XLINK = "xlink:href"


@dataclass
class Part:
    """A part of the volume: its caption, and the names of its pages, such as `notebooks/04-dot-product`."""

    caption: str
    names: list[str]


@dataclass
class Volume:
    """The built site in a folder, with the contents that are to be bound."""

    site: Path
    parts: list[Part]

    @cached_property
    def names(self) -> list[str]:
        return [name for part in self.parts for name in part.names]

    def article(self, name: str) -> HtmlElement:
        """A page's article, without what means nothing in a volume. Raises ValueError where the page has none."""
        page = html.parse(str(self.site / f"{name}.html"), html.HTMLParser(encoding="utf-8")).getroot()
        articles = page.xpath("//article[contains(@class, 'bd-article')]")
        if len(articles) != 1:
            raise ValueError(f"{name}.html has {len(articles)} articles, and should have one: is the site built whole?")
        article = copy.deepcopy(articles[0])
        article.tail = None
        for element in list(article.iter("script", "noscript", "template")):
            element.drop_tree()
        for element in list(article.iter()):
            if isinstance(element.tag, str) and set(LEFT_OUT) & set(element.get("class", "").split()):
                element.drop_tree()
        return article

    def title(self, article: HtmlElement) -> str:
        """What stands in an article's first heading."""
        heading = next(article.iter("h1"))
        without = copy.deepcopy(heading)
        for element in without.xpath(".//*[contains(@class, 'katex-html')] | .//annotation"):
            element.drop_tree()
        return " ".join(without.text_content().split())


def volume(site: Path, contents: Path) -> Volume:
    """The volume of a built site: the pages of its table of contents that were built, by part.

    Raises:
        ValueError: where none of the pages is there.
    """
    table = yaml.safe_load(contents.read_text("utf-8"))
    parts = [Part("", [table["root"]])]
    for part in table["parts"]:
        names = [name for name in pages(part) if (site / f"{name}.html").is_file()]
        if names:
            parts.append(Part(part["caption"], names))
    if len(parts) == 1 or not (site / f"{table['root']}.html").is_file():
        raise ValueError(f"there is no built book in {site}: run `make book` first")
    return Volume(site, parts)


def relink(article: HtmlElement, name: str, address: Callable[[str, str], str | None]) -> None:
    """Let every link and image of a page's article lead where `address` says.

    Args:
        article: changed in place.
        name: the page's own name; its links are relative to it.
        address: gives for a path from the site's root and a fragment what to link to, or None for what the volume does
            not hold: such a link becomes its words.
    """
    for element, attribute, value in list(references(article)):
        parsed = urlparse(value)
        if parsed.scheme or parsed.netloc:
            continue
        path, fragment = urldefrag(value)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else f"{name}.html"
        new = address(target, unquote(fragment))
        if new is not None:
            element.set(attribute, new)
        elif element.tag == "a":
            del element.attrib[attribute]
        else:
            raise ValueError(f"{name}.html shows {value}, which is not there")


def references(article: HtmlElement) -> Iterator[tuple[HtmlElement, str, str]]:
    """Every element that links or shows something, with the attribute that says what."""
    for element in article.iter():
        for attribute in ("href", "src", XLINK):
            if isinstance(element.tag, str) and (value := element.get(attribute)):
                yield element, attribute, value


def renamed(article: HtmlElement, prefix: str) -> None:
    """Begin every id of an article with a prefix, wherever it is named, so that articles can stand in one document."""
    for element in article.iter():
        if not isinstance(element.tag, str):
            continue
        if place := element.get("id"):
            element.set("id", prefix + place)
        for attribute in NAMES:
            if value := element.get(attribute):
                element.set(attribute, " ".join(prefix + each for each in value.split()))
        for attribute, value in element.attrib.items():
            if "url(#" in value:
                element.set(attribute, REFERENCE.sub(lambda match: f"url(#{prefix}{match[1]})", value))
