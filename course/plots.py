"""How figures look and how they are stored: small, deterministic, readable in light and dark."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what draws is imported where it draws: most that imports the course never does
    from matplotlib.figure import Figure

# Colours told apart by readers with colour-blindness, in the order of Okabe and Ito (2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def style() -> None:
    """Set matplotlib up for the course; call it once, in the set-up cell."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams.update({
        "axes.grid": True,
        "axes.prop_cycle": cycler(color=COLOURS),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.autolayout": False,
        "figure.facecolor": "white",  # an opaque ground, so that a dark page does not swallow the labels
        "figure.figsize": (6.4, 3.6),
        "font.size": 10,
        "grid.alpha": 0.3,
        "image.cmap": "cividis",
        "svg.fonttype": "path",  # the same drawing on a machine without the font
        "svg.hashsalt": "attention-from-scratch",  # ids that do not change from run to run
    })  # fmt: skip


def show(figure: Figure, kind: str = "svg") -> None:
    """Display a figure and close it: "svg" for lines, "png" (a 64-colour palette) for images and scatter.

    Raises ValueError for another kind.
    """
    import matplotlib.pyplot as plt
    from IPython.display import SVG, Image, display
    from PIL import Image as Picture

    if kind not in ("svg", "png"):
        raise ValueError(f'kind is {kind!r}: "svg" or "png" is asked for')
    buffer = io.BytesIO()
    if kind == "svg":
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
        display(SVG(buffer.getvalue()))
    else:
        figure.savefig(buffer, format="png", bbox_inches="tight", dpi=110)
        picture = Picture.open(buffer).convert("RGB").quantize(64)
        packed = io.BytesIO()
        picture.save(packed, "PNG", optimize=True)
        display(Image(packed.getvalue()))
    plt.close(figure)
