"""How long the exercises take: of a chapter, of the spine, of all; and minutes in words."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from course.exercises import SPINE, Exercise, exercises
from theme.notebooks import EXERCISES, ROOT


def chosen(words: str, listed: Sequence[Exercise]) -> list[Exercise]:
    """The exercises meant by `all` (the core), `stretch`, `spine` (its core), or a notebook's stem (its core). Raises
    ValueError where there are none."""
    if words == "stretch":
        meant = [e for e in listed if e.stretch]
    else:
        core = [e for e in listed if not e.stretch]
        meant = [e for e in core if words in ("all", e.notebook) or (words == "spine" and e.notebook in SPINE)]
    if not meant:
        raise ValueError(f"no exercises are meant by {words!r}: say all, stretch, spine, or a notebook's name")
    return meant


def duration(minutes: int) -> str:
    """Minutes in words, to the next five: `50 min`, `2 h`, `1 h 15 min`; from ten hours on, whole hours."""
    hours, rest = divmod(5 * round(minutes / 5), 60)
    if hours >= 10:
        return f"about {round(minutes / 60)} hours"
    return " ".join([f"{hours} h"] * (hours > 0) + [f"{rest} min"] * (rest > 0 or not hours))


class Hours(SphinxRole):
    """`{hours}`02-bahdanau``: how long its core exercises take; also `all`, `spine` and `stretch`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        for source in (EXERCISES, ROOT / "course" / "exercises.py"):
            self.env.note_dependency(str(source))
        try:
            minutes = sum(e.minutes for e in chosen(self.text, exercises()))
        except ValueError as error:
            return [], [self.inliner.reporter.error(str(error), line=self.lineno)]
        return [nodes.Text(duration(minutes).replace(" ", "\N{NO-BREAK SPACE}"))], []


def setup(app: Sphinx) -> None:
    app.add_role("hours", Hours())
