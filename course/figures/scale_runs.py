"""Chapter 04's runs of the scale experiment, to scrub through: over steps at one rate, over rates after all steps.

Nothing is computed in the page. The shares are those of the records of `dot_product_scale` and `dot_product_rates`,
each seed's own; which is all that was measured: at five moments, and at the end of training for other rates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean as mean
from typing import Any, NamedTuple

from course import committed
from course.figures.drawn import Figure, number, rendered

BY_STEP, BY_RATE = "dot_product_scale", "dot_product_rates"
NAMES = {
    "1": "1",
    "1/sqrt(d)": "1/√d",
    "1/d": "1/d",
    "1, smaller start": "1, smaller start",
    "1, smaller start and steps": "1, smaller start and steps",
}
# The drawing, in its own units: a lane for each scale, with the share right across it.
DRAWING = {"width": 340, "left": 8, "across": 324, "lane": 34, "track": 22, "apart": 5, "tick": 5}
STILLS = ((0, 0), (1, 2))  # (view, place on its slider); the live figure begins with the first


class View(NamedTuple):
    """What a slider goes through. shares: for each scale, each place of the slider and each seed; None: not run."""

    name: str
    slider: str
    says: str
    values: list[str]
    shares: list[list[list[float]] | None]


def _shares(record: str, along: str, values: Sequence[float]) -> list[list[list[float]] | None]:
    accuracies: dict[tuple[str, float], list[float]] = {}
    for r in committed.read(record)["records"]:
        accuracies.setdefault((r["scale"], r[along]), []).append(r["accuracy"])
    there = {scale for scale, _ in accuracies}
    return [[accuracies[scale, value] for value in values] if scale in there else None for scale in NAMES]


def views() -> list[View]:
    """Return both views of the runs."""
    by_step, by_rate = (committed.read(record)["settings"] for record in (BY_STEP, BY_RATE))
    steps, rates = by_step["tested_after"], sorted(by_rate["learning_rate"])
    rate, last = decimal(by_step["learning_rate"]), by_rate["steps"]
    return [
        View(
            f"steps, at rate {rate}",
            "Steps",
            f"After {{}} steps at rate {rate}",
            [str(step) for step in steps],
            _shares(BY_STEP, "step", steps),
        ),
        View(
            f"rates, after {last} steps",
            "Learning rate",
            f"After {last} steps at rate {{}}",
            [decimal(value) for value in rates],
            _shares(BY_RATE, "learning_rate", rates),
        ),
    ]


def decimal(rate: float) -> str:
    """Write a learning rate without an exponent: `0.00003`."""
    return f"{rate:.5f}".rstrip("0")


def first_weights() -> list[str]:
    """Return each scale's largest weight before training, the mean over queries and seeds."""
    weights: dict[str, dict[int, float]] = {}
    for r in committed.read(BY_STEP)["records"]:
        weights.setdefault(r["scale"], {})[r["seed"]] = r["top_weight_at_start"]
    return [number(mean(weights[scale].values())) for scale in NAMES]


def x(share: float) -> float:
    """Return where a share right lies in the drawing."""
    return DRAWING["left"] + DRAWING["across"] * share


def cells(shares: list[list[float]] | None, at: int) -> list[str]:
    """Return the seeds' shares as they were measured, and their mean."""
    if shares is None:
        return ["not run"]
    return [number(mean(shares[at])), *(number(share, 4) for share in shares[at])]


def section(view: View, at: int) -> dict[str, Any]:
    """Return the figure at one place of a slider: the lanes, and what is said, as the script says it."""
    title = view.says.format(view.values[at])
    lanes = []
    for i, (name, first, shares) in enumerate(zip(NAMES.values(), first_weights(), view.shares, strict=True)):
        y = DRAWING["lane"] * i + DRAWING["track"]
        lanes.append(
            {
                "name": name,
                "first": first,
                "y": y,
                "seeds": [x(share) for share in shares[at]] if shares else None,
                "mean": x(mean(shares[at])) if shares else None,
                "others": [x(mean(values)) for values in shares] if shares else [],
                "cells": cells(shares, at),
            }
        )
    means = [f"{name}: {number(mean(s[at]))}" for name, s in zip(NAMES.values(), view.shares, strict=True) if s]
    says = f"{title}, mean share right by what multiplies the scores: {'; '.join(means)}."
    return {"title": title, "lanes": lanes, "says": says}


def figure() -> Figure:
    """Return the figure with its still pictures."""
    both = views()
    view, at = STILLS[0]
    start = {"now": view, "at": at, "views": [one._asdict() for one in both], "names": list(NAMES.values())}
    markup = rendered(
        "scale-runs",
        sections=[section(both[view], at) for view, at in STILLS],
        seeds=committed.read(BY_STEP)["seeds"],
        start=json.dumps(start | {"drawing": DRAWING}, separators=(",", ":")),
        drawing=DRAWING,
        ticks=[(f"{share:g}", x(share)) for share in (0, 0.25, 0.5, 0.75, 1)],
    )
    sources = tuple(committed.RESULTS / f"{record}.json" for record in (BY_STEP, BY_RATE))
    return Figure(markup, ("explorables/figure", "living/living", "explorables/scale-runs"), sources=sources)
