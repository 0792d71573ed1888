"""Equations, made while the book is built."""

import pytest

from theme import math


def test_an_equation_that_cannot_be_read_says_why() -> None:
    assert 'class="katex' in math.render(r"\alpha_{tj}", display=False)
    with pytest.raises(ValueError, match="KaTeX parse error"):
        math.render(r"\frac{1}", display=True)
