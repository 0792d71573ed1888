"""What is aside, in the margin: what papers call a thing, what they found, where it came from.

A notebook has it as a fold. Where it is short, the page shows it open: beside the prose before it on a wide screen,
below that prose in small print on a narrow one and on paper. What is long, or holds a list, an equation or a table,
stays a fold.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_design.dropdown import dropdown_main

from theme.chapter import ChapterTransform

TITLES = ("As papers say it", "What the paper found", "Who uses")
LONGEST = 380  # characters
ROOM = 1.6  # characters of prose that are as high as one of a note
PROSE = (nodes.paragraph, nodes.bullet_list, nodes.enumerated_list)
CLASS = "margin-note"


def is_aside(node: nodes.Node) -> bool:
    """Say whether a fold is a note for the margin."""
    if not isinstance(node, dropdown_main) or not node.astext().startswith(TITLES):
        return False
    return len(node[-1].astext()) <= LONGEST and all(isinstance(child, nodes.paragraph) for child in node[-1])


def beside(note: nodes.Element) -> list[nodes.Element]:
    """The prose before a note that it stands beside: as much as is as high, or as there is."""
    prose: list[nodes.Element] = []
    siblings = note.parent.children
    room = ROOM * len(note.astext())
    for node in reversed(siblings[: siblings.index(note)]):
        if room <= 0 or not isinstance(node, PROSE):
            break
        prose.insert(0, node)
        room -= len(node.astext())
    return prose


class IntoMargin(ChapterTransform):
    """Runs once notes are folds (190) and experiments have taken theirs (196)."""

    default_priority = 197

    def run(self, **kwargs: object) -> None:
        for fold in [node for node in self.document.findall(dropdown_main) if is_aside(node)]:
            prose = beside(fold)
            if prose and isinstance(fold.parent, nodes.section):
                place = fold.parent.index(prose[0])
                section = fold.parent
                for node in (*prose, fold):
                    section.remove(node)
                section.insert(place, self.row(prose, fold))

    def row(self, prose: list[nodes.Element], fold: dropdown_main) -> nodes.container:
        """Prose, and the note beside it."""
        title, body = fold.children
        first = body[0]
        first.insert(0, [nodes.strong("", "", *title.children, classes=["margin-title"]), nodes.Text(" ")])
        note = [nodes.raw("", f'<aside class="{CLASS}">', format="html"), *body.children]
        note.append(nodes.raw("", "</aside>", format="html"))
        column = nodes.container("", *prose, is_div=True, classes=["margin-prose"], ids=fold["ids"])
        return nodes.container("", column, *note, is_div=True, classes=["with-margin"])


def setup(app: Sphinx) -> None:
    app.add_post_transform(IntoMargin)
