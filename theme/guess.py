"""Where the text asks what a reader expects, the output is folded until asked for; without a script, too.

The cells are tagged `guess`, as `course.handed_out` says; a learner's own copy has no output there before the cell has
run.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from course.handed_out import GUESS
from theme import cells

SUMMARY = "I have a guess: show"


class FoldGuesses(SphinxPostTransform):
    """Runs once outputs have become what is shown (MyST-NB's own transform, 4) and before its folds are made (199)."""

    default_priority = 150
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for cell in cells.code(self.document):
            output = cell[-1]
            if GUESS in cells.tags(cell) and cells.is_output(output):
                output.insert(0, nodes.raw("", f'<details class="guess"><summary>{SUMMARY}</summary>', format="html"))
                output.append(nodes.raw("", "</details>", format="html"))


def setup(app: Sphinx) -> None:
    app.add_post_transform(FoldGuesses)
