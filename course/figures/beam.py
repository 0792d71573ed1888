"""Beam search unfolding: what a beam keeps and drops at each step, with chapter 06's model, on the reader's numbers.

All numbers of the still picture were written by `python -m benchmarks.living beam`; the weights are the residual
stream's.
"""

from __future__ import annotations

import json
from typing import Any

from course.figures.drawn import Figure, number
from course.figures.still import Still
from course.figures.translation import marked, verdict

STILL = Still("beam", "transformer_beam")
# The tree, in its own units: so many steps side by side, each so wide; a place's height; half a box's width and height.
# The script draws with the same numbers.
DRAWING = {"columns": 6, "step": 84, "row": 42, "half": 31, "tall": 17}
ENDING = 6  # words of a hypothesis that the table shows, the last
SCORES = {0.0: "the sum", 1.0: "the mean"}

Step = list[dict[str, Any]]


def ending(words: list[str]) -> str:
    """Return the last words of a hypothesis, as the script shows them."""
    return " ".join(["…"] * (len(words) > ENDING) + words[-ENDING:])


def best_places(steps: list[Step], at: int) -> list[int]:
    """Return, for each step up to `at`, the place of the hypothesis that became the best of step `at`."""
    places = [0]
    for step in reversed(steps[1 : at + 1]):
        places.insert(0, step[places[0]]["parent"])
    return places


def tree(steps: list[Step], at: int) -> dict[str, Any]:
    """Return boxes and lines of the last columns up to step `at`, and the drawing's size."""
    wide, row, half = DRAWING["step"], DRAWING["row"], DRAWING["half"]
    first, best = max(0, at + 1 - DRAWING["columns"]), best_places(steps, at)
    boxes, lines = [], []
    for t in range(first, at + 1):
        for place, one in enumerate(steps[t]):
            x, y = wide * (t - first + 0.5), row * (place + 0.5)
            on_the_way = one["kept"] and best[t] == place
            kind = ("kept" if one["kept"] else "dropped") + " best" * on_the_way
            boxes.append({"x": x, "y": y, "word": one["words"][-1], "score": one["score"], "kind": kind})
            if t > first:
                line = f"M{x - wide + half:g} {row * (one['parent'] + 0.5):g}L{x - half:g} {y:g}"
                lines.append({"d": line, "kind": kind})
    return {"boxes": boxes, "lines": lines, "width": wide * DRAWING["columns"], "height": row * len(steps[at])}


def in_words(steps: list[Step], at: int) -> str:
    """Return the tree as a text, as the script says it."""
    sentences = []
    for t in range(max(0, at + 1 - DRAWING["columns"]), at + 1):
        kept, dropped = (
            ", ".join(f"{one['words'][-1]} {number(one['score'])}" for one in steps[t] if one["kept"] == is_kept)
            for is_kept in (True, False)
        )
        sentences.append(f"Step {t + 1}: kept {kept}; dropped {dropped}.")
    return " ".join(sentences)


def outcome(one: dict[str, Any], place: int, width: int) -> str:
    """Return what becomes of a hypothesis at its step, and why, as the script says it."""
    if one["kept"]:
        return "kept, finished" if one["words"][-1] == "end" else "kept"
    return f"dropped: place {place + 1}, {width} kept"


def figure() -> Figure:
    """Return the figure with its still picture."""
    still, record = STILL.read()
    records = record["records"]
    steps, width = still["steps"], still["width"]
    at = len(steps) - 1
    written = [word for word in steps[at][0]["words"] if word != "end"]
    sentences = [
        {"name": name, "words": marked(words, still["target"]), "verdict": verdict(words, still["target"])}
        for name, words in (("Greedy", still["greedy"]), (f"Beam of {width}", written))
    ]
    rows = [
        {**one, "ending": ending(one["words"]), "outcome": outcome(one, place, width)}
        for place, one in enumerate(steps[at])
    ]
    start = {
        **{name: still[name] for name in ("numbers", "width")},
        "sentences": still["sentences"],
        "steps": len(steps),
    }
    return STILL.drawn(
        ("layers", "translation", "transformer", "beam", "stream"),
        source=still["source"],
        sentences=sentences,
        tree=tree(steps, at),
        in_words=in_words(steps, at),
        half=DRAWING["half"],
        tall=DRAWING["tall"],
        at=at,
        steps=len(steps),
        rows=rows,
        measured=[{**r, "score": SCORES[r["length_penalty"]]} for r in records],
        tested=records[0]["of"],
        start=json.dumps(start),
        drawing=json.dumps(DRAWING),
    )
