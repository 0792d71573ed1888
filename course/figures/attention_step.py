"""One sentence through an attention decoder, word by word: scores, weights, context, and the fixed vector beside it.

The states are chosen by hand, in the plane, so that they can be drawn and every number checked on paper. All else is
computed here. The score is the dot product, for the same reason; Bahdanau's own is a small network in the same place.
"""

from __future__ import annotations

import numpy as np

from course.figures.drawn import Figure, explorable
from course.figures.weights import softmax

SOURCE = ("she", "has", "read", "the", "book")
TARGET = ("sie", "hat", "das", "Buch", "gelesen")
ENCODER = np.array([[0.3, 1.9], [1.8, 0.7], [1.4, -1.6], [-1.8, 0.8], [-1.2, -1.5]])  # h_1 ... h_5: (S, 2)
DECODER = np.array([[0.1, 1.6], [1.7, 0.8], [-1.3, 0.4], [-1.1, -1.0], [1.2, -1.4]])  # s_0 ... s_4: (T, 2)


def attend(queries: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return dot-product scores (T, S), their softmax over the keys (T, S) and the contexts (T, 2)."""
    scores = queries @ keys.T
    weights = softmax(scores)
    return scores, weights, weights @ keys


def steps() -> list[dict[str, object]]:
    """Return, for each word to write, the numbers that the figure shows."""
    scores, weights, contexts = attend(DECODER, ENCODER)
    longest = float(np.abs(scores).max())
    made = []
    for t, word in enumerate(TARGET):
        rows = [
            {
                "word": name,
                "state": ENCODER[j].tolist(),
                "score": float(scores[t, j]),
                "bar": float(scores[t, j]) / longest,
                "weight": float(weights[t, j]),
                "share": (weights[t, j] * ENCODER[j]).tolist(),
            }
            for j, name in enumerate(SOURCE)
        ]
        top = max(rows, key=lambda row: row["weight"])
        made.append(
            {
                "word": word,
                "t": t,
                "query": DECODER[t].tolist(),
                "angle": -float(np.degrees(np.arctan2(DECODER[t, 1], DECODER[t, 0]))),  # a drawing's y axis points down
                "length": float(np.hypot(*DECODER[t])),
                "rows": rows,
                "context": contexts[t].tolist(),
                "top": top,
            }
        )
    return made


def figure() -> Figure:
    """Return the figure: the worked example."""
    return explorable("attention-step", steps=steps(), fixed=ENCODER[-1].tolist(), source=SOURCE)
