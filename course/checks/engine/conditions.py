"""The conditions under which code goes wrong, made for every declared component (`declare`).

Two ask for the reference's numbers: other sizes, and gradients. All others ask whether an answer agrees with itself, so
that what is wrong everywhere is told once, by the cases. A condition returns, for each thing that it tries, "" where
all is well, or what is not, as a key of its table of sentences. PyTorch tests its own operators so (`OpInfo`).
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.case import Case, describe, flatten
from course.checks.engine.declare import Declaration, Fixture
from course.checks.engine.draw import Draw, Key
from course.checks.engine.raised import meaning
from course.protocol import nests
from course.protocol.student import Module, Reply, Student, StudentError
from course.protocol.untouched import DRAWN, SHARED

WHOLE, PROJECTIONS = 6, 3  # numbers of a result: so many are compared one by one, of more so many weighted sums
ATOL, RTOL = 1e-5, 1e-4
REDUNDANT = Path(__file__).parents[1] / "redundant.json"
ON = 2.6  # the step forwards in float64, of steps backwards

Look = Callable[["Subject"], dict[str, Any]]


class Subject:
    """One declared component of a student's, in one condition: makes its calls."""

    def __init__(self, declaration: Declaration, student: Student, draw: Draw):
        self.declaration, self.student, self.draw = declaration, student, draw
        self._modules: dict[str, Module] = {}  # by what they were built with

    def arguments(self, sizes: Mapping[str, int] | None = None) -> dict[str, Any]:
        """Its arguments, the same for the same sizes."""
        sizes = self.declaration.usual if sizes is None else sizes
        made = self.draw.remembered(_arguments, (self.declaration, *sizes.items()), *sizes.values())
        built: dict[int, Module] = {}  # a fixture that stands in two places is one object
        return {name: self._built(value, built) for name, value in made.items()}

    def _built(self, value: Any, built: dict[int, Module]) -> Any:
        if not isinstance(value, Fixture):
            return value
        if id(value) not in built:
            module = self.student.fixture(value.name, *(self._built(inner, built) for inner in value.arguments))
            if value.load:
                module.load(self.draw.state(module, self.declaration.scale or 0.5))
                module.eval()
            built[id(value)] = module
        return built[id(value)]

    def forms(self) -> dict[str, dict[str, Any]]:
        """Its arguments as usual (""), and with each left out that may be, by what a learner calls that."""
        given = self.arguments()
        return {"": given} | {f"without `{name}`": given | {name: None} for name in self.declaration.optional}

    def turned(self) -> dict[str, dict[str, Any]]:
        """What its class is built with by name, where a setting is turned, by what a learner calls that."""
        settings = self.declaration.turned.items()
        return {f"with `{n}={value!r}`": {**self.declaration.keywords, n: value} for n, value in settings}

    def module(
        self, sizes: Mapping[str, int] | None = None, keywords: Mapping[str, Any] | None = None
    ) -> Module | None:
        """Its module with drawn weights in evaluation mode, or None for a function. It is the same one for sizes that
        its class does not ask for: what it keeps from a call, the next one meets."""
        if self.declaration.new is None:
            return None
        keywords = self.declaration.keywords if keywords is None else keywords
        sizes = self.declaration.usual if sizes is None else sizes
        of = repr((self.declaration.new(**sizes), sorted(keywords.items())))
        if of in self._modules:
            return self._modules[of]
        module = self.student.shared(self.declaration.component, *self.built_with(sizes), **keywords)
        if not isinstance(module, Module):
            raise ValueError(f"{self.declaration.component} is {describe(module)}")
        self._modules[of] = module
        if self.declaration.scale is not None:
            state, tied = self.draw.state(module, self.declaration.scale), self.declaration.tied
            module.load(state)
            if tied in state:
                module.load({tied: state[tied]})
        return module.eval()

    def built_with(self, sizes: Mapping[str, int] | None = None) -> list[Any]:
        """What its class is built with; what lives beside the student's code is made anew."""
        assert self.declaration.new is not None
        built: dict[int, Module] = {}
        values = self.declaration.new(**(self.declaration.usual if sizes is None else sizes))
        return [self._built(value, built) for value in values]

    def call(self, arguments: Mapping[str, Any], module: Module | None, **fields: Any) -> dict[str, Any]:
        """The request for one call, with tensors of its own: what it does to its arguments, no other sees."""
        copies: dict[int, Tensor] = {}
        args = [_copied(value, copies) for value in arguments.values()]
        if module is None:
            return {"op": "call", "name": self.declaration.component, "args": args, **fields}
        if self.declaration.method:
            return {"op": "method", "on": module, "name": self.declaration.method, "args": args, **fields}
        return {"op": "invoke", "on": module, "args": args, **fields}

    def ask(self, calls: Sequence[dict[str, Any]]) -> list[Reply]:
        """The replies to calls of which the first is an ordinary one. Raises StudentError where that one raises: there
        is nothing then to compare the others with."""
        replies = self.student.calls(calls)
        if replies[0].raised is not None:
            raise StudentError(*replies[0].raised)
        return replies


