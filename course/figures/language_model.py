"""The next character, live: chapter 07's language model on the reader's own text.

All numbers of the still picture were written with the weights, by `python -m benchmarks.living language-model`.
"""

from __future__ import annotations

import json

from course.figures.drawn import Figure
from course.figures.still import Still

STILL = Still("language-model", "language_model_living")
NAMES = {" ": "space", "\n": "end of line", "\N{REPLACEMENT CHARACTER}": "any other"}  # as the script has them


def figure() -> Figure:
    """Return the figure with its still picture."""
    still, record = STILL.read()
    records = record["records"]
    rows = [(NAMES.get(character, character), *shares) for character, *shares in still["rows"]]
    rows.append((f"the other {still['characters'] - len(rows)}", *still["rest"]))
    (bits,) = (record["bits"] for record in records if record["measure"] == "bits")
    start = json.dumps({"text": still["text"], "seed": still["seed"], **still["settings"]})
    return STILL.drawn(
        ("layers", "causal-language-model", "language-model"),
        **still | {"rows": rows},
        bits=bits,
        start=start,
    )
