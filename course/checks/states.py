"""What `start` and `step` give for a single sentence: `greedy_decode` and `beam_search` know a state by the tuple, and
rows by the first axis.
"""

from typing import Any

from course.checks.engine.case import describe

TITLE = "one sentence, one step: the state is a tuple, as `greedy_decode` expects, and the logits are (1, V)"


def seen(logits: Any, **states: Any) -> dict[str, str]:
    """By method, what kind of thing the state is that it gave; and what the logits are."""
    kinds = {name: "tuple" if isinstance(state, tuple) else type(state).__name__ for name, state in states.items()}
    return kinds | {"logits": describe(logits)}


def explain(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Which method gives something else, in a sentence."""
    for name in expected:
        kind = observed.get(name, "tuple")
        if name != "logits" and kind != "tuple":
            return f"The state that `{name}` gives is of the type `{kind}`."
    return f"For one sentence the logits are {observed['logits']}, and {expected['logits']} is asked for."
