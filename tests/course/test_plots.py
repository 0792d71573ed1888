"""Figures: the same drawing gives the same bytes, and each kind is stored as it should be."""

import io

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest
from PIL import Image as Picture

from course import show, style


@pytest.fixture
def drawn(monkeypatch):
    """A function that draws one figure, shows it, and gives what was displayed."""
    displayed: list = []
    monkeypatch.setattr("IPython.display.display", displayed.append)

    def draw(kind: str):
        _figure(kind)
        assert not plt.get_fignums(), "a shown figure is closed"
        return displayed.pop().data

    return draw


def _figure(kind: str) -> None:
    style()
    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [1, 0, 3], label="a line")
    axes.legend()
    show(figure, kind)


def test_svg_is_the_same_to_the_byte_and_has_no_date(drawn):
    first, second = drawn("svg"), drawn("svg")
    assert first == second and "<dc:date>" not in first


def test_png_is_a_palette(drawn):
    data = drawn("png")
    assert data == drawn("png") and Picture.open(io.BytesIO(data)).mode == "P" and len(data) < 20_000


def test_another_kind_is_refused_by_name():
    with pytest.raises(ValueError, match="'gif'"):
        show(plt.figure(), "gif")
    plt.close("all")
