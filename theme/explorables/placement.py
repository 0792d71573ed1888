"""Puts an explorable, living or not, into a chapter, where the notebook's text has a link to its own page.

In the notebook it is a paragraph, `[Figure 4.4: what it shows.](../book/NAME.md) Try first: ...` (`course.captions`);
a learner's copy has the call that shows it in the link's place (`course.handed_out`). The book puts the rest of the
paragraph first, then the figure with number and caption, and a link to the page, which says more. Without script and on
paper a chapter shows those sections of the figure alone that its template marks as still; its own page shows all.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

from theme.chapter import ChapterTransform
from theme.explorables.figure import Explorable

logger = logging.getLogger(__name__)
NUMBER = re.compile(r"Figure (\d+)\.(\d+): ")


class PlaceExplorables(ChapterTransform):
    """Runs before links are resolved (MyST's, 9)."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        for link in list(self.document.findall(addnodes.pending_xref)):
            number = NUMBER.match(link.astext())
            if number and link.get("refdomain") == "doc" and link.parent.index(link) == 0:
                self.place(link, (int(number[1]), int(number[2])))

    def place(self, link: addnodes.pending_xref, number: tuple[int, int]) -> None:
        """Put the figure of the page that a paragraph begins by linking to after what else the paragraph says."""
        page, paragraph = link["reftarget"], link.parent
        there = self.env.get_doctree(page) if page in self.env.found_docs else None
        explorable = next(iter(there.findall(Explorable)), None) if there is not None else None
        if explorable is None:
            logger.warning("%s has no figure to move", page, location=paragraph, type="course", subtype="figure")
            return
        text = paragraph.deepcopy()
        text.pop(0)
        first = text[0] if len(text) else None
        if isinstance(first, nodes.Text):
            text.replace(first, nodes.Text(first.lstrip()))
        own = nodes.reference("", "", nodes.Text("On a page of its own"), internal=True)
        own["refuri"] = self.app.builder.get_relative_uri(self.env.docname, page)
        label = nodes.strong("", "Figure {}.{}: ".format(*number), classes=["figure-number"])
        caption = nodes.caption("", "", label, *words(link), nodes.Text(" "), own, nodes.Text("."))
        figure = nodes.figure("", explorable.deepcopy(), caption, ids=["figure-{}-{}".format(*number)])
        figure["classes"] = ["live-figure"]
        paragraph.replace_self([text, figure] if text.astext().strip() else [figure])


def words(link: addnodes.pending_xref) -> list[nodes.Node]:
    """Return a link's words without the figure's number."""
    (inner,) = link.deepcopy().children
    first = next(iter(inner.findall(nodes.Text)))
    first.parent.replace(first, nodes.Text(NUMBER.sub("", first, count=1)))
    return list(inner.children)


def setup(app: Sphinx) -> None:
    app.add_post_transform(PlaceExplorables)
