"""Positions as clocks: each pair of sine and cosine is a hand, and an offset turns every hand by its own angle."""

from __future__ import annotations

import json

import numpy as np

from course.figures.drawn import Figure, number, rendered

D_MODEL = 16
CLOCKS = 4  # of the eight that a width of 16 has; the others hardly move on the way
LAST, FARTHEST = 60, 12  # the sliders' ends: where to start, and how many positions on
STILLS = ((3, 1), (10, 1), (10, 3))  # (position, offset) without a script; the live figure begins with the first


def frequencies() -> np.ndarray:
    """Return by how many radians a position turns each of the D_MODEL / 2 hands (Vaswani et al., 2017, section 3.5)."""
    return 10_000.0 ** (-2 * np.arange(D_MODEL // 2) / D_MODEL)


def hands(t: int) -> np.ndarray:
    """Return where the hands of a position point, as sine and cosine (D_MODEL / 2, 2): its encoding, pair by pair."""
    angles = frequencies() * t
    return np.stack([np.sin(angles), np.cos(angles)], axis=1)


def arc(start: float, turn: float) -> str:
    """Return the way of a hand as a path: `turn` radians on from `start`, clockwise; a whole round where it is more."""
    radius, end = 0.5, start + min(turn, 2 * np.pi - 1e-3)
    (x, y), (u, v) = ((radius * np.sin(angle), -radius * np.cos(angle)) for angle in (start, end))
    return f"M{x:.3f} {y:.3f}A{radius:g} {radius:g} 0 {int(end - start > np.pi)} 1 {u:.3f} {v:.3f}"


def section(t: int, offset: int) -> dict[str, object]:
    """Return the figure at one position and one offset: the clocks, and what is said, as the script says it."""
    turns, before, after = frequencies() * offset, hands(t), hands(t + offset)
    degrees = [number(float(turn), 1) for turn in np.degrees(turns[:CLOCKS])]
    product = number(float((before * after).sum()))
    return {
        "title": f"From position {t} to {t + offset}",
        "clocks": [
            {
                "before": before[i].tolist(),
                "after": after[i].tolist(),
                "arc": arc(float(frequencies()[i] * t), float(turns[i])),
                "turn": degrees[i],
            }
            for i in range(CLOCKS)
        ],
        "says": f"From position {t} to {t + offset} the hands turn by {', '.join(degrees[:-1])} and {degrees[-1]} "
        f"degrees. The dot product of the two encodings is {product}. Both are the same from every position.",
    }


def figure() -> Figure:
    """Return the figure with its still pictures."""
    t, offset = STILLS[0]
    start = {"position": t, "offset": offset, "last": LAST, "farthest": FARTHEST, "frequencies": frequencies().tolist()}
    markup = rendered("position-clocks", sections=[section(*still) for still in STILLS], start=json.dumps(start))
    return Figure(markup, ("explorables/figure", "living/living", "explorables/position-clocks"))
