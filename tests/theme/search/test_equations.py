"""Equations in plain characters, as a reader would type them."""

import pytest

from theme.search.equations import plain_text


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V", "softmax(QKᵀ/√d_k)V"),
        (r"\textcolor{#D55E00}{Q}K^T", "QKᵀ"),
        (r"\alpha_{s} \le 1", "α_s ≤ 1"),
        (r"d_\text{model}", "d_model"),
        (r"\bar{V} = A^\top \bar{O}", "V = Aᵀ O"),
        (r"\unknowncommand{x}", "x"),
    ],
)
def test_an_equation_in_plain_characters(tex: str, text: str) -> None:
    assert plain_text(tex) == text
