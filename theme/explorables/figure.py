"""A figure of `course.figures` as a part of the document: its directive, its node, the files that its page links."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from course.figures import FIGURES, switches


class Explorable(nodes.General, nodes.Element):
    """A finished figure: `markup` is its HTML, `styles` and `scripts` name what its page links, below `_static/`."""


class Explore(SphinxDirective):
    """`{explorable} NAME`: the figure of that name; with the option `small` without its tables, its content a caption.

    A page that shows it is made anew where its numbers are others.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"small": directives.flag}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"there is no figure {name!r}; there are {', '.join(sorted(FIGURES))}")
        if self.options and "small" not in inspect.signature(FIGURES[name]).parameters:
            raise self.error(f"the figure {name!r} has no small form: leave `:small:` out")
        figure = FIGURES[name](**dict.fromkeys(self.options, True))
        for path in figure.sources:
            self.env.note_dependency(str(path))
        explorable = Explorable("", markup=figure.markup, styles=figure.linked(".css"), scripts=figure.linked(".js"))
        if not self.content:
            return [explorable]
        caption = nodes.caption("", "", nodes.Text(" ".join(self.content)))
        return [nodes.figure("", explorable, caption, classes=["live-figure"])]


def load(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Link the scripts and the styles of the explorables that a page shows."""
    explorables = list(doctree.findall(Explorable)) if doctree is not None else []
    for style in dict.fromkeys(style for node in explorables for style in node["styles"]):
        app.add_css_file(style)
    for script in dict.fromkeys(script for node in explorables for script in node["scripts"]):
        app.add_js_file(script, loading_method="defer")


def write_curves(app: Sphinx) -> None:
    """Put the one script that is made, and not kept, into the site, beside those that load it."""
    switches.data.cache_clear()
    if app.builder.format == "html":
        path = Path(app.outdir) / "_static" / "living" / f"{switches.NAME}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(switches.script(), "utf-8")


def visit(self: HTML5Translator, node: Explorable) -> None:
    self.body.append(node["markup"])
    raise nodes.SkipNode


def skip(self: object, node: Explorable) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_node(Explorable, html=(visit, None), epub=(visit, None), latex=(skip, None), text=(skip, None))
    app.add_directive("explorable", Explore)
    app.connect("builder-inited", write_curves)
    app.connect("html-page-context", load)
