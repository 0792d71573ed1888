"""What a learner is told where a condition is not met: sentences, made from what its probe saw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from course.checks.engine.agreement import agree, lacks_ones
from course.checks.engine.raised import meaning
from course.protocol.untouched import IN_MEMORY_OF

BY_CHANCE = "The result is another from call to call, because random numbers are drawn, so this cannot be seen."
IN_THE_SAME = "in the same tensors, with other numbers"
ELSEWHERE = {
    "two devices": "With arguments on another device, such as a GPU, two devices meet: something is made on the CPU. "
    "Make it where the arguments are, with `device=` and an argument's own `.device`, or register it as a buffer.",
    "on the CPU": "With arguments on another device, such as a GPU, what comes back lies on the CPU. Make it where the "
    "arguments are, with `device=` and an argument's own `.device`.",
}
ONLY_OF_ONE = " This happens only where an axis has size one."
SQUEEZED = (
    " The axes of size one that are asked for are gone: look for a `squeeze` without a number, which removes all such "
    "axes, and for an index where a slice would keep its axis."
)
IN_MEMORY = (
    " Look for `as_strided`, and for writing into the result of `reshape`, `flatten` or `contiguous`: of such a tensor "
    "they give a copy."
)
FLOAT64 = (
    "Arguments in float64 are rounded on the way: something is made in float32, or cast to it. Make it in an "
    "argument's own `.dtype`."
)


def _first(observed: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first thing that is not as it should be, and what is wrong with it."""
    return next(((n, v) for n, v in observed.items() if isinstance(v, str) and v and not n.endswith("words")), None)


def _raises(words: str, way_on: str) -> str:
    return f"your code raises {words.rstrip('.')}. {way_on}".rstrip()


