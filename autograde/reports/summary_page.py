"""The summary as a page for the instructor, class/summary/<assignment>.html.

It stands alone: it runs nothing, fetches nothing, prints, and shows no color that a word or a pattern does not say
too. It holds names and grades: it is for those who teach.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.reports.pages import rendered
from autograde.reports.summary import OUTCOMES, Summary, summary
from course.wording import points

# Colors that matplotlib is given, and the page's own that take their places: light or dark, as the reader has it.
_COLORS = {"#010101": "ink", "#020202": "line", "#030303": "paper", "#040404": "good", "#050505": "partial"}
_INK, _LINE, _PAPER, _GOOD, _PART = _COLORS
# outcome -> (fill, pattern): each can be told from the others without its color
_LOOKS = {
    "all": (_GOOD, ""),
    "some": (_PAPER, "////"),
    "none": (_LINE, ""),
    "no answer": (_PAPER, ""),
    "waiting": (_PAPER, "xxxx"),
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path",  # the same drawing whatever fonts there are
    "svg.hashsalt": "attention-from-scratch",
    "font.size": 9,
    "hatch.linewidth": 0.8,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK),
}


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
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(0.62 + 0.21 * len(report.rows) + 0.2 * len(bands))
        for place, row in enumerate(report.rows):
            left = 0
            for kind in bands:
                wide, (fill, pattern) = row.counts[kind], _LOOKS[kind]
                axes.barh(
                    place, wide, 0.74, left, color=fill, hatch=pattern, edgecolor=_INK, linewidth=0.6,
                    label=OUTCOMES[kind] if place == 0 else None,
                )  # fmt: skip
                left += wide
        axes.set_yticks(range(len(report.rows)), [row.number for row in report.rows])
        axes.set_ylim(len(report.rows) - 0.4, -0.6)
        axes.set_xlim(0, count)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("submissions")
        axes.set_ylabel("exercise")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", frameon=False, ncols=2)
        counted = "; ".join(
            f"{row.number}: " + ", ".join(f"{row.counts[kind]} {OUTCOMES[kind]}" for kind in bands if row.counts[kind])
            for row in report.rows
        )
        return _drawn(figure, "exercises", "How each exercise came out", f"Submissions by exercise. {counted}.")


def by_total(report: Summary) -> Markup:
    """How many submissions have how many points in all."""
    bins = max(1, min(10, round(report.max)))
    width = report.max / bins
    places = [min(int(total / width), bins - 1) for total in report.totals]
    counts = [places.count(place) for place in range(bins)]
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(1.7)
        axes.bar([width * (i + 0.5) for i in range(bins)], counts, width * 0.92, color=_GOOD, edgecolor=_INK, lw=0.6)
        axes.set_xlim(0, report.max)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("points in all, before penalties")
        axes.set_ylabel("submissions")
        counted = "; ".join(
            f"{points(width * i)} to {points(width * (i + 1))} points: {n}" for i, n in enumerate(counts) if n
        )
        return _drawn(figure, "totals", "Points in all", f"Submissions by their points. {counted}.")


def _axes(height: float) -> tuple[Figure, Axes]:
    """Narrow enough for a telephone to show it at its own size."""
    figure = Figure(figsize=(4.4, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _drawn(figure: Figure, name: str, title: str, description: str) -> Markup:
    """The figure as a part of the page: in its colors, with words for those who do not see it."""
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=nothing, transparent=True)
    drawing = text.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r' xmlns(:xlink)?="[^"]*"', "", drawing)  # an HTML page knows them
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", drawing)  # two drawings on a page share no name
    for color, variable in _COLORS.items():
        drawing = drawing.replace(color, f"var(--{variable})")
    words = Markup('<title id="{0}-title">{1}</title><desc id="{0}-text">{2}</desc>').format(name, title, description)
    head, _, rest = drawing.partition(">")
    return Markup(f'{head} role="img" aria-labelledby="{name}-title" aria-describedby="{name}-text">{words}{rest}')
