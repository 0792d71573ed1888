"""Figures that answer to the reader: each is whole and right as plain HTML; a small script lets one walk through it.

An explorable is a module here with a directive, for a page of its own in `book/`; `placement` puts it into its chapter
too. Its markup is a template in `templates/explorables/`, its style and, where it needs one of its own, its script are
`static/explorables/<name>.css` and `.js`. All share `figure.css`: frame, buttons, caption; most share `choices.js`: a
section for every combination of choices, and buttons that show one. Only the pages that show one load any.
A figure that runs a trained model is a living one: made in `theme/living/`, placed and styled as all are.
Safe to change: figures, one by one. Not safe: HTML that says less than the figure does with its script.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from theme.explorables import (
    attention_plane,
    attention_step,
    figure,
    measured_bars,
    patch_cost,
    placement,
    position_clocks,
    roofline,
    score_matrix,
)

EXPLORABLES = (attention_plane, attention_step, measured_bars, score_matrix, position_clocks, patch_cost, roofline)
STATIC = Path(__file__).parent.parent / "static"


def load(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Link the script and the style of the explorables that a page shows."""
    if doctree is None:
        return
    for name in dict.fromkeys(name for node in doctree.findall(figure.Explorable) for name in node["files"]):
        if (STATIC / f"{name}.css").is_file():
            app.add_css_file(f"{name}.css")
        if (STATIC / f"{name}.js").is_file():
            app.add_js_file(f"{name}.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    figure.setup(app)
    placement.setup(app)
    for module in EXPLORABLES:
        module.setup(app)
    app.connect("html-page-context", load)
