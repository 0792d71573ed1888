"""How to cite the book and each of its chapters, as BibTeX, from `CITATION.cff`, the notebooks and the site's address.

`{citation}` is the book's entry; `{chapter-citations}` has one for each chapter, folded, with a place of its own.
"""

from __future__ import annotations

import os
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from theme import address
from theme.notebooks import ROOT, titles

SOURCE = ROOT / "CITATION.cff"
KEY = "attention-from-scratch"


def authors(cff: dict[str, Any]) -> str:
    """The authors as BibTeX has them: a group's name in braces, so that no part of it is taken for a family name."""
    listed = cff["authors"]
    return " and ".join(
        f"{{{author['name']}}}" if "name" in author else f"{author['family-names']}, {author['given-names']}"
        for author in listed
    )


def entry(kind: str, key: str, fields: dict[str, str | None]) -> str:
    """A BibTeX entry, without the fields that are not known."""
    given = {name: value for name, value in fields.items() if value}
    width = max(map(len, given))
    lines = [f"  {name:<{width}} = {{{value}}}," for name, value in given.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def book(cff: dict[str, Any], year: str, site: str | None) -> str:
    """The book's entry."""
    fields = {"title": cff["title"], "author": authors(cff), "year": year, "note": f"Version {cff['version']}"}
    return entry("book", KEY, {**fields, "url": site})


def chapter(cff: dict[str, Any], year: str, site: str | None, stem: str, title: str) -> str:
    """The entry of the chapter of a notebook."""
    return entry(
        "incollection",
        f"{KEY}-{stem[:2]}",
        {
            "title": title,
            "chapter": str(int(stem[:2])),
            "booktitle": cff["title"],
            "author": authors(cff),
            "year": year,
            "note": f"Version {cff['version']}",
            "url": site and f"{site}notebooks/{stem}.html",
        },
    )


class Citation(SphinxDirective):
    """`{citation}`: the book's entry."""

    def sources(self) -> tuple[dict[str, Any], str, str | None]:
        """What entries are made of: the content of `CITATION.cff`, the year, and the site's address, if it has one."""
        self.env.note_dependency(str(SOURCE))
        cff = yaml.safe_load(SOURCE.read_text("utf-8"))
        return cff, str(self.config.copyright).split(",")[0], address.site(os.environ)

    def run(self) -> list[nodes.Node]:
        return [block(book(*self.sources()))]


class ChapterCitations(Citation):
    """`{chapter-citations}`: an entry for each chapter, in folds."""

    def run(self) -> list[nodes.Node]:
        sources = self.sources()
        folds: list[nodes.Node] = []
        for stem, title in titles().items():
            folds.append(nodes.raw("", f'<details class="fold" id="cite-{stem[:2]}">', format="html"))
            folds.append(nodes.raw("", f"<summary>{stem[:2]} {title}</summary>", format="html"))
            folds += [block(chapter(*sources, stem, title)), nodes.raw("", "</details>", format="html")]
        return folds


def block(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="bibtex")


def setup(app: Sphinx) -> None:
    app.add_directive("citation", Citation)
    app.add_directive("chapter-citations", ChapterCitations)