def _arguments(draw: Draw, of: Any) -> dict[str, Any]:
    declaration, *sizes = of
    return declaration.arguments(draw, dict(sizes))


def _weights(draw: Draw, count: Any) -> Tensor:
    return draw.normal(PROJECTIONS, count).double()


def numbers_of(result: Any, draw: Draw) -> dict[str, Any]:
    """A result as it is compared: of each of its tensors the form, and its numbers or weighted sums of them."""
    seen: dict[str, Any] = {}
    for name, value in flatten({"result": result}).items():
        if not isinstance(value, Tensor):
            seen[name] = value
            continue
        seen[f"{name}, form"] = _form(value)
        if value.is_complex() or value.numel() == 0:
            continue
        numbers = value.double().flatten()
        if value.numel() > WHOLE:
            weights = draw.remembered(_weights, value.numel(), "weights", value.numel())
            numbers = weights @ numbers / math.sqrt(value.numel())
        seen[f"{name}, numbers"] = numbers.float()
    return seen


def _form(value: Tensor) -> str:
    kind = "floating-point" if value.is_floating_point() else str(value.dtype).removeprefix("torch.")
    return f"{tuple(value.shape)} {kind}"


def differs(seen: Reply, from_: Reply) -> str:
    """ "" where two results are the same up to rounding, or the same error; "raises" or "differs" where not."""
    if seen.raised is not None or from_.raised is not None:
        return "" if seen.raised and from_.raised and seen.raised[0] == from_.raised[0] else "raises"
    now, before = flatten({"": seen.value}), flatten({"": from_.value})
    if now.keys() != before.keys():
        return "differs"
    return "" if all(_alike(now[name], value) for name, value in before.items()) else "differs"


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.shape != b.shape or a.is_floating_point() != b.is_floating_point():
            return False
        a, b = (x.to(torch.complex128) if x.is_complex() else x.double() for x in (a, b))
        return torch.allclose(a, b, atol=ATOL, rtol=RTOL, equal_nan=True)
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL) or (a != a and b != b)
    return type(a) is type(b) and bool(a == b)


def _words(reply: Reply) -> str:
    return "" if reply.raised is None else f"{reply.raised[0]}: {reply.raised[1]}".rstrip(": ")


# ---- the conditions -------------------------------------------------------------------------------------------------


def sizes(subject: Subject) -> dict[str, Any]:
    """Results at sizes that are not the usual ones."""
    subject.ask([subject.call(subject.arguments(), subject.module())])
    variations = subject.declaration.variations()
    calls = [subject.call(subject.arguments(sizes), subject.module(sizes)) for sizes in variations.values()]
    seen: dict[str, Any] = {}
    for name, reply in zip(variations, subject.student.calls(calls), strict=True):
        seen[f"{name}: raised"] = reply.raised[0] if reply.raised else ""
        seen[f"_{name}: words"] = _words(reply)
        if reply.raised is None:
            result = numbers_of(reply.value, subject.draw)
            if subject.declaration.free:
                result = {key: value for key, value in result.items() if not key.endswith("numbers")}
            seen |= {f"{name}: {key}": value for key, value in result.items()}
    return seen


