"""The book's side of the figures that answer to the reader (`course.figures`).

`figure` shows one on a page of its own in `book/`; `placement` puts it into its chapter too. Only the pages that show
one load its script and its style. Safe to change: how a figure stands in its chapter. Not safe: what a figure shows
here that it does not show in a notebook.
"""

from __future__ import annotations

from sphinx.application import Sphinx

from theme.explorables import figure, placement


def setup(app: Sphinx) -> None:
    figure.setup(app)
    placement.setup(app)
