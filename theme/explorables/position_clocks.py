"""Positions as clocks: each pair of sine and cosine is a hand, and each step turns every hand by its own angle."""

from __future__ import annotations

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from theme.explorables.figure import explorable

D_MODEL = 16
CLOCKS = 4  # of the eight that a width of 16 has; the others hardly move on the way
POSITIONS = range(13)


def angles() -> np.ndarray:
    """Return the angle of each clock at each position, in radians (T, CLOCKS) (Vaswani et al., 2017, section 3.5)."""
    frequencies = 10_000.0 ** (-2 * np.arange(CLOCKS) / D_MODEL)
    return np.outer(np.arange(len(POSITIONS)), frequencies)


def sections() -> list[dict[str, object]]:
    """Return, for each position, its hands and those of the position before."""
    turned = angles()
    return [
        {
            "choice": str(t),
            "position": t,
            "clocks": [
                {
                    "sine": float(np.sin(turned[t, i])),
                    "cosine": float(np.cos(turned[t, i])),
                    "before": (float(np.sin(turned[t - 1, i])), float(np.cos(turned[t - 1, i]))) if t else None,
                    "step": float(np.degrees(turned[1, i])),
                    "wavelength": float(2 * np.pi / turned[1, i]),
                }
                for i in range(CLOCKS)
            ],
        }
        for t in POSITIONS
    ]


class PositionClocks(SphinxDirective):
    """`{position-clocks}`: takes nothing, shows the clocks of every position."""

    def run(self) -> list[nodes.Node]:
        return [explorable("position-clocks", sections=sections())]


def setup(app: Sphinx) -> None:
    app.add_directive("position-clocks", PositionClocks)
