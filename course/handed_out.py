"""A notebook as a learner gets it: where the text asks for a guess, what came out is not there until the cell has run.

The cells are tagged `guess`. The committed notebook keeps their outputs, which the tests run again and compare; the
book folds them away (theme/guess.py).
"""

from __future__ import annotations

import json

GUESS = "guess"


def handed_out(notebook: bytes) -> bytes:
    """The bytes of a committed notebook without the outputs to be guessed; where there are none, the same bytes."""
    if f'"{GUESS}"'.encode() not in notebook:
        return notebook
    content = json.loads(notebook)
    tagged = [cell for cell in content["cells"] if GUESS in cell["metadata"].get("tags", ())]
    for cell in tagged:
        cell["outputs"], cell["execution_count"] = [], None
    # nbformat's own bytes: nbgrader's release of them changes nothing.
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True, separators=(",", ": ")) + "\n").encode()
