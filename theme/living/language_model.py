"""The next character, live: chapter 07's language model on the reader's own text.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living language-model`.
"""

from __future__ import annotations

import json

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course import committed
from theme.explorables.figure import Explorable, environment
from theme.living.translation import STATIC, version

STILL = STATIC.parents[1] / "living" / "stills" / "language-model.json"
RECORD = "language_model_living"
NAMES = {" ": "space", "\n": "end of line", "\N{REPLACEMENT CHARACTER}": "any other"}  # as the script has them


def figure() -> Explorable:
    """Return the figure with its still picture."""
    still, records = json.loads(STILL.read_text("utf-8")), committed.read(RECORD)["records"]
    rows = [(NAMES.get(character, character), *shares) for character, *shares in still["rows"]]
    rows.append((f"the other {still['characters'] - len(rows)}", *still["rest"]))
    (bits,) = (record["bits"] for record in records if record["measure"] == "bits")
    start = json.dumps({"text": still["text"], "seed": still["seed"], **still["settings"]})
    markup = (
        environment()
        .get_template("living-language-model.html")
        .render(
            {**still, "rows": rows},
            bits=bits,
            start=start,
            version=version("layers", "causal-language-model", "language-model"),
        )
    )
    files = ["explorables/figure", "living/living", "living/living-language-model"]
    return Explorable("", files=files, markup=markup)


class LivingLanguageModel(SphinxDirective):
    """`{living-language-model}`: takes nothing."""

    def run(self) -> list[nodes.Node]:
        for path in (STILL, committed.RESULTS / f"{RECORD}.json"):
            self.env.note_dependency(str(path))
        return [figure()]


def setup(app: Sphinx) -> None:
    app.add_directive("living-language-model", LivingLanguageModel)
