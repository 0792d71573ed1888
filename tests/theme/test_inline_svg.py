"""Drawings that stand in the page itself."""

import pytest

from theme import inline_svg


def test_an_inline_drawing_reaches_out_of_nothing() -> None:
    assert 'aria-label="a &quot;box&quot;"' in inline_svg.opened("<svg><g/></svg>", 'a "box"')
    for svg in ("<svg><script/></svg>", "<svg><style/></svg>", '<svg><a href="x"/></svg>', "<p/>"):
        with pytest.raises(ValueError):
            inline_svg.opened(svg, "a box")
