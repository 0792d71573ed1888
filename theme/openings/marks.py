"""What opening figures are drawn with: bars, dots, cells, letters, and one mark for what is asked.

A picture is 320 wide, as wide as a phone; its style is `.opening` in course.css. What is measured is blue, what is
asked a dashed green box with a question mark: it has one size, whatever the answer.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

WIDTH = 320
ROW, BAR, LONGEST = 40, 14, 232  # of a bar: from one to the next, height, length of the longest


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def picture(shows: str, height: float, *body: str) -> str:
    """A drawing, and in words what it shows."""
    size = f'viewBox="0 0 {WIDTH} {number(height)}" width="{WIDTH}" height="{number(height)}"'
    return f'<svg role="img" aria-label="{html.escape(shows)}" {size}>{"".join(body)}</svg>'


def in_words(rows: Sequence[tuple[str, float | None]], digits: int = 2) -> str:
    """Labels and values in words: `all of it, 0.78; without norms, not shown`."""
    values = ("not shown" if value is None else f"{value:.{digits}f}" for _, value in rows)
    return "; ".join(f"{label}, {value}" for (label, _), value in zip(rows, values, strict=True))


def text(x: float, y: float, words: str, classes: str = "") -> str:
    of = f' class="{classes}"' if classes else ""
    return f'<text x="{number(x)}" y="{number(y)}"{of}>{html.escape(words, quote=False)}</text>'


def box(x: float, y: float, width: float, height: float, classes: str = "", opacity: float = 1) -> str:
    of = f' class="{classes}"' if classes else ""
    faint = f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
    sides = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {sides}{of}{faint}/>'


def tiles(places: Iterable[tuple[float, float, float]], side: float, classes: str) -> str:
    """Squares at (x, y), each of a shade from 0 to 1: those of one shade are one path."""
    of_shade: dict[float, str] = {}
    for x, y, shade in places:
        square = f"M{number(x)} {number(y)}h{number(side)}v{number(side)}h-{number(side)}z"
        of_shade[shade] = of_shade.get(shade, "") + square
    paths = sorted(of_shade.items())
    return "".join(f'<path class="{classes}" fill-opacity="{shade:.2f}" d="{path}"/>' for shade, path in paths)


def asked(x: float, y: float, width: float, height: float, classes: str = "") -> str:
    """The mark for what the picture does not tell."""
    said = text(x + width / 2, y + height / 2 + 5, "?", "sign")
    return box(x + 0.5, y + 0.5, width - 1, height - 1, f"asked {classes}".strip()) + said


def bars(rows: Sequence[tuple[str, float | None]], digits: int = 2, top: float = 0) -> tuple[str, float]:
    """A bar for each label and value, with its number; None is asked. Returns the markup and where it ends."""
    most = max(value for _, value in rows if value is not None)
    drawn, y = [], top
    for label, value in rows:
        drawn.append(text(0, y + 13, label))
        if value is None:
            drawn.append(asked(0, y + 19, LONGEST, BAR + 3))
        else:
            drawn.append(box(0, y + 19, LONGEST * value / most, BAR, "known"))
            drawn.append(text(LONGEST * value / most + 7, y + 31, f"{value:.{digits}f}", "value"))
        y += ROW
    return "".join(drawn), y


def columns(rows: Sequence[tuple[str, float | None]], below: str, height: float = 110) -> tuple[str, float]:
    """A column for each label and share of one; None is asked. Returns the markup and where it ends."""
    step, base = WIDTH / len(rows), height + 16
    drawn = []
    for place, (label, value) in enumerate(rows):
        x, wide = place * step + 3, step - 6
        if value is None:
            drawn.append(asked(x, base - height, wide, height))
        else:
            drawn.append(box(x, base - height * value, wide, height * value, "known"))
            drawn.append(text(x + wide / 2, base - height * value - 5, f"{value:.2f}", "value middle"))
        drawn.append(text(x + wide / 2, base + 16, label, "middle"))
    drawn.append(text(WIDTH / 2, base + 35, below, "middle muted"))
    return "".join(drawn), base + 40
