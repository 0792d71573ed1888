"""Figures: the same drawing gives the same bytes, and each kind is stored as it should be."""

import base64
import io
import re

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest
import torch
from PIL import Image as Picture

from course import plots, show, style


@pytest.fixture
def drawn(monkeypatch):
    """A function that shows a new figure, drawn on by a function, and gives what was displayed."""
    displayed: list = []
    monkeypatch.setattr("IPython.display.display", displayed.append)

    def draw(what, kind="svg"):
        style()
        figure, axes = plt.subplots()
        what(axes)
        show(figure, kind)
        assert not plt.fignum_exists(figure.number), "a shown figure is closed"
        return displayed.pop().data

    return draw


def a_line(axes) -> None:
    axes.plot([0, 1, 2], [1, 0, 3], label="a line")
    axes.legend()


def test_svg_is_the_same_to_the_byte_and_has_no_date(drawn):
    first, second = drawn(a_line), drawn(a_line)
    assert first == second and "<dc:date>" not in first


def test_png_is_a_palette(drawn):
    data = drawn(a_line, "png")
    assert data == drawn(a_line, "png") and Picture.open(io.BytesIO(data)).mode == "P" and len(data) < 20_000


def test_another_kind_is_refused_by_name():
    with pytest.raises(ValueError, match="'gif'"):
        show(plt.figure(), "gif")
    plt.close("all")


def pictures(svg: str) -> list[Picture.Image]:
    stored = re.findall(r'"data:image/png;base64,([^"]*)"', svg)
    return [Picture.open(io.BytesIO(base64.b64decode(data))) for data in stored]


def test_a_picture_keeps_its_pixels_as_a_palette(drawn):
    noise = torch.rand(48, 64, 3, generator=torch.Generator().manual_seed(0)).numpy()
    (picture,) = pictures(drawn(lambda axes: axes.imshow(noise)))
    assert (picture.mode, picture.size) == ("P", (64, 48)) and len(picture.getcolors()) <= 64
    gap = torch.ones(4, 4, 4)
    gap[0] = 0
    (picture,) = pictures(drawn(lambda axes: axes.imshow(gap.numpy())))
    assert picture.convert("RGBA").getextrema()[3] == (0, 255), "what is transparent stays so"


@pytest.mark.parametrize("stored", plots.COLORS)
def test_every_color_of_the_palette_has_a_name_on_the_page(stored):
    assert plots.page_color(stored).startswith("var(--")


def test_greys_are_shares_of_ink_and_another_color_is_refused():
    shares = [f"var(--gray-{name})" for name in (*plots.GRAYS, "tint")]
    grays = [f"#{level:02X}{level:02X}{level:02X}" for level in range(255)]
    levels = [plots.page_color(gray) for gray in grays if gray not in plots.ON_PICTURES]
    assert sorted(levels, key=shares.index) == levels and set(levels) == set(shares)
    assert plots.page_color("#ffffff") == "var(--ground)"
    assert [plots.page_color(color) for color in plots.ON_PICTURES] == list(plots.ON_PICTURES)
    with pytest.raises(ValueError, match="#123456 is no color of the course"):
        plots.page_color("#123456")


def luminance(color: str) -> float:
    """WCAG 2.2, relative luminance."""
    shares = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("theme", "ground"), [("light", "#FFFFFF"), ("dark", "#121212")])
def test_inks_can_be_written_in_and_boxes_written_on(theme, ground):
    """The page's own grounds; the browser's test looks at the whole figures."""

    def contrast(one: str, other: str) -> float:
        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    for name, ink in plots.INKS.items():
        least = 3 if name == "sky" else 4.5  # sky is for lines
        assert contrast(getattr(ink, theme), ground) >= least, name
    assert {"sky"}.isdisjoint(plots.ROLES.values()), "roles are written in their colors"
    words = {"light": "#222832", "dark": "#CED6DD"}[theme]
    assert all(contrast(getattr(tint, theme), words) >= 4.5 for tint in plots.TINTS.values())