def layout(subject: Subject) -> dict[str, Any]:
    """The same numbers that lie otherwise in memory or have fewer axes, and one tensor given twice."""
    given, module = subject.arguments(), subject.module()
    forms: dict[str, Callable[[Tensor], Tensor]] = {"transposed": _transposed, "a slice": _sliced}
    calls = [subject.call(given, module)]
    calls += [
        subject.call({name: nests.changed(value, form) for name, value in given.items()}, module)
        for form in forms.values()
    ]
    row = {name: nests.changed(value, lambda x: x[:1].expand_as(x) if x.ndim else x) for name, value in given.items()}
    calls += [
        subject.call({n: nests.changed(v, torch.Tensor.contiguous) for n, v in row.items()}, module),
        subject.call(row, module),
    ]
    if same := subject.declaration.same:
        alike = subject.arguments(subject.declaration.alike)
        copies = {name: alike[same[0]].clone() for name in same}
        of_those = subject.module(subject.declaration.alike)
        calls += [
            subject.call(alike | copies, of_those),
            subject.call(alike | dict.fromkeys(same, alike[same[0]]), of_those),
        ]
    spread: dict[str, dict[str, Any]] = {}
    for name in subject.declaration.spread:
        full = given[name]
        for axes in range(1, full.ndim):
            fewer = full[(0,) * (full.ndim - axes)]
            spread[f"`{name}` of {axes} of its {full.ndim} axes"] = given | {name: fewer}
            spread[f"{name}, {axes}: the same"] = given | {name: fewer.expand_as(full).contiguous()}
    calls += [subject.call(form, module) for form in spread.values()]
    usual, transposed, sliced, repeated, expanded, *others = subject.ask(calls)
    twice, fewer_axes = others[: len(others) - len(spread)], others[len(others) - len(spread) :]
    pairs = {
        "transposed": (transposed, usual),
        "a slice of a larger tensor": (sliced, usual),
        "expanded": (expanded, repeated),
    }
    if twice:
        pairs["one tensor given twice"] = (twice[1], twice[0])
    pairs |= dict(zip(list(spread)[::2], zip(fewer_axes[::2], fewer_axes[1::2], strict=True), strict=True))
    seen: dict[str, Any] = {name: differs(now, before) for name, (now, before) in pairs.items()}
    return seen | {f"_{name}: words": _words(now) for name, (now, _) in pairs.items()}


def again(subject: Subject) -> dict[str, Any]:
    """A second call, after one with other sizes, and one in training mode."""
    given, module = subject.arguments(), subject.module()
    other = next(iter(subject.declaration.variations().values()), subject.declaration.usual)
    if module is not None and subject.declaration.new(**other) != subject.declaration.new(**subject.declaration.usual):  # type: ignore[misc]
        other = subject.declaration.usual
    calls = [subject.call(given, module), subject.call(given, module)]
    calls += [subject.call(subject.arguments(other), module), subject.call(given, module)]
    if module is not None:
        calls += [
            {"op": "mode", "on": module, "training": True},
            subject.call(given, module),
            subject.call(given, module),
        ]
        calls += [{"op": "mode", "on": module, "training": False}]
    first, second, _, third, *rest = subject.ask(calls)
    seen: dict[str, Any] = {"a second time": differs(second, first), "after another call": differs(third, first)}
    if rest and "training" not in subject.declaration.excused:
        random = differs(rest[2], rest[1])  # dropout, of which nobody was told that it must not be
        seen["in training mode"] = "" if random else differs(rest[1], first)
    return seen


