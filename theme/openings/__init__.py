"""A chapter's opening figure: a picture that asks what the chapter asks, before it tells.

`chapters.py` has one function for each chapter, `marks.py` what they draw with. The head of the page (theme/head.py)
shows the picture beside its question, with a link to the section that answers it.
Safe to change: a chapter's question, section and drawing. Not safe: a number typed in, or an answer in the picture.
"""

from __future__ import annotations

import html
import re

from docutils import nodes

from theme.openings.chapters import OPENINGS


def sections(document: nodes.document) -> dict[str, str]:
    """The id of each numbered section of a chapter, by its number."""
    id_of = {}
    for section in document.findall(nodes.section):
        if match := re.match(r"(\d+\.\d+) ", section[0].astext()):
            id_of[match[1]] = section["ids"][0]
    return id_of


def figure(stem: str, places: dict[str, str]) -> str:
    """The markup of a chapter's opening figure, "" where it has none.

    Args:
        stem: the chapter's notebook.
        places: the ids of its sections by their numbers.

    Raises:
        ValueError: where the chapter has no section of the number that shall answer.
    """
    if stem not in OPENINGS:
        return ""
    asks = OPENINGS[stem]()
    if asks.section not in places:
        raise ValueError(f"the opening figure of {stem} leads to section {asks.section}: there are {', '.join(places)}")
    question = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", html.escape(asks.question, quote=False))
    link = f'<a href="#{html.escape(places[asks.section])}">section {asks.section}</a>'
    return (
        f'<figure class="opening"><div class="opening-picture">{asks.drawing}</div>'
        f'<figcaption><p class="opening-asks">{question}</p>'
        f"<p>Guess now; {link} answers.</p></figcaption></figure>"
    )