def say_sizes(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    sentence = _of_a_size(observed, expected)
    if not sentence or not _only_of_one(observed, expected):
        return sentence
    return sentence + ONLY_OF_ONE + (SQUEEZED if _squeezed(observed, expected) else "")


def _only_of_one(observed: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether all is well but where an axis has size one, and there it is not only numbers that are off."""
    other = {name for name, right in expected.items() if not agree(observed.get(name), right)}
    variations = {name.rpartition(": ")[0] for name in other}
    in_form = any(name.endswith((": raised", ", form")) for name in other)
    return in_form and all(name.endswith(" = 1") or name == "all sizes at their least" for name in variations)


def _squeezed(observed: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether all that is off are shapes that lack axes of size one."""
    other = {name for name, right in expected.items() if not agree(observed.get(name), right)}
    return all(name.endswith(", form") and lacks_ones(observed.get(name), expected[name]) for name in other)


def _of_a_size(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name in expected:
        variation, _, what = name.rpartition(": ")
        seen, right = observed.get(name), expected[name]
        if what == "raised" and seen and not right:
            words = observed.get(f"{variation}: words", seen)
            return f"With {variation} {_raises(words, meaning(words))}"
        if what == "changed" and seen and not right:
            return f"With {variation} your code changes {seen}."
        if what.endswith(", form") and isinstance(seen, str) and seen != right:
            place = what.removeprefix("result").removesuffix(", form").lstrip(".")
            shape, asked = seen.rpartition(" ")[0], right.rpartition(" ")[0]
            which = f"result {place}" if place else "the result"
            if shape != asked:
                return f"With {variation} {which} has shape {shape}, and {asked} is asked for."
        if isinstance(right, Tensor) and not agree(seen, right):
            return f"With {variation} the result is not right."
        if what == "result" and isinstance(right, str) and seen != right:
            return f"With {variation} the result is not exactly right."
        if _of_a_result(what) and not what.endswith(", form") and not agree(seen, right):
            return f"With {variation} the result is not right{_look_at(what)}."
    for name in sorted(observed.keys() - expected.keys()):
        variation, _, what = name.rpartition(": ")
        if _of_a_result(what):
            return f"With {variation} the result is not right{_look_at(what)}."
    return None


def _of_a_result(what: str) -> bool:
    return re.match(r"result\b", what) is not None


def _look_at(what: str) -> str:
    """Which entry of a result is meant, where it has several."""
    entry = what.partition(", ")[0].removeprefix("result").lstrip(".").partition(".")[0]
    return f": look at its entry `{entry}`" if entry else ""


def say_gradients(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if observed.get("what it was built with") and not expected.get("what it was built with"):
        return (
            "A copy of the module that it was built with learns, and not that module itself: other weights loaded into "
            "the module change nothing. Keep the module that is given, without copying it."
        )
    for name, reached in expected.items():
        if name.endswith(", reached") and reached and name not in observed:
            return f"There is no `{name.removesuffix(', reached')}` for a gradient to reach, or it has another name."
        if name.endswith(", reached") and reached and not observed[name]:
            return (
                f"No gradient reaches `{name.removesuffix(', reached')}`: the result does not depend on it, or it is "
                "cut from the graph on the way (`detach`, `.data`, `.item()`, `no_grad`, a new tensor made of numbers)."
            )
        seen = observed.get(name)
        if isinstance(reached, Tensor) and not agree(seen, reached):
            return f"The gradient of `{name.partition(',')[0]}` is not right."
    return None


def say_layout(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (first := _first(observed)) is None:
        return None
    name, what = first
    if name.startswith("one tensor given"):
        which = name.removeprefix("one tensor given ").replace("twice", "for several arguments")
        return (
            f"With one tensor {which} the result differs from that with copies of it: one of them is "
            "changed on the way, or they are compared with `is`."
        )
    lies = f"With arguments laid out differently in memory ({name}, the numbers are the same)"
    if name.startswith("`"):
        lies = f"With {name}, which broadcasts to the same numbers,"
    if what == "raises":
        words = observed.get(f"{name}: words", "")
        return f"{lies} {_raises(words, meaning(words))}"
    if written := observed.get(f"{name}: changed words"):
        return (
            f"{lies} the result is different: the call writes into {written}, whose rows share one memory there. "
            "Leave the arguments as they are, and write into a new tensor."
        )
    return f"{lies} the result is different.{'' if name.startswith('`') else IN_MEMORY}"


def say_again(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (first := _first(observed)) is None:
        return None
    name, _ = first
    if name == "in training mode":
        return (
            "In training mode the result differs from that in evaluation mode, though nothing here is random or "
            "counted."
        )
    return (
        f"Called {name}, with the same arguments, it gives another result: something is kept from call to call, in it "
        "or in an argument."
    )


def say_untouched(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (first := _first(observed)) is None:
        return None
    name, what = first
    if name == "in training mode":
        return (
            "In training mode the result differs from that in evaluation mode: something draws random numbers there, "
            "as dropout does, or keeps count. The text asks for neither."
        )
    if name == IN_THE_SAME:
        return (
            "Called with the same tensors, which hold other numbers by then, it gives another result than for new "
            "tensors with these numbers: it keeps something from the call before, by which tensor it was given."
        )
    if "the mode in its calls of" in what:
        which = what.partition("the mode in its calls of ")[2].partition(",")[0]
        return _of_form(
            name,
            f"The call puts `{which}` into another mode, training or evaluation, before using it. Putting it back "
            "afterwards does not help: by then dropout and batch norm have worked in the wrong mode.",
        )
    if name == "train gives back":
        return (
            "`train` and `eval` have to return the module itself, as those of `nn.Module` do: "
            "`model = model.eval()` is common."
        )
    if what.startswith(IN_MEMORY_OF):
        given = what.removeprefix(IN_MEMORY_OF).partition(",")[0]
        return _of_form(
            name,
            f"What comes back shares memory with {given}: it is the same tensor or a view of it, so writing into one "
            "changes the other. Return a new tensor.",
        )
    return _of_form(name, f"The call changes something that is not its own: {what}.")


def say_float64(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if expected.get("a step of a billionth shows") and observed.get("a step of a billionth shows") is False:
        return (
            "In float64 a change of a billionth in the arguments does not show in the result: it is lost in rounding "
            "to float32, or the result does not depend on them."
        )
    if (first := _first({name: value for name, value in observed.items() if name.startswith("in")})) is None:
        return None
    name, what = first
    words = observed.get(name.replace("in float64", "words", 1), "")
    of_dtypes = any(word in words.lower() for word in ("dtype", "float", "double"))
    way_on = "Make what you need in an argument's own `.dtype`." if of_dtypes else meaning(words)
    return _of_form(name, {
        "raises": f"With arguments in float64 {_raises(words, way_on)}",
        "another dtype": f"Arguments in float64 come back as {words}.",
        "rounded": FLOAT64,
    }[what])  # fmt: skip


def say_ignored(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (first := _first(observed)) is None:
        return None
    name, what = first
    words = observed.get(f"{name}: words", "")
    happens = {
        "raises": _raises(words, meaning(words)),
        "changes": f"your code changes {observed.get(f'{name}: changed words', '')}.",
    }.get(what, "the result changes.")
    return f"With {name} in places that should not count, {happens}"


def say_elsewhere(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    first = _first(observed)
    return first and _of_form(first[0], ELSEWHERE[first[1]])


def _of_form(name: str, sentence: str) -> str:
    """A sentence, with the form of the call in front that it is said of."""
    form = name.partition(", ")[2]
    return f"{form[0].upper()}{form[1:]}, {sentence[0].lower()}{sentence[1:]}" if form else sentence
