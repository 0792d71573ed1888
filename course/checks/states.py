"""What `start` and `step` give for a single sentence: `greedy_decode` and `beam_search` know a state by the tuple, and
rows by the first axis. A state holds all that it needs: whoever writes two sentences goes from one to the other.
"""

from typing import Any

import torch
from torch import Tensor

from course.checks.engine.case import describe
from course.protocol.student import Module

TITLE = "one sentence, one step: the state is a tuple that holds all it needs, and the logits are (1, V)"
AGAIN = "the same step after another start, taken twice"
MODE = "start changes the mode"


def after_another(model: Module, started: tuple[Any, ...], token: Tensor, state: Any, logits: Any) -> dict[str, str]:
    """Whether a step gives the logits that it gave, when `start` was called with other arguments between, and the very
    same step was taken once before."""
    model.before("start", *started)
    model.before("step", token, state)
    again = model.method("step", token, state)
    same = isinstance(again, (tuple, list)) and len(again) == 2 and _alike(again[0], logits)
    return {AGAIN: "the same logits" if same else "others"}


def _alike(a: Any, b: Any) -> bool:
    both = isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape == b.shape
    return both and torch.allclose(a.double(), b.double(), atol=1e-5, rtol=1e-4)


def seen(logits: Any, **states: Any) -> dict[str, str]:
    """By method, what kind of thing the state is that it gave; and what the logits are."""
    kinds = {name: "tuple" if isinstance(state, tuple) else type(state).__name__ for name, state in states.items()}
    return kinds | {"logits": describe(logits)}


def explain(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Which method gives something else, in a sentence."""
    for name, right in expected.items():
        kind = observed.get(name, "tuple")
        if right == "tuple" and kind != "tuple":
            return (
                f"The state that `{name}` gives is of the type `{kind}`. A state of several tensors is a tuple: "
                "`greedy_decode` takes a list for one tensor."
            )
    if observed.get(MODE):
        return "`start` puts the model into another mode, training or evaluation. Leave it in its current mode."
    if observed["logits"] == expected["logits"]:
        return (
            "After `start` for another sentence, or a second time, the same step from the same state gives other "
            "logits: something that the state should hold is kept on the model."
        )
    return f"For one sentence the logits are {observed['logits']}, and {expected['logits']} is asked for."
