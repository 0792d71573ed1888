"""Norm, residual connection, warm-up and rate to switch: the measured training curves of chapter 06.

Nothing is computed in the page. The curves come from the record of `transformer_switches`; the build writes them as a
script of their own, which a page loads with the first touch, as it loads weights.
"""

from __future__ import annotations

import functools
import itertools
import json
from typing import Any

from course import committed
from course.figures.drawn import Figure, living, number

RECORD = "transformer_switches"
NAME = "switches"  # of the script
SWITCHES = ("norm", "residual", "warm_up", "mean_rates")  # in the order of the record's settings and of the script
NAMES: dict[str, dict[Any, str]] = {
    "norm": {"before": "pre-norm", "after": "post-norm", "none": "no norm"},
    "residual": {True: "residual", False: "no residual"},
    "warm_up": {0: "no warm-up", 30: "warm-up"},
}
TITLES = {"norm": "Norm", "residual": "Connection", "warm_up": "Start", "mean_rates": "Mean rate"}
NOW, BEFORE = (0, 0, 0, 2), (1, 0, 0, 2)  # the still picture: one place in each switch's list
# The drawing, in its own units: size, the axes' box, the highest loss in it. The script draws with the same numbers.
# A loss above "far" is drawn there, far outside of the box: a browser paints for seconds at a line to 10^12.
DRAWING = {"width": 340, "height": 232, "left": 26, "top": 8, "across": 306, "down": 186, "most": 5, "far": 100}
SHOWN = (15, 30, 45, 60)  # steps in the table
TELLING = 100  # a loss above it is off the scale in words, too

Curves = list[list[float | None]]  # a list for each seed, a loss for each step of the record


@functools.cache
def data() -> dict[str, Any]:
    """Return what the script holds: the steps, the counts of the switches' values, and the curves by their product."""
    result = committed.read(RECORD)
    settings, records = result["settings"], result["records"]
    steps = [int(key.removeprefix("loss_")) for key in records[0] if key.startswith("loss_")]
    by_setting: dict[tuple, Curves] = {}
    for r in records:
        key = (r["norm"], r["residual"], r["warm_up"], r["mean_rate"])
        by_setting.setdefault(key, []).append([r[f"loss_{step}"] for step in steps])
    curves = [by_setting[key] for key in itertools.product(*(settings[name] for name in SWITCHES))]
    return {"steps": steps, "counts": [len(settings[name]) for name in SWITCHES], "curves": curves}


def script() -> str:
    """Return the script that gives the page its data."""
    return f'living.data("{NAME}", {json.dumps(data(), separators=(",", ":"))});\n'


def curves_of(held: dict[str, Any], places: tuple[int, ...]) -> Curves:
    """Return the curves of one setting of the switches."""
    at = functools.reduce(lambda at, pair: at * pair[0] + pair[1], zip(held["counts"], places, strict=True), 0)
    return held["curves"][at]


def labels() -> list[tuple[str, list[str]]]:
    """Return each switch's title and what it can be set to."""
    settings = committed.read(RECORD)["settings"]
    return [
        (TITLES[name], [NAMES[name][value] if name in NAMES else f"{value:g}" for value in settings[name]])
        for name in SWITCHES
    ]


def name_of(places: tuple[int, ...]) -> str:
    """Return a setting of the switches in words, as the script says it."""
    *parts, rate = (texts[place] for (_, texts), place in zip(labels(), places, strict=True))
    return f"{', '.join(parts)}, rate {rate}"


def mean(curves: Curves) -> list[float | None]:
    """Return the mean over the seeds at each step, None where a seed has none."""
    by_step = [[loss for loss in losses if loss is not None] for losses in zip(*curves, strict=True)]
    return [sum(losses) / len(losses) if len(losses) == len(curves) else None for losses in by_step]


def line(steps: list[int], losses: list[float | None]) -> str:
    """Return a curve as a path, as the script draws it; it may leave the axes' box at the top."""
    box, path, broken = DRAWING, "", True
    for step, loss in zip(steps, losses, strict=True):
        if loss is not None:
            x = box["left"] + box["across"] * step / steps[-1]
            y = box["top"] + box["down"] * (1 - min(loss, box["far"]) / box["most"])
            path += f"{'M' if broken else 'L'}{x:.1f} {y:.1f}"
        broken = loss is None
    return path


def cell(curves: Curves, at: int) -> str:
    """Return mean and range of the loss at a step, as the script says it."""
    losses = [loss for curve in curves if (loss := curve[at]) is not None]
    if len(losses) < len(curves):
        return "not finite"
    if max(losses) > TELLING:
        return "off the scale"
    return f"{number(sum(losses) / len(losses))} ({number(min(losses))} to {number(max(losses))})"


def figure() -> Figure:
    """Return the figure with its still picture."""
    held, settings = data(), committed.read(RECORD)["settings"]
    steps = held["steps"]
    rows = [
        {
            "kind": kind,
            "name": name_of(places),
            "cells": [cell(curves_of(held, places), steps.index(step)) for step in SHOWN],
            "mean": line(steps, mean(curves_of(held, places))),
            "seeds": [line(steps, curve) for curve in curves_of(held, places)],
        }
        for kind, places in (("now", NOW), ("before", BEFORE))
    ]
    start = {"now": NOW, "before": BEFORE, "labels": labels(), "shown": SHOWN, "telling": TELLING}
    return living(
        "switches",
        {NAME: script()},
        [committed.RESULTS / f"{RECORD}.json"],
        box=DRAWING,
        rows=rows,
        shown=SHOWN,
        width=settings["steps_a_point"],
        seeds=len(curves_of(held, NOW)),
        start=json.dumps(start),
        drawing=json.dumps(DRAWING),
    )
