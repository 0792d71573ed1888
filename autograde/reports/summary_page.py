"""The summary as a page for the instructor, class/summary/<assignment>.html.

It stands alone: it runs nothing, fetches nothing, prints, and shows no color that a word or a pattern does not say
too. It holds names and grades: it is for those who teach.

Its two drawings are made here and not by Matplotlib, whose import and drawing were 6.4 of 28.5 s of CPU when one
student's eleven assignments were graded.
"""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.reports.pages import rendered
from autograde.reports.summary import OUTCOMES, Summary, summary
from course.wording import points

# outcome -> (fill, pattern), in the page's own colors: each can be told from the others without them
_LOOKS = {
    "all": ("good", ""),
    "some": ("paper", "M-1 1 l2 -2 M0 8 l8 -8 M7 9 l2 -2"),
    "none": ("line", ""),
    "no answer": ("paper", ""),
    "waiting": ("paper", "M0 0 l8 8 M0 8 l8 -8"),
}
# Of a drawing, in pixels: narrow enough for a telephone to show it at its own size.
_WIDE, _LEFT, _RIGHT, _ROW, _HIGH = 440, 52, 12, 20, 110


def write(folder: ClassFolder, assignment: str) -> tuple[Summary, Path]:
    """Makes class/summary/<assignment>.html; returns what is on it, and where it is."""
    made, target = summary(folder, assignment), folder.summary(assignment)
    write_atomically(target, page(made), lasting=False)
    return made, target


def page(report: Summary) -> str:
    """The page, whole."""
    there = {kind: words for kind, words in OUTCOMES.items() if any(row.counts[kind] for row in report.rows)}
    return rendered("summary", page=report, outcomes=there, by_exercise=by_exercise(report), totals=by_total(report))


def by_exercise(report: Summary) -> Markup:
    """A bar for each exercise: how many submissions came out in which way."""
    count = max(1, len(report.totals))
    bands = [kind for kind in OUTCOMES if any(row.counts[kind] for row in report.rows)]
    scale = (_WIDE - _LEFT - _RIGHT) / count
    parts = [_pattern(kind) for kind in bands if _LOOKS[kind][1]]
    for place, kind in enumerate(bands):
        x, y = 8 + 200 * (place % 2), 8 + _ROW * (place // 2)
        parts += [_box(x, y, 22, 11, kind), _text(x + 29, y + 10, OUTCOMES[kind])]
    top = 20 + _ROW * ((len(bands) + 1) // 2)
    for place, row in enumerate(report.rows):
        y, left = top + _ROW * place, 0
        parts.append(_text(_LEFT - 7, y + 12, row.number, "end"))
        for kind in bands:
            if row.counts[kind]:
                parts.append(_box(_LEFT + scale * left, y, scale * row.counts[kind], 15, kind))
                left += row.counts[kind]
    bottom = top + _ROW * len(report.rows)
    parts += [_line(_LEFT, bottom, _WIDE - _RIGHT, bottom), _line(_LEFT, top - 4, _LEFT, bottom)]
    for number in _steps(count):
        at = _LEFT + scale * number
        parts += [_line(at, bottom, at, bottom + 4), _text(at, bottom + 17, str(number), "middle")]
    parts.append(_text((_LEFT + _WIDE - _RIGHT) / 2, bottom + 35, "submissions", "middle"))
    counted = "; ".join(
        f"{row.number}: " + ", ".join(f"{row.counts[kind]} {OUTCOMES[kind]}" for kind in bands if row.counts[kind])
        for row in report.rows
    )
    words = f"Submissions by exercise. {counted}."
    return _drawn(parts, bottom + 42, "exercises", "How each exercise came out", words)


def by_total(report: Summary) -> Markup:
    """How many submissions have how many points in all."""
    bins = max(1, min(10, round(report.max)))
    width = report.max / bins or 1.0  # where nothing is out of anything
    places = [min(int(total / width), bins - 1) for total in report.totals]
    counts = [places.count(place) for place in range(bins)]
    top, bottom, wide = 20, 20 + _HIGH, (_WIDE - _LEFT - _RIGHT) / bins
    scale, parts = _HIGH / max(1, *counts), [_text(8, 11, "submissions")]
    for place, count in enumerate(counts):
        if count:
            parts.append(_box(_LEFT + wide * (place + 0.04), bottom - scale * count, 0.92 * wide, scale * count, "all"))
    for place in range(bins + 1):
        x = _LEFT + wide * place
        parts += [_line(x, bottom, x, bottom + 4), _text(x, bottom + 17, points(round(width * place, 1)), "middle")]
    for number in _steps(max(1, *counts)):
        y = bottom - scale * number
        parts += [_line(_LEFT - 4, y, _LEFT, y), _text(_LEFT - 7, y + 4, str(number), "end")]
    parts += [_line(_LEFT, bottom, _WIDE - _RIGHT, bottom), _line(_LEFT, top - 4, _LEFT, bottom)]
    parts.append(_text((_LEFT + _WIDE - _RIGHT) / 2, bottom + 35, "points in all, before penalties", "middle"))
    counted = "; ".join(
        f"{points(width * i)} to {points(width * (i + 1))} points: {n}" for i, n in enumerate(counts) if n
    )
    return _drawn(parts, bottom + 42, "totals", "Points in all", f"Submissions by their points. {counted}.")


def _steps(most: int) -> range:
    """Round numbers from 0 to at most this, six or fewer of them."""
    step = next(s for power in range(20) for s in (10**power, 2 * 10**power, 5 * 10**power) if most <= 5 * s)
    return range(0, most + 1, step)


def _box(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    fill, pattern = _LOOKS[kind]
    fill = f"url(#{_named(kind)})" if pattern else f"var(--{fill})"
    box = '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" stroke="var(--ink)" stroke-width=".7"/>'
    return Markup(box).format(x, y, width, height, fill)


def _pattern(kind: str) -> Markup:
    fill, path = _LOOKS[kind]
    return Markup(
        '<pattern id="{0}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" '
        'fill="var(--{1})"/><path d="{2}" stroke="var(--ink)" stroke-width=".9"/></pattern>'
    ).format(_named(kind), fill, path)


def _named(kind: str) -> str:
    """What a pattern is called on the page."""
    return f"exercises-{kind}".replace(" ", "-")


def _line(x: float, y: float, to_x: float, to_y: float) -> Markup:
    return Markup('<path d="M{:.1f} {:.1f} L{:.1f} {:.1f}" stroke="var(--ink)"/>').format(x, y, to_x, to_y)


def _text(x: float, y: float, words: str, anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, words)


def _drawn(parts: list[Markup], height: float, name: str, title: str, description: str) -> Markup:
    """The drawing as a part of the page, with words for those who do not see it."""
    head = Markup(
        '<svg viewBox="0 0 {0} {1:.0f}" font-size="12" fill="var(--ink)" role="img" aria-labelledby="{2}-title" '
        'aria-describedby="{2}-text"><title id="{2}-title">{3}</title><desc id="{2}-text">{4}</desc>'
    ).format(_WIDE, height, name, title, description)
    return head + Markup("\n").join(parts) + Markup("</svg>")
