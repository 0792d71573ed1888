"""Living figures: trained models that run in the page, on what a reader types.

Each is a right still picture from the numbers that `benchmarks/living/` wrote (`stills/`), for print and where there is
no script; a custom element in `static/living/` puts the live one in its place. Layers, models and weights come with the
first touch. A notebook stays plain Markdown: `placement` says at which of its figures a living one stands on the page.
Safe to change: captions, places, what a still picture shows. Not safe: numbers typed in, or a page that fetches weights
before they are asked for.
"""

from __future__ import annotations

from sphinx.application import Sphinx

from theme.living import placement, translation


def setup(app: Sphinx) -> None:
    translation.setup(app)
    placement.setup(app)
