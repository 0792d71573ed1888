"""Works: an entry's label in the bibliography is what a citation says, and a chapter's words lead to the entry.

A notebook names a work as every reader can read it, "Ashish Vaswani and others (2017)". Here those words become a link
to the bibliography; a work without an entry in `book/references.bib` fails the build.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

import pybtex.plugin
from docutils import nodes
from pybtex.backends.plaintext import Backend as PlainText
from pybtex.database import Entry
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

from theme import prose
from theme.chapter import ChapterTransform

logger = logging.getLogger(__name__)
NAME = r"(?:(?:van|von|de|der)\s)?[A-ZÀ-ÖØ-Þ][\w’'.-]*"
PERSON = rf"{NAME}(?:\s{NAME})*"
# One person or several, then the year: "Rabe and Staats, 2021", "Tri Dao and others (2022", "Mercer's (1980".
NAMED = re.compile(
    rf"({PERSON}(?:(?:,\s|\sand\s){PERSON})*(?:\sand\sothers|\sand\scolleagues|\set\sal\.)?(?:[’']s)?)(?:,\s|\s\()"
    r"((?:19|20)\d\d)\b"
)


@cache
def referencing() -> AuthorYearReferenceStyle:
    """How sphinxcontrib-bibtex writes a citation under `bibtex_reference_style: author_year`."""
    return AuthorYearReferenceStyle()


def label(entry: Entry) -> str:
    """Return an entry's label: `Vaswani et al., 2017`, in the words of a citation of it."""
    style = referencing()
    names = style.person.author_or_editor_or_title(full=False).format_data({"entry": entry, "style": style})
    words = str(names).replace("<nbsp>", " ")  # as pybtex writes what a browser keeps together
    return f"{words}{style.author_year_sep}{entry.fields['year']}"


class AuthorYearLabels(BaseLabelStyle):
    def format_labels(self, sorted_entries: Iterable[Entry]) -> list[str]:
        return [label(entry) for entry in sorted_entries]


class AuthorYear(PlainStyle):
    """pybtex's plain style with these labels; `_config.yml` names it `author_year`."""

    default_label_style = AuthorYearLabels


def surname(entry: Entry) -> str:
    """Return the first author's last name as a text names it, an organization's whole name."""
    person = (entry.persons.get("author") or entry.persons["editor"])[0]
    return " ".join(str(part) for part in person.rich_last_names)


def first_surname(names: str) -> str:
    """Return the first person's last name of the names that stand before a year."""
    first = re.split(r",\s|\sand\s|\set\sal", re.sub(r"[’']s$", "", names))[0]
    return first.split()[-1]


class LinkWorks(ChapterTransform):
    default_priority = 166

    def run(self, **kwargs: Any) -> None:
        there = defaultdict(list)
        cited: Any = self.env.get_domain("cite")  # sphinxcontrib-bibtex's own
        for citation in cited.citations:
            there[surname(citation.entry), citation.entry.fields["year"][:4]].append(citation)

        def link(around: nodes.Element, match: re.Match[str]) -> nodes.reference | None:
            citations = there[first_surname(match[1]), match[2]]
            if not citations:
                logger.warning(
                    "the text names a work, %r, that book/references.bib has not",
                    " ".join(match[0].split()),
                    location=around,
                    type="course",
                    subtype="work",
                )
            if len(citations) != 1:  # two of one year: the title beside the name says which
                return None
            page = self.app.builder.get_relative_uri(self.env.docname, citations[0].bibliography_key.docname)
            uri = f"{page}#{citations[0].citation_id}"
            return nodes.reference("", "", nodes.Text(match[0]), internal=True, refuri=uri, classes=["work"])

        prose.link(self.document, NAMED, link)


def setup(app: Sphinx) -> None:
    pybtex.plugin.register_plugin("pybtex.style.formatting", "author_year", AuthorYear)
    # Its own, said here too: else pybtex asks every installed package again for each citation, 3 s a build.
    pybtex.plugin.register_plugin("pybtex.backends", "plaintext", PlainText)
    app.add_post_transform(LinkWorks)
