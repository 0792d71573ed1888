"""How figures look and how they are stored: small, deterministic, readable in light and dark."""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # what draws is imported where it draws: most that imports the course never does
    from matplotlib.figure import Figure

_PICTURE = re.compile(r'"data:image/png;base64,([^"]*)"')


class Ink(NamedTuple):
    """A color as a figure is stored with it, and as the book's page shows it in its place."""

    stored: str
    light: str
    dark: str


# Colors told apart by readers with color-blindness, in the order of Okabe and Ito (2008). On the page they are dark
# enough for white paper, and light enough for a dark page, to write words in: their own yellow and blue are not.
INKS = {
    "blue": Ink("#0072B2", "#0B4F9C", "#5FA4F0"),
    "orange": Ink("#D55E00", "#962D00", "#F27F3F"),
    "green": Ink("#009E73", "#00735C", "#3FD9A4"),
    "purple": Ink("#CC79A7", "#974B8F", "#EE94C4"),
    "amber": Ink("#E69F00", "#8F5C00", "#FFD04A"),
    "sky": Ink("#56B4E9", "#2A86D6", "#A4E4FF"),
}
# Grounds of boxes with words in them.
TINTS = {
    "blue": Ink("#DCE9F5", "#DCE9F5", "#173352"),
    "orange": Ink("#FBE3D3", "#FBE3D3", "#4D2A16"),
    "green": Ink("#D8F0E6", "#D8F0E6", "#123D30"),
    "purple": Ink("#E9DDF1", "#E9DDF1", "#402545"),
    "amber": Ink("#FFF3C4", "#FFF3C4", "#453709"),
}
# The ground of a number that is shown by its color too: stored as a mix of white and this.
RAMP = Ink("#FFBF33", "#FFBF33", "#6B5200")
# What each color means wherever attention is drawn, written as an equation or told: the book's one visual language.
ROLES = {"query": "orange", "key": "blue", "value": "green", "weight": "amber", "context": "purple"}
# Greys: the stored ones up to a lightness (0 to 255), and the share of ink in what the page shows, in percent.
GRAYS = {"ink": (0x20, 100), "strong": (0x4F, 80), "muted": (0x70, 68), "line": (0xA7, 56), "grid": (0xDF, 30)}
# For marks on a picture, whose own colors are the same on every page: white, black, red.
ON_PICTURES = ("#FDFDFD", "#050505", "#B00000")
COLORS = (*(ink.stored for ink in INKS.values()), "#000000")


def page_color(stored: str) -> str:
    """Return a stored color, `#0072b2`, as a page has it in CSS: `var(--ink-blue)`.

    Raises:
        ValueError: where it is neither of `INKS`, `TINTS` or `ON_PICTURES` nor a gray.
    """
    color = stored.upper()
    if color in ON_PICTURES:
        return color
    for prefix, named in (("ink", INKS), ("tint", TINTS)):
        for name, ink in named.items():
            if color == ink.stored.upper():
                return f"var(--{prefix}-{name})"
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    share = (255 - blue) / (255 - int(RAMP.stored[5:], 16))
    if red == 255 and blue < 255 and abs(255 - share * (255 - int(RAMP.stored[3:5], 16)) - green) < 2:
        return f"color-mix(in srgb, var(--ramp) {100 * share:.0f}%, var(--ground))"
    if not red == green == blue:
        raise ValueError(f"{stored} is no color of the course: course/plots.py has {', '.join(COLORS)}, and grays")
    if red == 255:
        return "var(--ground)"
    return f"var(--gray-{next((name for name, (most, _) in GRAYS.items() if red <= most), 'tint')})"


def sheet() -> str:
    """Return the style sheet that gives these colors their values on a page, in the light and in the dark."""
    rules = []
    for theme in ("light", "dark"):
        values = [f"--ink-{name}: {getattr(ink, theme)};" for name, ink in INKS.items()]
        values.append(f"--ramp: {getattr(RAMP, theme)};")
        values += [f"--tint-{name}: {getattr(ink, theme)};" for name, ink in TINTS.items()]
        rules.append(f'html[data-theme="{theme}"] {{ {" ".join(values)} }}')
    mixed = [f"--gray-{name}: {_mix(share)};" for name, (_, share) in GRAYS.items()] + [f"--gray-tint: {_mix(8)};"]
    roles = [f"--role-{role}: var(--ink-{name});" for role, name in ROLES.items()]
    rules.append(f"html {{ --ground: var(--pst-color-background); {' '.join(mixed + roles)} }}")
    return "\n".join(rules) + "\n"


def _mix(share: int) -> str:
    return f"color-mix(in srgb, var(--pst-color-text-base) {share}%, var(--pst-color-background))"


def style() -> None:
    """Set matplotlib up for the course; call it once, in the set-up cell."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams.update({
        "axes.grid": True,
        "axes.prop_cycle": cycler(color=COLORS),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.autolayout": False,
        "figure.facecolor": "white",  # JupyterLab shows an SVG as an image; the book makes this ground transparent
        "figure.figsize": (6.4, 3.6),
        "font.size": 10,
        "grid.alpha": 0.3,
        "image.cmap": "cividis",
        "image.interpolation": "none",  # an SVG holds the pixels as they are, sharp at every size
        "svg.fonttype": "path",  # the same drawing on a machine without the font
        "svg.hashsalt": "attention-from-scratch",  # ids that do not change from run to run
    })  # fmt: skip


def show(figure: Figure, kind: str = "svg") -> None:
    """Display a figure and close it: as "svg", pictures in it as palettes, or whole as a palette ("png").

    Only an SVG takes the colors of the book's page. Raises ValueError for another kind.
    """
    import matplotlib.pyplot as plt
    from IPython.display import SVG, Image, display

    if kind not in ("svg", "png"):
        raise ValueError(f'kind is {kind!r}: "svg" or "png" is asked for')
    buffer = io.BytesIO()
    if kind == "svg":
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
        display(SVG(_PICTURE.sub(_packed, buffer.getvalue().decode())))
    else:
        figure.savefig(buffer, format="png", bbox_inches="tight", dpi=110)
        display(Image(_palette(buffer.getvalue())))
    plt.close(figure)


def _packed(match: re.Match[str]) -> str:
    """A picture within an SVG as a palette, which has a third of the bytes."""
    return f'"data:image/png;base64,{base64.b64encode(_palette(base64.b64decode(match[1]))).decode()}"'


def _palette(png: bytes) -> bytes:
    """The same picture in 64 colors; what is transparent stays so."""
    from PIL import Image as Picture

    picture = Picture.open(io.BytesIO(png))
    opaque = picture.mode != "RGBA" or picture.getchannel("A").getextrema() == (255, 255)
    few = picture.convert("RGB").quantize(64) if opaque else picture.quantize(64, Picture.Quantize.FASTOCTREE)
    written = io.BytesIO()
    few.save(written, "PNG", optimize=True)
    return written.getvalue()
