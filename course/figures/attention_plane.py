"""A query and four keys in the plane, to drag; gain, root and mask, with the weights that follow and their entropy.

Three of the keys and the query are chapter 04's soft dictionary (how much music, how much mathematics). What stands in
the page is the picture at its start, computed here; `static/explorables/attention-plane.js` computes the same as it
moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from course.figures.drawn import Figure, explorable, number, vector
from course.figures.weights import entropy, softmax

QUERY = (2.0, 1.0)
KEYS = {"Songs": (2.0, 0.0), "Harmony": (1.4, 1.4), "Algebra": (0.0, 2.0), "Gardening": (-1.2, -1.0)}
VALUES = (10.0, 20.0, 40.0, 30.0)


def attend(
    query: np.ndarray, keys: np.ndarray, values: np.ndarray, gain: float, root: bool, mask: Sequence[bool]
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return the scores (S,) of a query (d,) over keys (S, d), the weights (S,), their entropy in bits, and the output.

    mask (S,): True where a key may be looked at. With none the weights are zero, and so is the output.
    """
    scores = gain * keys @ query / (np.sqrt(len(query)) if root else 1.0)
    weights = softmax(np.where(mask, scores, -np.inf))
    return scores, weights, float(entropy(weights)), float(weights @ values)


def start() -> dict[str, Any]:
    """Return what the figure shows at its start."""
    query, keys = np.array(QUERY), np.array(list(KEYS.values()))
    scores, weights, bits, output = attend(query, keys, np.array(VALUES), 1.0, True, [True] * len(KEYS))
    top = int(weights.argmax())
    says = (
        f"Query {vector(QUERY)}, {number(float(np.hypot(*QUERY)), 1)} long."
        f" The most weight, {number(weights[top])}, falls on {list(KEYS)[top]}."
        f" Entropy: {number(bits)} of at most {number(np.log2(len(KEYS)))} bits."
        f" What comes back: {number(output, 1)}."
    )
    rows = [
        {"name": name, "key": key, "score": float(score), "weight": float(weight), "value": value}
        for (name, key), score, weight, value in zip(KEYS.items(), scores, weights, VALUES, strict=True)
    ]
    return {"rows": rows, "entropy": bits, "output": output, "says": says}


def arrow(point: Sequence[float], weight: float) -> dict[str, object]:
    """Return how an arrow is drawn, with the y axis down: its shaft's end, its tip, its label's place, its width."""
    x, y = point
    length = float(np.hypot(x, y))
    shaft = max(0.0, 1 - 0.2 / length) if length else 0.0
    return {
        "shaft": (shaft * x, -shaft * y),
        "tip": (x, -y),
        "angle": float(np.degrees(np.arctan2(-y, x))),
        "label": (min(2.4, max(-2.4, x)), -y - 0.25 if y > 0 else -y + 0.47),
        "width": 0.04 + 0.1 * weight,
    }


def figure() -> Figure:
    """Return the figure with the query and the keys at their start."""
    drawn = start()
    arrows = [("query", QUERY, arrow(QUERY, 0.3))]
    arrows += [(row["name"], row["key"], arrow(row["key"], row["weight"])) for row in drawn["rows"]]
    data = {"query": QUERY, "keys": list(KEYS.values()), "values": VALUES, "names": list(KEYS)}
    return explorable("attention-plane", data=data, arrows=arrows, query=QUERY, **drawn)
