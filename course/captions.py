"""A figure's number and caption: the comment at the head of the cell that draws it, which every front end shows.

    # Figure 4.3: Top weight against the width of the keys, with and without the root.

An author writes `# Figure:`, and `tools.notebooks` puts in the number: the chapter, then the place among its figures.
The book shows the same words under the figure (theme/figures.py), and links "Figure 4.3" in the text to it.

A figure to move has a page of its own in `book/`. In a chapter it is a paragraph that begins with a link to that page,
numbered with the others; the book puts the figure itself there (theme/explorables/placement.py), and a learner's copy
has the call that shows it (`course.handed_out`):

    [Figure 4.4: Query and keys to drag.](../book/attention-plane.md) Try first: turn the query round.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The words go on over the comment's further lines, up to a line that is no comment or an empty one.
_HEAD = re.compile(r"# Figure(?: (\d+)\.(\d+))?: (.+(?:\n# .+)*)(?:\n|\Z)")
# A chapter's own figure, as the text refers to it; not the figure of a paper: "their Figure 2.1" is written otherwise.
# A line of the source may end after "Figure".
REFERENCE = re.compile(r"\bFigure\s+(\d+)\.(\d+)\b")
# The paragraph that stands for a figure to move: number, words, page.
LINKED = re.compile(r"^\[Figure(?: (\d+)\.(\d+))?: ([^\]]+)\]\(\.\./book/([\w-]+)\.md\)", re.MULTILINE)


class Caption(NamedTuple):
    """What the comment says: the figure's number as (chapter, place), None before it has one, and its words."""

    number: tuple[int, int] | None
    words: str


def caption(source: str) -> Caption | None:
    """Return the caption of a code cell, or None where its head has none."""
    match = _HEAD.match(source)
    if match is None:
        return None
    return Caption(_number(match), match[3].replace("\n# ", " "))


def without_caption(source: str) -> str:
    """Return a cell's source without its caption: what is run."""
    return _HEAD.sub("", source, count=1) if caption(source) else source


def numbers(source: str, is_code: bool) -> list[tuple[int, int]]:
    """Return the numbers of the figures that a cell shows: its own, or those of its links to figures to move."""
    own = caption(source) if is_code else None
    if is_code:
        return [own.number] if own is not None and own.number is not None else []
    return [number for match in LINKED.finditer(source) if (number := _number(match)) is not None]


def numbered(sources: list[tuple[bool, str]], chapter: int) -> list[str]:
    """Number a chapter's figures in the order of its cells, and its references to them with them.

    Args:
        sources: for each cell whether it is code, and its source.
        chapter: the first half of each number.

    Raises:
        ValueError: where the text refers to a figure that the chapter has not, or two captions had the same number.
    """
    moved: dict[tuple[int, int], int] = {}
    new: list[int] = []  # places of the links without a number
    written, place = [], 0
    for is_code, source in sources:
        own = caption(source) if is_code else None
        links = [] if is_code else [_number(match) for match in LINKED.finditer(source)]
        for number in [own.number] if own is not None else links:
            place += 1
            if number is not None and moved.setdefault(number, place) != place:
                raise ValueError(f"two captions say Figure {_dotted(number)}: let the new one begin with # Figure:")
            if number is None and not is_code:
                new.append(place)
        if own is not None:
            source = re.sub(r"# Figure(?: \d+\.\d+)?:", f"# Figure {chapter}.{place}:", source, count=1)
        written.append(source)
    places = iter(new)

    def renumber(match: re.Match[str]) -> str:
        number = (int(match[1]), int(match[2]))
        if number not in moved:
            raise ValueError(f"the text refers to Figure {_dotted(number)}, which this chapter has not")
        return f"{match[0].removesuffix(_dotted(number))}{chapter}.{moved[number]}"

    def name(match: re.Match[str]) -> str:
        return match[0] if match[1] else match[0].replace("[Figure:", f"[Figure {chapter}.{next(places)}:", 1)

    return [
        source if is_code else LINKED.sub(name, REFERENCE.sub(renumber, source))
        for (is_code, _), source in zip(sources, written, strict=True)
    ]


def _number(match: re.Match[str]) -> tuple[int, int] | None:
    return (int(match[1]), int(match[2])) if match[1] else None


def _dotted(number: tuple[int, int]) -> str:
    return f"{number[0]}.{number[1]}"
