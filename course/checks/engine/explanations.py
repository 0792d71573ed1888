"""What a learner is told where a condition is not met: sentences, made from what its probe saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from course.checks.engine.agreement import alike
from course.checks.engine.raised import meaning

ELSEWHERE = {
    "two devices": "With arguments on another device, such as a GPU, two devices meet: something is made on the CPU. "
    "Make it where the arguments are, with `device=` and an argument's own `.device`, or register it as a buffer.",
    "on the CPU": "With arguments on another device, such as a GPU, what comes back lies on the CPU. Make it where the "
    "arguments are, with `device=` and an argument's own `.device`.",
}
FLOAT64 = "Arguments in float64 are rounded on the way: something is made in float32, or cast to it."


def _first(observed: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first thing that is not as it should be, and what is wrong with it."""
    return next(((n, v) for n, v in observed.items() if isinstance(v, str) and v and not n.endswith("words")), None)


def say_sizes(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name in expected:
        variation, _, what = name.rpartition(": ")
        seen, right = observed.get(name), expected[name]
        if what == "raised" and seen and not right:
            return f"With {variation} your code raises {observed.get(f'{variation}: words', seen)}."
        if what == "changed" and seen and not right:
            return f"With {variation} your code changes {seen}."
        if what.endswith(", form") and isinstance(seen, str) and seen != right:
            place = what.removeprefix("result").removesuffix(", form").lstrip(".")
            shape, asked = seen.rpartition(" ")[0], right.rpartition(" ")[0]
            which = f"result {place}" if place else "the result"
            if shape != asked:
                return f"With {variation} {which} has shape {shape}, and {asked} is asked for."
        if isinstance(right, Tensor) and not (isinstance(seen, Tensor) and alike(seen, right)):
            return f"With {variation} the result is not right."
    return None


def say_gradients(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, reached in expected.items():
        if name.endswith(", reached") and reached and name not in observed:
            return f"There is no `{name.removesuffix(', reached')}` for a gradient to reach, or it has another name."
        if name.endswith(", reached") and reached and not observed[name]:
            return (
                f"No gradient reaches `{name.removesuffix(', reached')}`: the result does not depend on it, or it is "
                "cut from the graph on the way (`detach`, `.data`, `.item()`, `no_grad`, a new tensor made of numbers)."
            )
        seen = observed.get(name)
        if isinstance(reached, Tensor) and not (isinstance(seen, Tensor) and alike(seen, reached)):
            return f"The gradient of `{name.partition(',')[0]}` is not right."
    return None


def say_layout(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (found := _first(observed)) is None:
        return None
    name, what = found
    if name == "one tensor given twice":
        return (
            "With one tensor for several arguments the result is another than with copies of it: one of them is "
            "changed, or they are told apart by which object they are."
        )
    lies = f"With arguments that lie otherwise in memory ({name}, the numbers are the same)"
    if name.startswith("`"):
        lies = f"With {name}, which broadcasts to the same numbers,"
    if what == "raises":
        words = observed.get(f"{name}: words", "")
        return f"{lies} your code raises {words.rstrip('.')}. {meaning(words)}".rstrip()
    return f"{lies} the result is another one."


def say_again(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (found := _first(observed)) is None:
        return None
    name, _ = found
    if name == "in training mode":
        return (
            "In training mode the result is another one than in evaluation mode, and nothing here is random or counted."
        )
    return (
        f"Called {name}, with the same arguments, it gives another result: something is kept from call to call, by it "
        "or in what it was given."
    )


def say_untouched(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (found := _first(observed)) is None:
        return None
    name, what = found
    if name == "train gives back":
        return (
            "`train` and `eval` have to give back the module itself, as those of `nn.Module` do: "
            "`model = model.eval()` is common."
        )
    return _of_form(name, f"The call changes what is not its own: {what}.")


def say_float64(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if expected.get("a step of a billionth shows") and observed.get("a step of a billionth shows") is False:
        return (
            "In float64 a step of a billionth in the arguments does not show in the result: it is lost in rounding to "
            "float32, or the result does not depend on them."
        )
    if (found := _first({name: value for name, value in observed.items() if name.startswith("in")})) is None:
        return None
    name, what = found
    words = observed.get(name.replace("in float64", "words", 1), "")
    of_dtypes = any(word in words.lower() for word in ("dtype", "float", "double"))
    way_on = "Make what you need in an argument's own `.dtype`." if of_dtypes else meaning(words)
    return _of_form(name, {
        "raises": f"With arguments in float64 your code raises {words.rstrip('.')}. {way_on}".rstrip(),
        "another dtype": f"Arguments in float64 come back as {words}.",
        "rounded": FLOAT64,
    }[what])  # fmt: skip


def say_ignored(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (found := _first(observed)) is None:
        return None
    name, what = found
    happens = f"your code raises {observed.get(f'{name}: words', '')}" if what == "raises" else "the result changes"
    return f"With {name} where a place does not count {happens}."


def say_elsewhere(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    found = _first(observed)
    return found and _of_form(found[0], ELSEWHERE[found[1]])


def _of_form(name: str, sentence: str) -> str:
    """A sentence, with the form of the call in front that it is said of."""
    form = name.partition(", ")[2]
    return f"{form[0].upper()}{form[1:]}, {sentence[0].lower()}{sentence[1:]}" if form else sentence
