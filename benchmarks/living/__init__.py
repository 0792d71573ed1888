"""Living models: small models of the chapters, trained here and run by the book's pages on what a reader types.

    python -m benchmarks.living                  list them
    python -m benchmarks.living translation      train one, write its weights, its still picture and its record
    python -m benchmarks.living all              each of them in turn, an hour on one core

A module beside this one holds each: how it is trained, from the chapter's own components and data, what its record
says, and which states the still picture shows. It writes three things:

    course/figures/static/living/<name>-<model>.js   the weights of each model (weights.py has the format);
                                                     of a single one <name>.js
    course/figures/stills/<name>.json                the still picture's numbers, which the page shows without a script
    benchmarks/results/<chapter>_<name>.json         the record: settings, losses, accuracy before and after rounding

One may search with another's model, as `beam` does with `stream`'s: it writes no weights then.
Safe to change: a new module for another figure. Not safe: training one without committing all that it wrote, since the
page's numbers, the still picture and the record are of one run.
"""

from pathlib import Path

FIGURES = Path(__file__).parents[2] / "course" / "figures"
STATIC, STILLS = FIGURES / "static" / "living", FIGURES / "stills"
