"""A warning, and so a failed build, for an image without alternative text.

The text of a notebook's figure is cell metadata (`mystnb.image.alt`); that of an image in prose stands in its brackets.
Purely decorative images say so with the class `decorative`.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)


def describes(alt: str, uri: str) -> bool:
    """Say whether a text is a description: Sphinx and MyST fall back to the file's path or name, which is none."""
    return bool(alt.strip()) and alt not in (uri, PurePosixPath(uri).name) and PurePosixPath(uri).name not in alt


class AlternativeText(SphinxPostTransform):
    """Runs once directives and notebooks have made their images, and before drawings go into pages (figures, 160)."""

    default_priority = 155
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for image in self.document.findall(nodes.image):
            if "decorative" in image["classes"]:
                image["alt"] = ""
            elif not describes(image.get("alt", ""), image.get("uri", "")):
                logger.warning(
                    "image %s has no alternative text: say what it shows, in the cell's metadata mystnb.image.alt "
                    "(a notebook's figure) or in its brackets (prose)",
                    image.get("uri"),
                    location=image,
                    type="course",
                    subtype="alt",
                )


def setup(app: Sphinx) -> None:
    app.add_post_transform(AlternativeText)
