"""Figures that answer to the reader, once for the book and for notebooks: each is whole and right as plain HTML.

A module here draws each from its numbers into a template (`templates/`); its style and, where it needs one of its own,
its script are in `static/`. In a living one (`static/living/`, `stills/`) a trained model runs, on what a reader types
or draws; layers, model and weights come with the first touch, and `benchmarks/living/` writes weights and numbers.
`drawn` says what all share, `notebook` shows one in a notebook, `theme/explorables/` puts each into the book. A figure
has the name of its page in `book/`. Safe to change: figures, one by one. Not safe: HTML that says less than the figure
does with its script, numbers typed in, or weights that a page fetches before they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from course.figures import (
    attention_plane,
    attention_step,
    beam,
    heads,
    induction,
    language_model,
    measured_bars,
    patch_cost,
    position_clocks,
    roofline,
    scale_runs,
    score_matrix,
    step_timeline,
    stream,
    switches,
    translation,
    vit,
)
from course.figures.drawn import Figure

FIGURES: dict[str, Callable[..., Figure]] = {
    "one-vector": partial(translation.figure, ("vector",)),
    "bottleneck": measured_bars.bottleneck,
    "attention-step": attention_step.figure,
    "vector-or-attention": partial(translation.figure, ("vector", "attention")),
    "attention-plane": attention_plane.figure,
    "score-matrix": score_matrix.figure,
    "scale-runs": scale_runs.figure,
    "position-clocks": position_clocks.figure,
    "heads-off": heads.figure,
    "residual-stream": stream.figure,
    "norm-switches": switches.figure,
    "beam-search": beam.figure,
    "induction-head": induction.figure,
    "next-character": language_model.figure,
    "draw-a-digit": vit.figure,
    "patch-cost": patch_cost.figure,
    "roofline": roofline.figure,
    "step-timeline": step_timeline.figure,
}
