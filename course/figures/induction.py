"""An induction head at work: chapter 07's two layers of attention, on a string that the reader types.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living induction`.
"""

from __future__ import annotations

import json
from typing import Any

from course.figures.drawn import Figure, number
from course.figures.still import Still
from course.figures.weights import largest

STILL = Still("induction", "language_model_induction")
PERIOD = 7  # of the string that the still picture shows


def followed(text: str, t: int) -> list[int]:
    """Return the places right after those where the symbol of place t stood before: where an induction head looks."""
    return [j for j in range(1, t + 1) if text[j - 1] == text[t]]


def stood_before(text: str, t: int) -> bool:
    """Whether the pair of a place's symbol and the one before it has stood before: then the symbol can be looked up."""
    return t > 0 and any(text[j] == text[t] for j in followed(text, t - 1))


def looked(text: str, weights: list[float], wanted: list[int]) -> dict[str, Any]:
    """Return a layer's bars, what it gives to the wanted places, and the three largest in words, as the script does."""
    most = [t for t in largest(weights, 3) if weights[t] > 0]
    return {
        "bars": [(text[t], weight, t in wanted) for t, weight in enumerate(weights)],
        "sum": number(sum(weights[t] for t in wanted)),
        "most": ", ".join(f"{text[t]} ({t + 1}) {number(weights[t])}" for t in most),
    }


def figure() -> Figure:
    """Return the figure with its still picture."""
    still, record = STILL.read()
    text, asked, expected = still["text"], still["asked"], still["expected"]
    before = [""] + [f"{symbol} {number(share)}" for symbol, share in expected]
    lookup = [t for t in range(len(text)) if stood_before(text, t)]
    wrong = [t for t in lookup if expected[t - 1][0] != text[t]]
    places = [(text[t], before[t], t in lookup, t in wrong) for t in range(len(text))]
    wanted = [asked - 1], followed(text, asked)
    return STILL.drawn(
        ("layers", "attention-reader", "induction"),
        text=text,
        asked=asked,
        places=[*places, ("?", before[-1], True, False)],
        layers=[looked(text, weights, at) for weights, at in zip(still["weights"], wanted, strict=True)],
        right=len(lookup) - len(wrong),
        pairs=len(lookup),
        tested=f"{record['settings']['tested']:,}",
        rows=[(r["layer_0"], r["accuracy"]) for r in record["records"] if r["measure"] == "look"],
        start=json.dumps({"text": text, "asked": asked, "period": PERIOD}),
    )
