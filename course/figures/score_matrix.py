"""Six queries and six keys: their weights by width, scale and mask, with what the scale does to the softmax.

Queries and keys are drawn from a normal distribution with a fixed seed, as untrained ones are; all else is computed.
"""

from __future__ import annotations

import numpy as np

from course.figures.drawn import Figure, explorable
from course.figures.weights import entropy, softmax

LENGTH = 6
WIDTHS = (4, 64, 1024)
SCALES = {"as they are": 0.0, "over √d": 0.5, "over d": 1.0}  # the power of d that the scores are divided by
MASKS = ("none", "causal")


def weights(width: int, power: float, causal: bool) -> np.ndarray:
    """Return the weights (T, S) of random queries and keys of a width, their scores divided by width ** power."""
    draw = np.random.RandomState(width)
    query, key = draw.standard_normal((2, LENGTH, width))
    scores = query @ key.T / width**power
    if causal:
        scores = np.where(np.tril(np.ones((LENGTH, LENGTH), bool)), scores, -np.inf)
    return softmax(scores)


def sections() -> list[dict[str, object]]:
    """Return what each combination of width, scale and mask shows."""
    made = []
    for width in WIDTHS:
        for scale, power in SCALES.items():
            for mask in MASKS:
                rows = weights(width, power, mask == "causal")
                counts = range(1, LENGTH + 1) if mask == "causal" else [LENGTH] * LENGTH
                made.append(
                    {
                        "choice": f"{width}|{scale}|{mask}",
                        "width": width,
                        "scale": scale,
                        "mask": mask,
                        "rows": [
                            {"weights": row.tolist(), "allowed": allowed, "bits": float(bits)}
                            for row, allowed, bits in zip(rows, counts, entropy(rows), strict=True)
                        ],
                        "mean_top": float(rows.max(axis=1).mean()),
                    }
                )
    return made


def figure() -> Figure:
    """Return the figure: the matrix for every width, scale and mask."""
    return explorable("score-matrix", sections=sections(), length=LENGTH)
