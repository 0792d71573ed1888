"""The state that `start` and `step` give: `greedy_decode` and `beam_search` know several tensors by the tuple."""

from typing import Any

TITLE = "the state that `start` and `step` give is a tuple, as `greedy_decode` expects"


def kinds(**states: Any) -> dict[str, str]:
    """By method, what kind of thing the state is that it gave."""
    return {name: "tuple" if isinstance(state, tuple) else type(state).__name__ for name, state in states.items()}


def explain(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Which method gives something else, in a sentence."""
    for name in expected:
        kind = observed.get(name, "tuple")
        if kind != "tuple":
            return f"The state that `{name}` gives is of the type `{kind}`."
    return None
