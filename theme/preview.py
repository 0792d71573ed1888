"""What the preview of a page's link says: a chapter's question, then the first sentences of the page.

sphinxext-opengraph describes a page by whatever text it finds first, the source of equations included, as HTML, and
cuts it in the middle of a word. Its picture shows the same text.
"""

from __future__ import annotations

import html
import os
import re
import textwrap
from collections.abc import Iterator, Set
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from course.exercises import exercises
from theme.address import site
from theme.head import asks
from theme.katex import files

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
LENGTH = 200  # characters: what previews show, and three lines of the picture
FONT, STYLES = "Source Sans Pro", ("SourceSansPro-Regular.ttf", "SourceSansPro-Bold.ttf")


def sentences(doctree: nodes.document) -> Iterator[str]:
    """Whole sentences of a page's own paragraphs, each up to its first equation; none that leads over to something."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            text, whole = "", True
            for node in paragraph.children:
                if isinstance(node, nodes.math | nodes.math_block):
                    whole = False
                    break
                text += "" if isinstance(node, nodes.raw) else node.astext()
            sentences = SENTENCE.split(" ".join(text.split()))
            yield from (said for said in (sentences if whole else sentences[:-1]) if not said.endswith(":"))


def question(doctree: nodes.document) -> str:
    """What the chapter of a notebook asks, "" for a page that is none."""
    source = Path(doctree.get("source", ""))
    is_chapter = source.parent.name == "notebooks" and source.stem in {e.notebook for e in exercises()}
    return asks(source.stem) if is_chapter else ""


def description(doctree: nodes.document, description_length: int, known_titles: Set[str] = frozenset()) -> str:
    """A page's description, as text that may stand in an attribute; "" for a page without a sentence."""
    said = textwrap.shorten(
        " ".join([question(doctree), *sentences(doctree)]), description_length, placeholder="\N{NO-BREAK SPACE}…"
    )
    return html.escape(said, quote=False)


def draw_cards(app: Sphinx, config: Config) -> None:
    """Give each page a picture in the letters of the site; the mark is favicon.svg as pixels."""
    # Where there are no previews, as in a learner's build, nothing needs this: it takes a second to import.
    from matplotlib.font_manager import fontManager

    for style in STYLES:
        fontManager.addfont(next(files("font-source-sans-pro", style)))
    config.ogp_social_cards = {
        "line_color": "#1d4e89",
        "background_color": "#fcfbf7",  # the ground of course.css
        "image_mini": "theme/card-mark.png",
        "font": FONT,
        "description_max_length": LENGTH,
    }


def setup(app: Sphinx) -> None:
    if site(os.environ):
        # As above. It has no setting for this: the name is what its own code calls.
        from sphinxext import opengraph

        opengraph.get_description = description
        app.connect("config-inited", draw_cards)
