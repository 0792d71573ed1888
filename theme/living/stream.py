"""The residual stream of a translation: what each part of chapter 06's decoder read and added, on the reader's numbers.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living stream`.
"""

from __future__ import annotations

import json

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course import committed
from theme.explorables.figure import Explorable, environment, number
from theme.living.translation import STATIC, version

STILL = STATIC.parents[1] / "living" / "stills" / "stream.json"
RECORD = "transformer_living"


def name_of(part: str, layer: int | None) -> str:
    """Return a part's name with its layer, as the script has it."""
    return part if layer is None else f"{part}, layer {layer}"


def reads(part: str, weights: list[float] | None, source: list[str], words: list[str]) -> str:
    """Return what a part read: the two words with the largest weights, or the stream alone. As the script says it."""
    if weights is None:
        return "this stream alone" if part == "network" else "nothing"
    read = source if part == "cross-attention" else ["start", *words]
    order = sorted(range(len(weights)), key=lambda t: (-weights[t], t))[:2]
    return ", ".join(f"{read[t]} {number(weights[t])}" for t in order)


def figure() -> Explorable:
    """Return the figure with its still picture."""
    still, records = json.loads(STILL.read_text("utf-8")), committed.read(RECORD)["records"]
    words, asked = still["words"], still["asked"]
    most = max(row["added"] for row in still["rows"])
    rows = [
        {
            "name": name_of(row["part"], row["layer"]),
            "reads": reads(row["part"], row["weights"], still["source"], words),
            "added": row["added"],
            "length": row["added"] / most,
            "says": "end" if row["says"] == "</s>" else row["says"],
            "share": row["share"],
            "fits": row["says"] == words[asked],
        }
        for row in still["rows"]
    ]
    markup = (
        environment()
        .get_template("living-stream.html")
        .render(
            source=still["source"],
            words=[*words, "end"],
            asked=asked,
            rows=rows,
            settled=[r for r in records if r["measure"] == "settled"],
            start=json.dumps({"numbers": [still["number"]], "asked": asked}),
            version=version("layers", "translation", "transformer", "stream"),
        )
    )
    return Explorable("", files=["explorables/figure", "living/living", "living/living-stream"], markup=markup)


class LivingStream(SphinxDirective):
    """`{living-stream}`: takes nothing."""

    def run(self) -> list[nodes.Node]:
        for path in (STILL, committed.RESULTS / f"{RECORD}.json"):
            self.env.note_dependency(str(path))
        return [figure()]


def setup(app: Sphinx) -> None:
    app.add_directive("living-stream", LivingStream)