def gradients(subject: Subject) -> dict[str, Any]:
    """The gradients of a weighted sum of the results, for each argument and parameter."""
    given, module = subject.arguments(), subject.module()
    (usual,) = subject.ask([subject.call(given, module)])
    results = [x for x in flatten({"": usual.value}).values() if isinstance(x, Tensor)]
    weights = [
        subject.draw.another("weights of", i).normal(*x.shape) if x.is_floating_point() else None
        for i, x in enumerate(results)
    ]
    if module is None:
        of_inputs = subject.student.grad(subject.declaration.component, *given.values(), cotangents=weights)
        found: dict[str, Any] = {"inputs": of_inputs}
    else:
        found = module.grad(*given.values(), cotangents=weights, method=subject.declaration.method)
    inputs = dict(zip(given, found["inputs"], strict=False))
    named = {name: inputs.get(name) for name, value in given.items() if _floating(value)}
    named |= dict(sorted(found.get("parameters", {}).items()))
    seen: dict[str, Any] = {}
    for name, gradient in named.items():
        # Less is rounding: a key's bias, which the softmax cannot see, gets it or not by the order of the sums.
        seen[f"{name}, reached"] = isinstance(gradient, Tensor) and not bool((gradient.abs() <= 1e-5).all())
        if isinstance(gradient, Tensor):
            seen |= {f"{name}{key.removeprefix('result')}": v for key, v in numbers_of(gradient, subject.draw).items()}
    return seen


def untouched(subject: Subject) -> dict[str, Any]:
    """What a call changes that is not its own, in each form of it; and whether `train` gives the module back."""
    forms, module = subject.forms(), subject.module()
    usual, names = forms[""], list(forms[""])
    calls = {form: subject.call(given, module, watch=names) for form, given in forms.items()}
    for form, keywords in subject.turned().items():
        calls[form] = subject.call(usual, subject.module(keywords=keywords), watch=names)
    modes: list[dict[str, Any]] = []
    if module is not None:
        modes = [{"op": "mode", "on": module, "training": True}, subject.call(usual, module, watch=names)]
        modes += [{"op": "mode", "on": module, "training": False}]
    replies = subject.ask([*calls.values(), *modes])
    seen = {_in("changed", form): _changed(subject, names, reply) for form, reply in zip(calls, replies, strict=False)}
    if modes:
        changed, in_training = replies[-3:-1]
        if "mode" not in subject.declaration.excused and not seen["changed"]:
            seen["changed"] = _changed(subject, names, in_training, "the mode of ")  # dropout draws, batch norm counts
        seen["train gives back"] = "" if changed.value is True else "something else"
    return seen


def _changed(subject: Subject, given: Sequence[str], reply: Reply, only: str = "") -> str:
    """The names of what a call changed that begin so, as far as they are names that are known here."""
    known = {*SHARED, *(f"`{name}`" for name in given)}
    known |= {f"{what} of `{name}`" for what in ("`requires_grad`", "`grad`") for name in given}
    of_modules = ("the mode of", "the state of", "`requires_grad` in")
    known |= {f"{what} {name}" for what in of_modules for name in ("the module", *given)}
    names = [name for name in reply.changed if not (subject.declaration.draws and name == DRAWN)]
    names = [name for name in names if name.startswith(only)]
    return ", ".join(name if name in known else "something else" for name in names)


def _in(what: str, form: str) -> str:
    """The name of what was seen in a form of the call."""
    return f"{what}, {form}" if form else what


def float64(subject: Subject) -> dict[str, Any]:
    """Whether float64 stays float64 all the way: a step of a billionth in all arguments shows in the results, and by as
    much forwards as backwards. Where anything is rounded to float32 on the way they stay, or jump; what small numbers
    jump by is about as much as the steps, but not for both, of which one is no multiple of the other."""
    module = subject.module()
    forms = subject.forms()
    calls: list[dict[str, Any]] = []
    for usual in forms.values():
        given = {name: nests.changed(value, _doubled) for name, value in usual.items()}
        calls += [
            subject.call(
                {name: nests.changed(x, _stepped(s, subject.draw.another("way", name))) for name, x in given.items()},
                module,
            )
            for s in (0, -1, ON)
        ]
    if module is not None:
        calls = [subject.call(forms[""], module), {"op": "method", "on": module, "name": "double"}, *calls]
        calls += [{"op": "method", "on": module, "name": "float"}]
    replies = subject.ask(calls)
    replies = replies[2:-1] if module is not None else replies
    seen: dict[str, Any] = {}
    for place, form in enumerate(forms):
        what, words, shows = _in_float64(replies[3 * place : 3 * place + 3])
        seen |= {_in("in float64", form): what, f"_{_in('words', form)}": words}
        if not form and not what:
            seen["a step of a billionth shows"] = shows
    return seen


