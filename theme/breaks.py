"""No line begins in the middle of a quantity: a number stays with its unit, and with what it is multiplied by.

Writers type plain spaces. Those inside "16 × 16", "k = 6" and "4 ms" become no-break spaces in the pages.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

UNITS = r"(?:(?:[KMGT]i?)?B|[mµn]?s|min|h|px|[MG]Hz|%|cores?|bits?|bytes?|nats?)"
# A space between a number and its unit or a times sign, and those round the equals sign of a setting.
INSIDE = re.compile(rf"(?<=\d) (?={UNITS}(?![\w’'])|×)|(?<=×) (?=\d)|(?<=\b\w) (?== [-−]?\d)|(?<=\b\w =) (?=[-−]?\d)")
VERBATIM = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw)


def kept_together(text: str) -> str:
    """Return the text with its quantities on one line each."""
    return INSIDE.sub("\N{NO-BREAK SPACE}", text)


class KeepQuantities(SphinxPostTransform):
    """Runs last: all others find texts as they were written."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, VERBATIM) and (kept := kept_together(text)) != text:
                text.parent.replace(text, nodes.Text(kept))


def setup(app: Sphinx) -> None:
    app.add_post_transform(KeepQuantities)
