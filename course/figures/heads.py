"""Heads to switch off: chapter 05's model that names hidden words, on sentences that the reader makes.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living heads`.
"""

from __future__ import annotations

import json

from course.figures.drawn import Figure, number
from course.figures.still import Still
from course.figures.weights import largest

STILL = Still("heads", "multi_head_living")


def looks(words: list[str], weights: list[float]) -> tuple[str, str]:
    """Return where a head looks most, and the three largest of its weights in words, as the script says both."""
    most = [f"{words[t]} ({t + 1}) {number(weights[t])}" for t in largest(weights, 3)]
    return most[0], ", ".join(most)


def figure() -> Figure:
    """Return the figure with its still picture."""
    still, record = STILL.read()
    (whole,) = (r for r in record["records"] if r["measure"] == "whole")
    off = [r for r in record["records"] if r["measure"] == "off"]
    alone = {r["heads"]: r["accuracy"] for r in off if r["in_place"] == "zeros"}
    rows: dict[str, dict[str, float]] = {}
    for r in off:
        if len(r["heads"].split()) != 1 and " and " not in r["name"]:
            rows.setdefault(r["name"], {})[r["in_place"]] = r["accuracy"]
    (all_on,) = (r for r in off if not r["heads"] and r["in_place"] == "zeros")
    named = {t: (word, share) for t, word, share in still["named"]}
    start = {"first": still["first"], "hidden": list(named), "asked": still["asked"]}
    return STILL.drawn(
        ("layers", "translation", "counter", "heads"),
        words=still["words"],
        named=named,
        asked=still["asked"],
        layers=[
            [(alone[f"{i}.{h}"], head, *looks(still["words"], head)) for h, head in enumerate(layer)]
            for i, layer in enumerate(still["weights"])
        ],
        right=all_on["right"],
        loss=all_on["loss"],
        share=all_on["accuracy"],
        hidden_words=whole["hidden_words"],
        sentences=record["settings"]["page_sentences"],
        rows=rows,
        start=json.dumps(start),
    )
