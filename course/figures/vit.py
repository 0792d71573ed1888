"""Draw a digit: chapter 08's Vision Transformer on the reader's own drawing.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living vit`.
"""

from __future__ import annotations

import json

from course.figures.drawn import Figure, number
from course.figures.still import Still

STILL = Still("vit", "vit_living")
TESTED = 500  # of `course.data.digits`, which takes seconds to import: it brings torch and scikit-learn
SIZE, GRID = 8, 4  # pixels and patches a side
MAPS = {
    "attention": "Attention of the class token, layer 2",
    "rollout": "Its rollout over both layers",
    "positions": "Cosine with the marked position",
}


def map_of(name: str, numbers: list[float]) -> dict[str, object]:
    """Return one number for each patch as the template shows it: its name, its cells, and all in words."""
    most = max(numbers)
    texts = [number(value) for value in numbers]
    rows = [f"row {row + 1}: {', '.join(texts[GRID * row : GRID * row + GRID])}" for row in range(GRID)]
    return {
        "name": name,
        "words": f"{name}, {'; '.join(rows)}",
        "cells": [(text, max(0.0, value / most)) for text, value in zip(texts, numbers, strict=True)],
    }


def words(negative: str, positive: str, pixels: int) -> str:
    """Return a move in words: `2 left`, `0`, `1 right`."""
    return f"{abs(pixels)} {negative if pixels < 0 else positive}" if pixels else "0"


def figure() -> Figure:
    """Return the figure with its still picture."""
    still, record = STILL.read()
    records = record["records"]
    ink = [round(sixteenths / 16, 3) for sixteenths in still["ink"]]
    measured = {(r["down"], r["right"]): r["accuracy"] for r in records if r["measure"] == "moved"}
    (positions,) = (record for record in records if record["measure"] == "positions")
    start = json.dumps({"digit": still["digit"], "ink": still["ink"], "patch": still["patch"]})
    return STILL.drawn(
        ("layers", "vision-transformer", "vit"),
        digit=still["digit"],
        patch=still["patch"],
        rows=[ink[SIZE * row : SIZE * row + SIZE] for row in range(SIZE)],
        probabilities=still["probabilities"],
        maps=[map_of(name, still[key]) for key, name in MAPS.items()],
        positions=positions,
        measured=measured,
        moves=sorted({down for down, _ in measured}),
        words=words,
        tested=TESTED,
        start=start,
    )
