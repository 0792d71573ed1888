"""What all explorables share: the document's node, and the rendering of its template."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

TEMPLATES = Path(__file__).parent.parent / "templates" / "explorables"


class Explorable(nodes.General, nodes.Element):
    """A finished figure: `markup` is its HTML, `files` its scripts and styles, named below `static/` without suffix."""


@cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["number"] = number
    made.filters["vector"] = vector
    return made


def number(value: float, digits: int = 2) -> str:
    """Write a number with a true minus sign, and no minus before a zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def vector(values: Sequence[float], digits: int = 1) -> str:
    """Write a vector: `(1.2, −0.4)`."""
    return "(" + ", ".join(number(value, digits) for value in values) + ")"


def explorable(name: str, **context: object) -> Explorable:
    """Return the node of an explorable from its template and the numbers that go into it."""
    files = ["explorables/figure", "explorables/choices", f"explorables/{name}"]
    return Explorable("", files=files, markup=environment().get_template(f"{name}.html").render(context))


def visit(self: HTML5Translator, node: Explorable) -> None:
    self.body.append(node["markup"])
    raise nodes.SkipNode


def skip(self: object, node: Explorable) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_node(Explorable, html=(visit, None), epub=(visit, None), latex=(skip, None), text=(skip, None))