def _in_float64(replies: Sequence[Reply]) -> tuple[str, str, bool]:
    """What is wrong with the results of a call, of one a step back and of one a step on, "" where nothing is; words for
    it; and whether the steps show."""
    if raised := next((reply for reply in replies if reply.raised), None):
        return "raises", _words(raised), False
    results = [[x for x in flatten({"": reply.value}).values() if _floating(x)] for reply in replies]
    if len(set(map(len, results))) > 1:
        return "rounded", "", False
    shows = False
    for now, before, after in zip(*results, strict=True):
        if now.dtype != torch.float64:
            return "another dtype", str(now.dtype).removeprefix("torch."), False
        if now.shape != before.shape or now.shape != after.shape:
            return "rounded", "", False
        size = max(1.0, float(now.abs().max().nan_to_num(1.0)) if now.numel() else 1.0)
        if now.numel() and float((after - now + ON * (before - now)).abs().max()) > 1e-13 * size:
            return "rounded", "", False
        shows = shows or bool(((after - before).abs() > 1e-12 * size).any())  # where rounding jumps, it may hardly show
    return "", "", shows


def ignored(subject: Subject) -> dict[str, Any]:
    """Garbage wherever the docstring says that a place does not count."""
    garbage = subject.declaration.garbage
    if garbage is None:
        return {}
    given, module = subject.arguments(), subject.module()
    copies = [garbage({n: v.clone() if isinstance(v, Tensor) else v for n, v in given.items()}, fill)
              for fill in subject.declaration.fills]  # fmt: skip
    usual, *others = subject.ask([subject.call(given, module), *(subject.call(other, module) for other in copies)])
    names = [_garbage(fill) for fill in subject.declaration.fills]
    seen: dict[str, Any] = {name: differs(other, usual) for name, other in zip(names, others, strict=True)}
    return seen | {f"_{name}: words": _words(other) for name, other in zip(names, others, strict=True)}


def elsewhere(subject: Subject) -> dict[str, Any]:
    """Arguments on another device, in each form of the call: everything is made where they are."""
    forms, declaration = subject.forms(), subject.declaration
    ways = {form: (given, dict(declaration.keywords)) for form, given in forms.items()}
    ways |= {form: (forms[""], keywords) for form, keywords in subject.turned().items()}
    calls = [subject.call(forms[""], subject.module())]
    for given, keywords in ways.values():
        call: dict[str, Any] = {"op": "elsewhere", "name": declaration.component, "args": list(given.values())}
        if declaration.new is not None:
            call |= {"new": subject.built_with(), "keywords": keywords, "method": declaration.method}
        calls.append(call)
    _, *replies = subject.ask(calls)
    found = [reply.value if reply.value in ELSEWHERE else "" for reply in replies]
    return {_in("on another device", form): what for form, what in zip(ways, found, strict=True)}


def _copied(value: Any, copies: dict[int, Tensor]) -> Any:
    """An argument whose tensors are copies that lie as they do; one that stands in two places is one object."""

    def copy_of(tensor: Tensor) -> Tensor:
        if id(tensor) not in copies:
            plain = tensor.is_contiguous() and not tensor.storage_offset()
            copies[id(tensor)] = tensor.clone() if plain else copy.deepcopy(tensor)  # which takes ten times as long
        return copies[id(tensor)]

    return nests.changed(value, copy_of)


