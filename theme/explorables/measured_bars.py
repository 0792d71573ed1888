"""Committed results as bars, one section for each choice: `{measured-bars} NAME`, one function here for each NAME.

Every number comes from a file in `benchmarks/results/`, the mean over its seeds; nothing is typed in here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course import committed
from theme.explorables.figure import explorable

STILL = (8, 20)  # lengths that a chapter shows without script and on paper
FIGURES: dict[str, Callable[[], dict[str, object]]] = {}


def figure(name: str) -> Callable[[Callable[[], dict[str, object]]], Callable[[], dict[str, object]]]:
    """Register what `{measured-bars} name` shows: groups, columns, sections of rows, and where the numbers are from."""

    def register(make: Callable[[], dict[str, object]]) -> Callable[[], dict[str, object]]:
        FIGURES[name] = make
        return make

    return register


def mean(records: list[dict], key: str, **wanted: object) -> float:
    """The mean of a number over the records that have these values. Raises ValueError where none has."""
    chosen = [record[key] for record in records if all(record.get(name) == value for name, value in wanted.items())]
    if not chosen:
        raise ValueError(f"no record with {wanted}")
    return sum(chosen) / len(chosen)


def source(result: dict) -> str:
    """One sentence on where the numbers come from."""
    return f"Mean of {len(result['seeds'])} seeds; {result['command']}, {result['date']}."


@figure("bottleneck")
def bottleneck() -> dict[str, object]:
    """Chapter 01's control: copying strings through vectors of four widths, with more training, and with attention."""
    result = committed.read("seq2seq_copying")
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
    return {"groups": "Symbols to copy", "columns": columns, "sections": sections, "source": source(result)}


class MeasuredBars(SphinxDirective):
    """`{measured-bars} NAME`: shows the figure of that name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"there is no figure {name!r}; there are {', '.join(sorted(FIGURES))}")
        for path in committed.RESULTS.glob("*.json"):
            self.env.note_dependency(str(path))
        return [explorable("measured-bars", **FIGURES[name]())]


def setup(app: Sphinx) -> None:
    app.add_directive("measured-bars", MeasuredBars)
