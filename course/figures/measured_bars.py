"""Committed results as bars, one section for each choice; one function here for each figure.

Every number comes from a file in `benchmarks/results/`, the mean over its seeds; nothing is typed in here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from course import committed
from course.figures.drawn import Figure, explorable

COPYING = "seq2seq_copying"
STILL = (8, 20)  # lengths that a chapter shows without script and on paper


def mean(records: list[dict], key: str, **wanted: object) -> float:
    """The mean of a number over the records that have these values. Raises ValueError where none has."""
    chosen = [record[key] for record in records if all(record.get(name) == value for name, value in wanted.items())]
    if not chosen:
        raise ValueError(f"no record with {wanted}")
    return sum(chosen) / len(chosen)


def source(result: dict) -> str:
    """One sentence on where the numbers come from."""
    return f"Mean of {len(result['seeds'])} seeds; {result['command']}, {result['date']}."


def bottleneck() -> Figure:
    """Chapter 01's control: copying strings through vectors of four widths, with more training, and with attention."""
    result = committed.read(COPYING)
    sections = []
    for k in result["settings"]["tested_k"]:
        rows: list[dict[str, Any]] = []
        for model, hidden, steps in result["settings"]["models"]:
            wanted = {"model": model, "hidden": hidden, "steps": steps, "k": k}
            label = f"a vector of {hidden}" if model == "vector" else f"attention, states of {hidden}"
            longer = f", {steps // 800} times the training" if steps > 800 else ""
            values = [mean(result["records"], key, **wanted) for key in ("symbols", "exact")]
            rows.append({"label": label + longer, "values": values})
        exact = [row["values"][1] for row in rows]
        by_vector = f"{min(exact[:-1]):.2f} to {max(exact[:-1]):.2f} by a vector"
        says = f"{k} symbols: whole strings right, {by_vector}, {exact[-1]:.2f} by attention."
        section = {"choice": str(k), "title": f"Strings of {k} symbols", "rows": rows, "says": says}
        sections.append({**section, "still": k in STILL})
    columns = ("symbols right", "whole strings right")
    made = explorable(
        "measured-bars", groups="Symbols to copy", columns=columns, sections=sections, source=source(result)
    )
    return replace(made, sources=(committed.RESULTS / f"{COPYING}.json",))
