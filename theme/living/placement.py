"""Where the chapters' living figures stand: behind one of the notebook's own figures, named by its number.

Another living figure is a line of PLACES. One whose place is gone fails the build.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from theme.explorables.figure import Explorable
from theme.figures import anchor
from theme.living import translation

logger = logging.getLogger(__name__)


class Place(NamedTuple):
    """Behind which figure, (chapter, place among its figures), and what makes the living one."""

    behind: tuple[int, int]
    figure: Callable[[], Explorable]


PLACES = {
    "notebooks/01-seq2seq": [Place((1, 3), translation.in_chapter_01)],
    "notebooks/02-bahdanau": [Place((2, 6), translation.in_chapter_02)],
}


class PlaceLivingFigures(SphinxPostTransform):
    """Runs once the notebook's figures have their anchors (theme/figures.py, 160)."""

    default_priority = 162
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for place in PLACES.get(self.env.docname, ()):
            found = [figure for figure in self.document.findall(nodes.figure) if anchor(place.behind) in figure["ids"]]
            if not found:
                chapter, number = place.behind
                message = f"no Figure {chapter}.{number}, behind which a living figure is to stand: see {__name__}"
                logger.warning(message, location=self.document, type="course", subtype="living")
                continue
            cell = found[0]
            while not (isinstance(cell, nodes.container) and cell.get("nb_element") == "cell_code"):
                cell = cell.parent
            cell.parent.insert(cell.parent.index(cell) + 1, place.figure())


def setup(app: Sphinx) -> None:
    app.add_post_transform(PlaceLivingFigures)
