"""Where the book is to be had as one PDF and one EPUB, which `make book-all` makes of the built site.

COURSE_VOLUME is the address of the folder that the two files are published in. Where the build has it, the home page
(`{volume}`) and the head of each chapter link to both; elsewhere the home page says how they are made, and there is no
link that would lead nowhere.
"""

from __future__ import annotations

import html
import os
from collections.abc import Mapping

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

NAME = "attention-from-scratch"
KINDS = ("PDF", "EPUB")
CLASS = "book-files"  # of what only pages of the site say; a volume leaves it out
HOW = "The whole book in one file: run <code>make book-all</code> on your own machine; it makes a PDF and an EPUB."


def folder(environment: Mapping[str, str]) -> str:
    """The address of the folder with the files, without a slash at its end; "" where there is none."""
    return environment.get("COURSE_VOLUME", "").strip().rstrip("/")


def links(address: str) -> str:
    """The links to the files in a folder, as markup; "" where there is no folder."""
    files = {kind: f"{address}/{NAME}.{kind.lower()}" for kind in KINDS if address}
    return ", ".join(f'<a href="{html.escape(file)}">{kind}</a>' for kind, file in files.items())


class BookFiles(SphinxDirective):
    """`{volume}`: a line with both links, or how to make the files."""

    def run(self) -> list[nodes.Node]:
        both = links(self.config.course_volume)
        said = f"To take along, the whole book in one file: {both}." if both else HOW
        return [nodes.raw("", f'<p class="{CLASS}">{said}</p>', format="html")]


def setup(app: Sphinx) -> None:
    app.add_config_value("course_volume", folder(os.environ), "env")
    app.add_directive("volume", BookFiles)
