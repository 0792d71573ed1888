"""The roofline of GPUs, from their data sheets: arithmetic intensity to drag, and which bound holds.

Nothing here is measured: bandwidths and peaks are those of `course.data_sheets`, and the kinds of work are counted, as
chapter 09 counts them. What stands in the page is one state; `static/explorables/roof-line.js` draws the others alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from course.data_sheets import CARDS, Card
from course.figures.drawn import Figure, explorable

FORMATS = {"float32": 4, "tf32": 4, "float16": 2, "bfloat16": 2}  # bytes of a number
START = ("a100", "bfloat16", 1.0)
INTENSITIES = (-3, 12)  # powers of two: the axis, and what can be set
RATES = (10, 15)  # powers of ten
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LEFT, TOP, WIDTH, HEIGHT = 44.0, 20.0, 288.0, 178.0  # of the axes, in the drawing's units


@dataclass(frozen=True)
class Work:
    """A kind of work: operations, and how many numbers it moves."""

    name: str
    operations: int
    numbers: int

    def intensity(self, format: str) -> float:
        """Operations per byte moved."""
        return self.operations / (self.numbers * FORMATS[format])


TOKENS, WIDE = 8192, 768  # all tokens of a batch, and ViT-B's width
WORKS = (
    Work("adding one", 1, 2),
    Work("one vector times a matrix", 2 * 6144**2, 6144**2 + 2 * 6144),
    Work("softmax or norm", 8, 2),  # supposed: eight operations for each number, as in chapter 09
    Work("linear map of 8,192 tokens", 2 * TOKENS * WIDE * 3072, TOKENS * WIDE + WIDE * 3072 + TOKENS * 3072),
)


def attainable(card: Card, format: str, intensity: float) -> float:
    """Return the operations a second that a card reaches at most: of its peak and what its memory feeds, the less."""
    return min(card.peak(format), intensity * card.bandwidth)


def x(intensity: float) -> float:
    low, high = INTENSITIES
    return LEFT + WIDTH * (math.log2(intensity) - low) / (high - low)


def y(rate: float) -> float:
    low, high = RATES
    return TOP + HEIGHT * (high - math.log10(rate)) / (high - low)


def significant(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits at most."""
    return f"{float(f'{value:.{digits}g}'):g}"


def sentence(card: Card, format: str, intensity: float) -> str:
    """Say which bound holds, and what can be reached."""
    peak, reached = card.peak(format), attainable(card, format, intensity)
    bound = "compute-bound" if intensity * card.bandwidth >= peak else "memory-bound"
    without = "" if format in card.peaks else f" It has no units for {format}, and computes in float32."
    return (
        f"Intensity {significant(intensity)} on the {card.name} in {format}: {bound}, at most"
        f" {significant(reached / 1e12)} trillion operations a second,"
        f" {significant(100 * reached / peak)}% of the peak."
        f" The roof bends at {significant(peak / card.bandwidth)} operations per byte.{without}"
    )


def drawing(card: Card, format: str, intensity: float) -> dict[str, object]:
    """Return where the roof, the kinds of work and the mark stand."""
    low, high = (2.0**power for power in INTENSITIES)
    bend = card.peak(format) / card.bandwidth
    corners = [(i, attainable(card, format, i)) for i in (low, bend, high)]
    points = [(work, work.intensity(format)) for work in WORKS]
    return {
        "roof": "M" + "L".join(f"{x(i):.1f} {y(rate):.1f}" for i, rate in corners),
        "works": [(work.name, x(i), y(attainable(card, format, i))) for work, i in points],
        "mark": (x(intensity), y(attainable(card, format, intensity))),
    }


def figure() -> Figure:
    """Return the figure: one card, one format and one intensity."""
    key, format, intensity = START
    card = CARDS[key]
    sheets = [{"name": c.name, "bandwidth": c.bandwidth, "peaks": c.peaks, "source": c.source} for c in CARDS.values()]
    data = {
        "cards": sheets,
        "formats": list(FORMATS.items()),
        "works": [{"name": work.name, "operations": work.operations, "numbers": work.numbers} for work in WORKS],
        "start": [list(CARDS).index(key), list(FORMATS).index(format), intensity],
        "axes": {"intensities": INTENSITIES, "rates": RATES, "box": [LEFT, TOP, WIDTH, HEIGHT]},
    }
    fixed = {
        "ticks_x": [(text, x(2.0**power)) for text, power in (("1/8", -3), ("1", 0), ("8", 3), ("64", 6), ("512", 9))],
        "ticks_y": [("10" + str(power).translate(RAISED), y(10.0**power)) for power in range(RATES[0], RATES[1] + 1)],
        "facts": [
            ("memory's bandwidth", f"{card.bandwidth / 1e9:,.0f} GB/s"),
            (f"peak in {format}", f"{significant(card.peak(format) / 1e12, 4)} trillion operations a second"),
            ("from", card.source),
        ],
        "says": sentence(card, format, intensity),
    }
    drawn = drawing(card, format, intensity)
    return explorable("roof-line", data=data, left=LEFT, top=TOP, width=WIDTH, height=HEIGHT, **fixed, **drawn)
