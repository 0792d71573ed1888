"""Equations as HTML and MathML, made when the book is built: pages need no script and no network for them.

KaTeX runs inside V8, by way of mini-racer, while the book builds; its style sheet and its fonts are linked on pages
with an equation. `katex.py` finds all of it in installed packages.
"""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from course.plots import page_color
from theme import katex

logger = logging.getLogger(__name__)
STORED = re.compile(r"\bcolor:(#[0-9a-fA-F]{6})\b")
OPENS, CLOSES = "(“‘", ".,;:!?)”’-"
LONGEST = 24  # characters of an equation that is kept on one line with the punctuation around it
FOLDER = "katex"  # of the styles and fonts, among the files that pages share


@cache
def engine():
    """Return the V8 context with KaTeX in it; started at the first equation, closed when the build ends."""
    from py_mini_racer import MiniRacer

    context = MiniRacer()
    context.eval(katex.script())
    return context


@cache
def render(tex: str, display: bool) -> str:
    """Return the markup of an equation.

    Raises:
        ValueError: with KaTeX's own message, where the equation cannot be read, and for a color that figures lack.
    """
    options = {"displayMode": display, "throwOnError": True, "strict": "error", "output": "htmlAndMathml"}
    # The error is caught inside V8: what crosses is a value, whatever the version of the bridge.
    call = f"katex.renderToString({json.dumps(tex)}, {json.dumps(options)})"
    answer = str(engine().eval(f"(() => {{ try {{ return 'y' + {call} }} catch (e) {{ return 'n' + e.message }} }})()"))
    if answer[0] == "n":
        raise ValueError(answer[1:])
    # A symbol's color is the page's, as in figures; MathML's own would be the stored one.
    marked = STORED.sub(lambda match: f"color:{page_color(match[1])}", answer[1:])
    return re.sub(r' mathcolor="[^"]*"', "", marked)


def markup(node: nodes.Node, display: bool) -> str:
    """Return the markup of a node's equation; where it cannot be read, warn and show the source."""
    tex = node.astext()
    try:
        return render(tex, display)
    except ValueError as error:
        message = "the equation %r cannot be rendered: %s"
        logger.warning(message, tex[:80], error, location=node, type="course", subtype="math")
        return f"<code>{html.escape(tex)}</code>"


def keep_together(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put what stands at an equation without a space, such as a comma or a parenthesis, on one line with it.

    A browser may break a line before and after an equation, whatever character is next. Long ones go on breaking at
    their relations: a phone has no room for them on one line.
    """
    if app.builder.format != "html":
        return
    for equation in list(doctree.findall(nodes.math)):
        parent, at = equation.parent, equation.parent.index(equation)
        before, after = text_at(parent, at - 1), text_at(parent, at + 1)
        opens = before[len(before.rstrip(OPENS)) :]
        closes = after[: len(after) - len(after.lstrip(CLOSES))]
        if opens + closes and len(in_characters(equation)) <= LONGEST:
            inside = nodes.Text(opens), equation, nodes.Text(closes)
            parent[at] = nodes.inline("", "", *inside, classes=["together"])
            if opens:
                parent[at - 1] = nodes.Text(before.removesuffix(opens))
            if closes:
                parent[at + 1] = nodes.Text(after.removeprefix(closes))


def text_at(parent: nodes.Element, place: int) -> str:
    """Return the text that is the child at this place; "" where another node is there, or none."""
    child = parent[place] if 0 <= place < len(parent) else None
    return str(child) if isinstance(child, nodes.Text) else ""


def in_characters(node: nodes.math) -> str:
    """Return the characters of the equation that a page shows; where it cannot be read, its source."""
    try:
        drawn = render(node.astext(), display=False)
    except ValueError:
        return node.astext()
    _, begins, rest = drawn.rpartition('<span class="katex-html"')
    return re.sub(r"<[^>]+>", "", begins + rest)


def is_heading(node: nodes.math) -> bool:
    """Say whether the equation is all that a table's heading cell holds."""
    cell = node.parent.parent
    in_head = isinstance(cell, nodes.entry) and isinstance(cell.parent.parent, nodes.thead)
    return in_head and cell.astext().strip() == node.astext().strip()


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    equation = markup(node, display=False)
    if is_heading(node):
        # Read out with every cell below it, where MathML alone gives a heading no name.
        equation = equation.replace("<math ", f'<math aria-label="{html.escape(node.astext())}" ', 1)
    self.body.append(f'<span class="math">{equation}</span>')
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    # A wide equation scrolls within its own box: it must take the focus, or a keyboard cannot scroll it.
    self.body.append('<div class="equation" tabindex="0" role="group" aria-label="Equation">')
    self.body.append(markup(node, display=True) + "</div>")
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def add_styles(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Link the style sheet on pages that have an equation, and on no other."""
    if doctree is not None and any(isinstance(node, nodes.math | nodes.math_block) for node in doctree.findall()):
        app.add_css_file(f"{FOLDER}/katex.css")


def write_styles(app: Sphinx) -> None:
    """Put the style sheet and the fonts into the site, before any page names them."""
    if app.builder.name == "html":
        katex.write(Path(app.outdir) / "_static" / FOLDER)


def close(app: Sphinx, error: Exception | None) -> None:
    if engine.cache_info().currsize:
        engine().close()
        engine.cache_clear()


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("katex", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    app.connect("builder-inited", write_styles)
    app.connect("doctree-resolved", keep_together)
    app.connect("html-page-context", add_styles)
    app.connect("build-finished", close)
