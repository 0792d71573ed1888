"""Living figures: trained models that run in the page, on what a reader types or draws; in one, measured curves.

Each is a right still picture from the numbers that `benchmarks/living/` wrote (`stills/`), for print and where there is
no script; a custom element in `static/living/` puts the live one in its place. Layers, models and weights come with the
first touch. Page, place in a chapter, number and caption: as every explorable (`theme/explorables/placement.py`).
Safe to change: what a still picture shows. Not safe: numbers typed in, or a page that fetches weights before they are
asked for.
"""

from __future__ import annotations

from sphinx.application import Sphinx

from theme.living import beam, heads, language_model, stream, switches, translation, vit


def setup(app: Sphinx) -> None:
    translation.setup(app)
    heads.setup(app)
    language_model.setup(app)
    stream.setup(app)
    beam.setup(app)
    switches.setup(app)
    vit.setup(app)