def _floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _called_back(value: Any) -> bool:
    return callable(value) and not isinstance(value, Tensor)


def _doubled(x: Tensor) -> Tensor:
    return x.double() if x.is_floating_point() else x


def _stepped(size: float, draw: Draw) -> Callable[[Tensor], Tensor]:
    """A step of so many billionths, in a direction that is drawn, alike for all steps."""
    return lambda x: x + size * 1e-9 * draw.normal(*x.shape).double() if x.is_floating_point() else x


def _transposed(x: Tensor) -> Tensor:
    """The same numbers, as a tensor lies whose axes were turned round."""
    axes = tuple(reversed(range(x.ndim)))
    return x.permute(axes).contiguous().permute(axes)


def _sliced(x: Tensor) -> Tensor:
    """The same numbers in the middle of a larger tensor, whose other places hold none."""
    larger = torch.full([n + 2 for n in x.shape], 1, dtype=x.dtype)
    if x.is_floating_point():
        larger.fill_(torch.nan)
    inner = larger[tuple(slice(1, n + 1) for n in x.shape)]
    inner.copy_(x)
    return inner


def _garbage(fill: float) -> str:
    return "NaN" if fill != fill else "infinity" if fill in (math.inf, -math.inf) else f"{fill:.0e}"


# ---- what is said of them -------------------------------------------------------------------------------------------

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


