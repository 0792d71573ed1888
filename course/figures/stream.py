"""The residual stream of a translation: what each part of chapter 06's decoder read and added, on the reader's numbers.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living stream`.
"""

from __future__ import annotations

import json

from course.figures.drawn import Figure, number
from course.figures.still import Still
from course.figures.weights import largest

STILL = Still("stream", "transformer_living")


def name_of(part: str, layer: int | None) -> str:
    """Return a part's name with its layer, as the script has it."""
    return part if layer is None else f"{part}, layer {layer}"


def reads(part: str, weights: list[float] | None, source: list[str], words: list[str]) -> str:
    """Return what a part read: the two words with the largest weights, or the stream alone. As the script says it."""
    if weights is None:
        return "this stream alone" if part == "network" else "nothing"
    read = source if part == "cross-attention" else ["start", *words]
    return ", ".join(f"{read[t]} {number(weights[t])}" for t in largest(weights, 2))


def figure() -> Figure:
    """Return the figure with its still picture."""
    still, record = STILL.read()
    records = record["records"]
    words, asked = still["words"], still["asked"]
    most = max(row["added"] for row in still["rows"])
    rows = [
        {
            "name": name_of(row["part"], row["layer"]),
            "reads": reads(row["part"], row["weights"], still["source"], words),
            "added": row["added"],
            "length": row["added"] / most,
            "says": "end" if row["says"] == "</s>" else row["says"],
            "share": row["share"],
            "fits": row["says"] == words[asked],
        }
        for row in still["rows"]
    ]
    return STILL.drawn(
        ("layers", "translation", "transformer", "stream"),
        source=still["source"],
        words=[*words, "end"],
        asked=asked,
        rows=rows,
        settled=[r for r in records if r["measure"] == "settled"],
        start=json.dumps({"numbers": [still["number"]], "asked": asked}),
    )
