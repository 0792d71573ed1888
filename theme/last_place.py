"""Where the reader was last time: a small script on the home page and on chapters, which asks nobody else."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from theme.chapter import is_chapter


def load(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    if is_chapter(pagename) or pagename == app.config.root_doc:
        app.add_js_file("last-place.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", load)
