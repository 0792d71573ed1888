"""One fold for all that a page folds away: a `dropdown`, and a note with the class `dropdown`, which JupyterLab folds.

Both become the same `<details>`: it needs no script, a search within the page opens it, and on paper it stands open
(`course.css`). A note keeps the color of its kind.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import admonitionlabels
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.dropdown import dropdown_main, dropdown_title
from sphinx_design.shared import is_component

KEPT = ("note", "tip", "important", "warning", "seealso")  # the kinds whose color a fold keeps


def is_fold(node: nodes.Node) -> bool:
    """Say whether a node is to be folded away."""
    if isinstance(node, nodes.Admonition) and isinstance(node, nodes.Element):
        return "dropdown" in node["classes"]
    return is_component(node, "dropdown")


def folded(node: nodes.Element) -> dropdown_main:
    """Return a note or dropdown as a fold: its title, then a block with all the rest."""
    has_title = isinstance(node[0], nodes.title | nodes.rubric)
    title = node[0].children if has_title else [nodes.Text(admonitionlabels.get(node.tagname, "More"))]
    ids = node["ids"] + (node[0]["ids"] if has_title else [])
    kinds = [kind for kind in KEPT if kind in (node.tagname, *node["classes"])]
    fold = dropdown_main(opened=node.get("opened", False), ids=ids, classes=["fold", *kinds])
    body = nodes.container("", *node.children[has_title:], is_div=True, classes=["fold-body"])
    fold += [dropdown_title("", "", *title), body]
    return fold


class FoldNotes(SphinxPostTransform):
    """Runs before sphinx-design makes cards of its dropdowns (199)."""

    default_priority = 190
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for node in list(self.document.findall(is_fold)):
            node.replace_self(folded(node))


def setup(app: Sphinx) -> None:
    app.add_post_transform(FoldNotes)
