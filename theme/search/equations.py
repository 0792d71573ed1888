"""An equation in plain characters, as a reader would type it: `QKᵀ/√d_k`."""

from __future__ import annotations

import re
import unicodedata

SIGNS = {
    "cdot": "·", "times": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "to": "→", "leftarrow": "←", "infty": "∞",
    "sum": "∑", "prod": "∏", "partial": "∂", "top": "ᵀ", "odot": "⊙", "approx": "≈", "in": "∈", "ldots": "…",
    "dots": "…", "neq": "≠", "pm": "±", "ell": "ℓ", "log": "log", "exp": "exp", "max": "max", "min": "min",
    "tanh": "tanh", "sin": "sin", "cos": "cos",
}  # fmt: skip
# With what stands in their braces: TeX's command, and what is written of its arguments.
COMMANDS = (
    (r"\\textcolor\{[^{}]*\}\{([^{}]*)\}", r"\1"),
    (r"\\(?:text|mathrm|mathbf|mathcal|operatorname|bar|hat|tilde|vec|boldsymbol)\s*\{([^{}]*)\}", r"\1"),
    (r"\\sqrt\s*\{([^{}]*)\}", r"√\1"),
    (r"\\t?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2"),
    (r"([_^])\s*\{([^{}]*)\}", r"\1\2"),
)


def sign(match: re.Match[str]) -> str:
    """Return the character of a command without arguments; nothing for what only arranges."""
    name = match[1]
    if name in SIGNS:
        return SIGNS[name]
    case = "CAPITAL" if name[:1].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")
    except KeyError:
        return " "


def plain_text(tex: str) -> str:
    """Return TeX as plain_text text.

    >>> plain_text(r"\\text{softmax}\\left(\\frac{Q K^\\top}{\\sqrt{d_k}}\\right) V")
    'softmax(QKᵀ/√d_k)V'
    """
    text, before = tex.replace(r"\!", "").replace(r"\,", " "), ""
    while text != before:
        before = text
        for pattern, instead in COMMANDS:
            text = re.sub(pattern, instead, text)
    text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?)\b|\\\\", "", text)
    text = re.sub(r"[{}&\\]", "", re.sub(r"\\([A-Za-z]+)", sign, text))
    text = re.sub(r"\^\s*(?:ᵀ|T\b)", "ᵀ", text)
    text = re.sub(r"(?<![\w])([A-Z]) (?=[A-Z](?![a-z]))", r"\1", text)  # Q K is a product: one word
    return re.sub(r"\s+(?=[)ᵀ/])|(?<=[(/√])\s+|(?<=\))\s+(?=[A-Z]\b)", "", " ".join(text.split()))
