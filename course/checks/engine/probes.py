"""What each condition tries, and what it sees: one function for each kind (`conditions`).

A probe returns, for each thing that it tries, "" where all is well, or what is not, as a key of its table of sentences
(`explanations`); a name that begins with `_` is for a sentence alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.agreement import differs, error_words, numbers_of
from course.checks.engine.case import flatten
from course.checks.engine.draw import Draw
from course.checks.engine.explanations import ELSEWHERE, IN_THE_SAME
from course.checks.engine.subject import Subject, is_floating
from course.protocol import nests
from course.protocol.student import Module, Reply
from course.protocol.untouched import DRAWN, IN_MEMORY_OF, SHARED

ON = 2.6  # the step forwards in float64, of steps backwards


def sizes(subject: Subject) -> dict[str, Any]:
    """Results at sizes that are not the usual ones, and for extreme values."""
    names = list(subject.arguments())
    usual, *_ = subject.ask([subject.call(subject.arguments(), subject.module(), watch=names)])
    variations = subject.declaration.variations()
    calls = [
        subject.call(subject.arguments(sizes), subject.module(sizes), watch=names) for sizes in variations.values()
    ]
    extremes = subject.declaration.extremes
    calls += [subject.call(make(subject.arguments()), subject.module(), watch=names) for make in extremes.values()]
    # What a call changes at the usual sizes too is told by the condition that looks for it, "untouched".
    kept = "untouched" not in subject.declaration.excused and not _changed(subject, names, usual)
    seen: dict[str, Any] = {}
    for name, reply in zip([*variations, *extremes], subject.student.calls(calls), strict=True):
        seen[f"{name}: raised"] = reply.raised[0] if reply.raised else ""
        seen[f"_{name}: words"] = error_words(reply)
        seen[f"{name}: changed"] = _changed(subject, names, reply) if kept else ""
        if reply.raised is None:
            result = numbers_of(reply.value, subject.draw)
            if subject.declaration.free:
                result = {key: value for key, value in result.items() if not key.endswith("numbers")}
            seen |= {f"{name}: {key}": value for key, value in result.items()}
    return seen


def _given_as_one(names: Sequence[str]) -> dict[str, Sequence[str]]:
    """Which arguments one tensor is given as: all that it may be and, where these are more than two, each two of them.
    An answer that asks which of its arguments are one may ask for too few."""
    pairs = combinations(names, 2) if len(names) > 2 else ()
    all_of_them = {"one tensor given twice": names} if names else {}
    return all_of_them | {f"one tensor given as `{one}` and `{other}`": (one, other) for one, other in pairs}


def layout(subject: Subject) -> dict[str, Any]:
    """The same numbers that lie otherwise in memory or have fewer axes, and one tensor given twice."""
    given, module = subject.arguments(), subject.module()
    forms: dict[str, Callable[[Tensor], Tensor]] = {"transposed": _transposed, "a slice": _sliced}
    calls = [subject.call(given, module, watch=list(given))]
    calls += [
        subject.call({name: nests.changed(value, form) for name, value in given.items()}, module)
        for form in forms.values()
    ]
    row = {name: nests.changed(value, lambda x: x[:1].expand_as(x) if x.ndim else x) for name, value in given.items()}
    calls += [
        subject.call({n: nests.changed(v, torch.Tensor.contiguous) for n, v in row.items()}, module),
        subject.call(row, module),
    ]
    same = _given_as_one(subject.declaration.same)
    if same:
        alike, of_those = subject.arguments(subject.declaration.alike), subject.module(subject.declaration.alike)
    for names in same.values():
        one = alike[names[0]]
        calls += [
            subject.call(alike | {name: one.clone() for name in names}, of_those),
            subject.call(alike | dict.fromkeys(names, one), of_those),
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
    given_twice, fewer_axes = others[: 2 * len(same)], others[2 * len(same) :]
    pairs = {
        "transposed": (transposed, usual),
        "a slice of a larger tensor": (sliced, usual),
        "expanded": (expanded, repeated),
    }
    pairs |= dict(zip(same, zip(given_twice[1::2], given_twice[::2], strict=True), strict=True))
    pairs |= dict(zip(list(spread)[::2], zip(fewer_axes[::2], fewer_axes[1::2], strict=True), strict=True))
    seen: dict[str, Any] = {name: differs(now, before) for name, (now, before) in pairs.items()}
    seen |= {f"_{name}: words": error_words(now) for name, (now, _) in pairs.items()}
    if seen["expanded"] and (written := _changed(subject, list(given), usual, "`")):
        seen["_expanded: changed words"] = written
    return seen


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
        random = differs(rest[2], rest[1])  # which is told once, by the condition "untouched"
        seen["in training mode"] = "" if random else differs(rest[1], first)
    return seen


def gradients(subject: Subject) -> dict[str, Any]:
    """The gradients of a weighted sum of the results, for each argument and parameter."""
    given, module = subject.arguments(), subject.module()
    usual, *others = subject.ask([subject.call(given, module), *_given_others(subject, given, module)])
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
    named = {name: inputs.get(name) for name, value in given.items() if is_floating(value)}
    named |= dict(sorted(found.get("parameters", {}).items()))
    seen: dict[str, Any] = {}
    if others and not differs(others[-2], usual):
        seen["what it was built with"] = "a copy"
    for name, gradient in named.items():
        # Less is rounding: a key's bias, which the softmax cannot see, gets it or not by the order of the sums.
        seen[f"{name}, reached"] = isinstance(gradient, Tensor) and not bool((gradient.abs() <= 1e-5).all())
        if isinstance(gradient, Tensor):
            seen |= {f"{name}{key.removeprefix('result')}": v for key, v in numbers_of(gradient, subject.draw).items()}
    return seen


def _given_others(subject: Subject, given: dict[str, Any], module: Module | None) -> list[dict[str, Any]]:
    """Requests that load other weights into what a module was built with, call it, and load its own ones again: where
    it learns with that very thing, not with a copy, its result is then another one. None where that has no weights."""
    other = [(inner, subject.draw.another("other weights").state(inner)) for inner in subject.given_to_it]
    if module is None or subject.declaration.scale is None or not any(state for _, state in other):
        return []
    own = subject.draw.state(module, subject.declaration.scale)
    return [
        *({"op": "load", "on": inner, "args": [state]} for inner, state in other),
        subject.call(given, module),
        {"op": "load", "on": module, "args": [own]},
    ]


def untouched(subject: Subject) -> dict[str, Any]:
    """What a call changes that is not its own, in each form of it, and what building its class does; what it keeps by
    the tensor that it was given; whether it is another in training mode; and whether `train` gives the module back."""
    forms, module = subject.forms(), subject.module()
    numbers = None if "again" in subject.declaration.excused else subject.other_numbers()
    usual, names = forms[""], list(forms[""])
    apart = {"apart": True} if subject.declaration.apart else {}
    calls = {form: subject.call(given, module, watch=names, **apart) for form, given in forms.items()}
    for form, keywords in subject.turned().items():
        calls[form] = subject.call(usual, subject.module(keywords=keywords), watch=names)
    own = [module] if module is not None else []
    given = [value for value in usual.values() if isinstance(value, Module)]  # what is given is in training, too
    modes = [{"op": "mode", "on": each, "training": True} for each in own]
    # Their last part is not, as where it is frozen: a mode that is only put back for the whole shows there.
    modes += [{"op": "mode", "on": each, "training": True, "but_last": True} for each in given]
    if modes:
        modes += [subject.call(usual, module, watch=names)]
        modes += [{"op": "mode", "on": each, "training": False} for each in (*own, *given)]
    building = _building(subject)
    kept = [subject.call(numbers, module), subject.call(usual, module, then=[*numbers.values()])] if numbers else []
    replies = subject.ask([*calls.values(), *modes, *building, *kept])
    seen = {_in("changed", form): _changed(subject, names, reply) for form, reply in zip(calls, replies, strict=False)}
    if modes:
        changed, in_training = replies[len(calls)], replies[len(calls) + len(own) + len(given)]
        if "mode" not in subject.declaration.excused and not seen["changed"]:
            seen["changed"] = _changed(subject, names, in_training, "the mode ")  # dropout draws, batch norm counts
        if own and "training" not in subject.declaration.excused and (other := differs(in_training, replies[0])):
            seen["in training mode"] = other
        if own:
            seen["train gives back"] = "" if changed.value is True else "something else"
    if building:
        built = replies[len(calls) + len(modes) + len(building) - 1]
        built = replace(built, changed=tuple(name for name in built.changed if name != DRAWN))  # its weights are
        seen[_in("changed", "when it is built")] = _changed(subject, building[-1]["watch"], built)
    if kept:
        seen[IN_THE_SAME] = differs(replies[-1], replies[-2])
    return seen


def _building(subject: Subject) -> list[dict[str, Any]]:
    """The calls that build its class once more from modules in training mode, the last one watched; none where it is
    not built from any."""
    if subject.declaration.new is None or "mode" in subject.declaration.excused:
        return []
    values = subject.built_with()
    modules = [value for value in values if isinstance(value, Module)]
    call = {"op": "call", "name": subject.declaration.component, "args": values, "kwargs": subject.declaration.keywords}
    names = [f"argument {place} of its class" for place, _ in enumerate(values, 1)]
    modes = [{"op": "mode", "on": module, "training": True} for module in modules]
    return [*modes, call | {"watch": names}] if modules else []


def _changed(subject: Subject, given: Sequence[str], reply: Reply, only: str = "") -> str:
    """The names of what a call changed that begin so, as far as they are names that are known here."""
    known = {*SHARED, *(f"`{name}`" for name in given)}
    known |= {f"{what} of `{name}`" for what in ("`requires_grad`", "`grad`") for name in given}
    known |= {f"{IN_MEMORY_OF}`{name}`" for name in given}
    of_modules = ("the mode of", "the mode in its calls of", "the state of", "`requires_grad` in")
    known |= {f"{what} {name}" for what in of_modules for name in ("the module", *given)}
    names = [name for name in reply.changed if not (subject.declaration.draws and name == DRAWN)]
    if "state" in subject.declaration.excused:
        names = [name for name in names if not name.startswith("the state of ")]
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
        return "raises", error_words(raised), False
    results = [[x for x in flatten({"": reply.value}).values() if is_floating(x)] for reply in replies]
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
    return seen | {f"_{name}: words": error_words(other) for name, other in zip(names, others, strict=True)}


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