def _say_layout(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
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


def _say_again(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
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


def _say_gradients(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, reached in expected.items():
        if name.endswith(", reached") and reached and name not in observed:
            return f"There is no `{name.removesuffix(', reached')}` for a gradient to reach, or it has another name."
        if name.endswith(", reached") and reached and not observed[name]:
            return (
                f"No gradient reaches `{name.removesuffix(', reached')}`: the result does not depend on it, or it is "
                "cut from the graph on the way (`detach`, `.data`, `.item()`, `no_grad`, a new tensor made of numbers)."
            )
        seen = observed.get(name)
        if isinstance(reached, Tensor) and not (isinstance(seen, Tensor) and _alike(seen, reached)):
            return f"The gradient of `{name.partition(',')[0]}` is not right."
    return None


def _say_untouched(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (found := _first(observed)) is None:
        return None
    name, what = found
    if name == "train gives back":
        return (
            "`train` and `eval` have to give back the module itself, as those of `nn.Module` do: "
            "`model = model.eval()` is common."
        )
    return _of_form(name, f"The call changes what is not its own: {what}.")


def _of_form(name: str, sentence: str) -> str:
    """A sentence, with the form of the call in front that it is said of."""
    form = name.partition(", ")[2]
    return f"{form[0].upper()}{form[1:]}, {sentence[0].lower()}{sentence[1:]}" if form else sentence


def _say_float64(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
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


def _say_ignored(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (found := _first(observed)) is None:
        return None
    name, what = found
    happens = f"your code raises {observed.get(f'{name}: words', '')}" if what == "raises" else "the result changes"
    return f"With {name} where a place does not count {happens}."


def _say_elsewhere(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    found = _first(observed)
    return found and _of_form(found[0], ELSEWHERE[found[1]])


def _say_sizes(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name in expected:
        variation, _, what = name.rpartition(": ")
        seen, right = observed.get(name), expected[name]
        if what == "raised" and seen and not right:
            return f"With {variation} your code raises {observed.get(f'{variation}: words', seen)}."
        if what.endswith(", form") and isinstance(seen, str) and seen != right:
            place = what.removeprefix("result").removesuffix(", form").lstrip(".")
            shape, asked = seen.rpartition(" ")[0], right.rpartition(" ")[0]
            which = f"result {place}" if place else "the result"
            if shape != asked:
                return f"With {variation} {which} has shape {shape}, and {asked} is asked for."
        if isinstance(right, Tensor) and not (isinstance(seen, Tensor) and _alike(seen, right)):
            return f"With {variation} the result is not right."
    return None


@dataclass(frozen=True)
class Condition:
    """A line of a check that is made for every component: its title, what looks, and what is said of what it saw.

    `contract` is a `Case`'s. What `agrees` asks whether an answer agrees with itself: of the reference, always.
    """

    title: str
    look: Look
    explain: Callable[[dict[str, Any], dict[str, Any]], str | None]
    contract: bool = True
    agrees: bool = True


CONDITIONS: dict[str, Condition] = {
    "sizes": Condition("any size: one, far larger, all alike", sizes, _say_sizes, contract=False, agrees=False),
    "gradients": Condition("gradients reach all that learns", gradients, _say_gradients, contract=False, agrees=False),
    "layout": Condition("any layout in memory, and one tensor given twice", layout, _say_layout),
    "again": Condition("called again, and in training mode", again, _say_again),
    "untouched": Condition("nothing else is changed", untouched, _say_untouched),
    "float64": Condition("float64 all the way", float64, _say_float64),
    "ignored": Condition("what does not count changes nothing", ignored, _say_ignored),
    "device": Condition("on another device", elsewhere, _say_elsewhere),
}
KINDS = {*CONDITIONS, "training", "mode"}  # parts of "again" and "untouched"
WEIGHT = 0.5  # of each
_PROBE = Key.public("which conditions apply")


@cache
def cases(declarations: tuple[Declaration, ...]) -> dict[str, Case]:
    """The conditions of a check's components: a case for each kind that applies to any of them."""
    asked = {kind: [d for d in declarations if applies(kind, d)] for kind in CONDITIONS}
    return {kind: _case(CONDITIONS[kind], those) for kind, those in asked.items() if those}


@cache
def redundant() -> dict[str, frozenset[str]]:
    """exercise -> kinds that its check does without, because other cases catch all that they do
    (`autograde.bank.redundant` finds them). Raises ValueError for a kind that there is none of."""
    found = {name: frozenset(kinds) for name, kinds in json.loads(REDUNDANT.read_text("utf-8")).items()}
    if unknown := frozenset().union(*found.values()) - CONDITIONS.keys():
        raise ValueError(f"{REDUNDANT} names conditions that there are none of: {sorted(unknown)}")
    return found


def applies(kind: str, declaration: Declaration) -> bool:
    """Whether a condition says anything of a component: by what it takes, and what it is excused from."""
    if kind in declaration.excused:
        return False
    arguments = declaration.arguments(Draw(_PROBE, declaration.component), declaration.usual)
    tensors = nests.tensors(list(arguments.values()))
    return {
        "sizes": bool(declaration.variations()),
        "gradients": declaration.new is not None or any(map(_floating, arguments.values())),
        "layout": any(tensor.ndim for tensor in tensors),
        "float64": any(map(_floating, tensors)),
        "ignored": declaration.garbage is not None,
        "device": bool(tensors)
        and not any(isinstance(value, Fixture) or _called_back(value) for value in arguments.values()),
    }.get(kind, True)


def _case(condition: Condition, declarations: Sequence[Declaration]) -> Case:
    """The case of one condition, for all components that are asked for it."""

    def prefix(declaration: Declaration) -> str:
        return f"{declaration.component}: " if len(declarations) > 1 else ""

    def look(student: Student, draw: Draw) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for declaration in declarations:
            found = condition.look(Subject(declaration, student, draw))
            for name, value in found.items():
                hidden = name.startswith("_")
                seen[f"{'_' if hidden else ''}{prefix(declaration)}{name.removeprefix('_')}"] = value
        return seen

    def explain(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
        for declaration in declarations:
            start = prefix(declaration)
            own, right = (
                {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}
                for values in (observed, expected)
            )
            if (sentence := condition.explain(own, right)) is not None:
                return f"`{declaration.component}`: {sentence}" if start else sentence
        return None

    atol = 1e-4 if condition is CONDITIONS["gradients"] else ATOL
    contract = condition.contract or all(declaration.free for declaration in declarations)
    return Case(condition.title, look, WEIGHT, explain, atol, RTOL, contract, condition.agrees)
