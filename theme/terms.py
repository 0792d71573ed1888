"""The glossary's terms and the chapters that introduce them.

A chapter introduces a term by setting it in bold at its first use. That is the one mark, and no list says it again.
Here it becomes a link to the glossary, and each entry of the glossary names the first of its places.
`tests/notebooks/test_terms.py` walks the terms through the chapters and fails where one is used before that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import snowballstemmer  # Sphinx brings it, for its search: plurals and other inflections are one word to it
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from theme.chapter import ChapterTransform, is_chapter
from theme.notebooks import ROOT

GLOSSARY = ROOT / "book" / "glossary.md"
PAGE = "book/glossary"
WORD = re.compile(r"[\w'\N{RIGHT SINGLE QUOTATION MARK}]+")
_IRREGULAR = {"axes": "axis"}
_STEMMER = snowballstemmer.stemmer("english")


@cache
def stem(word: str) -> str:
    """`gradients` -> `gradient`. An abbreviation such as BLEU stays as it is, less a plural's s."""
    bare = re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]s?$", "", word)
    if sum(map(str.isupper, bare)) > 1:
        return bare.removesuffix("s")
    american = re.sub(r"is(e|ed|es|ing|ations?)$", r"iz\1", bare.lower())  # both spellings are one word
    return _STEMMER.stemWord(_IRREGULAR.get(american, american))


def stems(text: str) -> tuple[str, ...]:
    """The words of a text, each as its stem; a hyphen divides words as a space does."""
    return tuple(map(stem, WORD.findall(text)))


def entries(page: str) -> list[list[str]]:
    """The entries of a page's first glossary, each with all its names."""
    made: list[list[str]] = []
    goes_on = False
    for line in page.split(":::{glossary}\n")[1].split("\n:::")[0].splitlines():
        is_name = bool(line[:1].strip())
        if is_name and goes_on:
            made[-1].append(line)
        elif is_name:
            made.append([line])
        goes_on = is_name
    return made


def introduced(doctree: nodes.document) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Of everything in bold, in its order: the stems, and the id and the title of the section that it stands in."""
    for bold in doctree.findall(nodes.strong):
        section = bold.parent
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        if section is not None:
            yield stems(bold.astext()), section["ids"][0], section[0].astext()


def note_introduced(app: Sphinx, doctree: nodes.document) -> None:
    if is_chapter(app.env.docname):
        app.env.metadata[app.env.docname]["introduced"] = list(introduced(doctree))


def outdated(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """The glossary is made again with any chapter, and the chapters with the glossary: each links to the other."""
    chapters = [page for page in env.found_docs if is_chapter(page)]
    touched = added | changed | removed
    return [PAGE] * (not touched.isdisjoint(chapters)) + chapters * (PAGE in touched)


class LinkToGlossary(ChapterTransform):
    """In a chapter, the first bold of each term leads to the glossary."""

    default_priority = 150

    def run(self, **kwargs: Any) -> None:
        terms = {
            stems(name): target
            for name, _, kind, page, target, _ in self.env.get_domain("std").get_objects()
            if kind == "term" and page == PAGE
        }
        for bold in list(self.document.findall(nodes.strong)):
            if isinstance(bold.parent, nodes.paragraph) and (target := terms.pop(stems(bold.astext()), "")):
                bold.replace_self(make_refnode(self.app.builder, self.env.docname, PAGE, target, bold.deepcopy()))


class LeadBack(SphinxPostTransform):
    """In the glossary, each entry names the first section that introduces it."""

    default_priority = 150
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        if self.env.docname != PAGE:
            return
        pages = sorted(page for page in self.env.found_docs if is_chapter(page))
        places = [(page, *place) for page in pages for place in self.env.metadata[page].get("introduced", ())]
        for item in self.document.findall(nodes.definition_list_item):
            names = {stems(term.astext()) for term in item.findall(nodes.term)}
            if place := next((place for place in places if place[1] in names), None):
                page, _, section, title = place
                said = title if title[:1].isdigit() else f"chapter {PurePosixPath(page).name[:2]}, {title}"
                link = make_refnode(self.app.builder, PAGE, page, section, nodes.inline("", said))
                item[-1][-1] += [nodes.Text(" Introduced in "), link, nodes.Text(".")]


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", note_introduced)
    app.connect("env-get-outdated", outdated)
    app.add_post_transform(LinkToGlossary)
    app.add_post_transform(LeadBack)
