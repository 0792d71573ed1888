"""A drawing put into the page itself, so that it takes the page's colours in the light and in the dark.

    :::{inline-svg} figures/bottleneck.svg
    :alt: what the drawing shows
    :::

The file is an ordinary SVG: its style attributes may use the page's colours as `var(--pst-color-text-base, #222)`, the
second being what a viewer outside the book shows.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def opened(svg: str, alt: str) -> str:
    """Return the drawing with its alternative text on the root element.

    Raises:
        ValueError: where the file is not an SVG, or holds a script or an address elsewhere.
    """
    svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", svg, flags=re.DOTALL).strip()
    if not svg.startswith("<svg"):
        raise ValueError("it does not begin with <svg")
    if re.search(r"<script|<style|<image|\shref=|url\(", svg):
        raise ValueError("it holds a script, a style sheet, an image or a link, which would reach out of the drawing")
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}"', 1)


class InlineSvg(SphinxDirective):
    required_arguments = 1
    option_spec = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        relative, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        if "alt" not in self.options:
            raise self.error(f"inline-svg {relative}: give :alt:, a sentence that says what the drawing shows")
        try:
            markup = opened(Path(path).read_text("utf-8"), self.options["alt"])
        except (OSError, ValueError) as error:
            raise self.error(f"inline-svg {relative}: {error}") from error
        return [nodes.raw("", f'<div class="drawing">{markup}</div>', format="html")]


def setup(app: Sphinx) -> None:
    app.add_directive("inline-svg", InlineSvg)
