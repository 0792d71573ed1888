"""Markup that screen readers and keyboards can use, where the extensions' own falls short.

Each repair names what it mends.
What a template makes is mended in `templates/`; here is what documents make.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

# (found, put in its place, why)
REPAIRS = (
    # MyST-NB: the label replaces the visible words of a folded cell's summary, so that speech control cannot name it.
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
    # A wide listing scrolls within its box: it must take the focus, or a keyboard cannot scroll it.
    ("<pre><span></span>", '<pre tabindex="0"><span></span>'),
    # So does a wide table of results (course/table.py).
    (
        '<div class="output text_html"><table>',
        '<div class="output text_html" tabindex="0" role="group" aria-label="Table"><table>',
    ),
    # docutils gives a bibliography's entries a role that was withdrawn, and its list one without list items.
    (' role="doc-biblioentry"', ""),
    (' role="list"', ""),
)
# The empty corner of a table is no heading of anything.
EMPTY_HEADING = re.compile(r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>")


def repair(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Mend a page's body."""
    body = context.get("body")
    if not body:
        return
    for pattern, instead in REPAIRS:
        body = body.replace(pattern, instead)
    context["body"] = EMPTY_HEADING.sub(r"<td\1></td>", body)


def name_toggles(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Give the arrows of the table of contents, which unfold a chapter's further pages, words that can be read out."""
    generate = context.get("generate_toctree_html")
    if generate is not None:
        label = '<summary aria-label="Show or hide the pages that belong to this one">'
        context["generate_toctree_html"] = lambda *args, **kw: str(generate(*args, **kw)).replace("<summary>", label)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", repair, priority=950)
    app.connect("html-page-context", name_toggles, priority=950)
