"""A figure's number and caption: the comment at the head of the cell that draws it, which every front end shows.

    # Figure 4.3: Top weight against the width of the keys, with and without the root.

An author writes `# Figure:`, and `tools.notebooks` puts in the number: the chapter, then the place among its figures.
The book shows the same words under the figure (theme/figures.py), and links "Figure 4.3" in the text to it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The words go on over the comment's further lines, up to a line that is no comment or an empty one.
_HEAD = re.compile(r"# Figure(?: (\d+)\.(\d+))?: (.+(?:\n# .+)*)(?:\n|\Z)")
# A chapter's own figure, as the text refers to it; not the figure of a paper: "their Figure 2.1" is written otherwise.
REFERENCE = re.compile(r"\bFigure (\d+)\.(\d+)\b")


class Caption(NamedTuple):
    """What the comment says: the figure's number as (chapter, place), None before it has one, and its words."""

    number: tuple[int, int] | None
    words: str


def caption(source: str) -> Caption | None:
    """Return the caption of a code cell, or None where its head has none."""
    match = _HEAD.match(source)
    if match is None:
        return None
    number = (int(match[1]), int(match[2])) if match[1] else None
    return Caption(number, match[3].replace("\n# ", " "))


def without_caption(source: str) -> str:
    """Return a cell's source without its caption: what is run."""
    return _HEAD.sub("", source, count=1) if caption(source) else source


def numbered(sources: list[tuple[bool, str]], chapter: int) -> list[str]:
    """Number a chapter's figures in the order of its cells, and its references to them with them.

    Args:
        sources: for each cell whether it is code, and its source.
        chapter: the first half of each number.

    Raises:
        ValueError: where the text refers to a figure that the chapter has not, or two captions had the same number.
    """
    moved: dict[tuple[int, int], int] = {}
    written, place = [], 0
    for is_code, source in sources:
        found = caption(source) if is_code else None
        if found is not None:
            place += 1
            if found.number is not None and moved.setdefault(found.number, place) != place:
                raise ValueError(
                    f"two captions say Figure {_dotted(found.number)}: let the new one begin with # Figure:"
                )
            source = re.sub(r"# Figure(?: \d+\.\d+)?:", f"# Figure {chapter}.{place}:", source, count=1)
        written.append(source)

    def renumber(match: re.Match[str]) -> str:
        number = (int(match[1]), int(match[2]))
        if number not in moved:
            raise ValueError(f"the text refers to Figure {_dotted(number)}, which this chapter has not")
        return f"Figure {chapter}.{moved[number]}"

    return [
        source if is_code else REFERENCE.sub(renumber, source)
        for (is_code, _), source in zip(sources, written, strict=True)
    ]


def _dotted(number: tuple[int, int]) -> str:
    return f"{number[0]}.{number[1]}"
