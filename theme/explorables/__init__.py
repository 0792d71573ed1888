"""Figures that answer to the reader: each is whole and right as plain HTML; a small script lets one walk through it.

An explorable is a module here with a directive; its markup is a template in `templates/explorables/`, its script and
style are `static/explorables/<name>.js` and `.css`, which only the pages that show it load.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from theme.explorables import attention_step, figure

EXPLORABLES = (attention_step,)


def load(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Link the script and the style of the explorables that a page shows."""
    if doctree is None:
        return
    for name in sorted({node["name"] for node in doctree.findall(figure.Explorable)}):
        app.add_css_file(f"explorables/{name}.css")
        app.add_js_file(f"explorables/{name}.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    figure.setup(app)
    for module in EXPLORABLES:
        module.setup(app)
    app.connect("html-page-context", load)
