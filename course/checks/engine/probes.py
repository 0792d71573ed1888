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
from course.protocol.untouched import DRAWN, IN_MEMORY_OF, RECORDED, SHARED

SECOND = "a second time"
ON = 2.6  # the step forwards in float64, of steps backwards
STEPS = (0, -1, ON)
BUILT = "changed, when it is built"


def sizes(subject: Subject) -> dict[str, Any]:
    """Results at sizes that are not the usual ones, and for extreme values."""
    names = list(subject.arguments())
    replies = subject.ask({"usual": subject.call(subject.arguments(), subject.module(), watch=names)})
    calls = {
        name: subject.call(subject.arguments(sizes), subject.module(sizes), watch=names)
        for name, sizes in subject.declaration.variations().items()
    }
    for name, make in subject.declaration.extremes.items():
        calls[name] = subject.call(make(subject.arguments()), subject.module(), watch=names)
    # What a call changes at the usual sizes too is told by the condition that looks for it, "untouched".
    kept = "untouched" not in subject.declaration.excused and not _changed(subject, names, replies["usual"])
    seen: dict[str, Any] = {}
    for name, reply in zip(calls, subject.student.calls([*calls.values()]), strict=True):
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

    def changed(change: Callable[[Tensor], Tensor], of: dict[str, Any] = given) -> dict[str, Any]:
        return {name: nests.changed(value, change) for name, value in of.items()}

    row = changed(lambda x: x[:1].expand_as(x) if x.ndim else x)
    calls = {
        "usual": subject.call(given, module, watch=list(given)),
        "transposed": subject.call(changed(_transposed), module),
        "a slice of a larger tensor": subject.call(changed(_sliced), module),
        "repeated": subject.call(changed(Tensor.contiguous, row), module),
        "expanded": subject.call(row, module),
    }
    against = {"transposed": "usual", "a slice of a larger tensor": "usual", "expanded": "repeated"}
    if same := _given_as_one(subject.declaration.same):
        alike, of_those = subject.arguments(subject.declaration.alike), subject.module(subject.declaration.alike)
    for form, names in same.items():
        one, against[form] = alike[names[0]], f"{form}: copies"
        calls[against[form]] = subject.call(alike | {name: one.clone() for name in names}, of_those)
        calls[form] = subject.call(alike | dict.fromkeys(names, one), of_those)
    for name in subject.declaration.spread:
        full = given[name]
        for axes in range(1, full.ndim):
            fewer, form = full[(0,) * (full.ndim - axes)], f"`{name}` of {axes} of its {full.ndim} axes"
            against[form] = f"{form}: all of them"
            calls[form] = subject.call(given | {name: fewer}, module)
            calls[against[form]] = subject.call(given | {name: fewer.expand_as(full).contiguous()}, module)
    replies = subject.ask(calls)
    seen: dict[str, Any] = {form: differs(replies[form], replies[other]) for form, other in against.items()}
    seen |= {f"_{form}: words": error_words(replies[form]) for form in against}
    if seen["expanded"] and (written := _changed(subject, list(given), replies["usual"], "`")):
        seen["_expanded: changed words"] = written
    return seen


def again(subject: Subject) -> dict[str, Any]:
    """A second call, after one with other sizes, and one in training mode."""
    given, module = subject.arguments(), subject.module()
    other = next(iter(subject.declaration.variations().values()), subject.declaration.usual)
    if (new := subject.declaration.new) is not None and new(**other) != new(**subject.declaration.usual):
        other = subject.declaration.usual
    usual = subject.call(given, module)
    calls = {"first": usual, "second": usual, "other": subject.call(subject.arguments(other), module), "third": usual}
    if module is not None:
        calls |= {"train": _mode(module, True), "in training": usual, "once more": usual, "eval": _mode(module, False)}
    replies = subject.ask(calls)
    first = replies["first"]
    seen: dict[str, Any] = {
        SECOND: differs(replies["second"], first),
        "after another call": differs(replies["third"], first),
    }
    if module is not None and "training" not in subject.declaration.excused:
        random = differs(replies["once more"], replies["in training"])  # told once, by the condition "untouched"
        seen["in training mode"] = "" if random else differs(replies["in training"], first)
    return seen


def gradients(subject: Subject) -> dict[str, Any]:
    """The gradients of a weighted sum of the results, for each argument and parameter."""
    given, module = subject.arguments(), subject.module()
    replies = subject.ask({"usual": subject.call(given, module)} | _given_others(subject, given, module))
    usual = replies["usual"]
    results = [x for x in flatten({"": usual.value}).values() if isinstance(x, Tensor)]
    weights = [
        subject.draw.another("weights of", i).normal(*x.shape) if x.is_floating_point() else None
        for i, x in enumerate(results)
    ]
    if module is None:
        of_inputs = subject.student.grad(subject.declaration.component, *given.values(), cotangents=weights)
        gradients_of: dict[str, Any] = {"inputs": of_inputs}
    else:
        gradients_of = module.grad(*given.values(), cotangents=weights, method=subject.declaration.method)
    inputs = dict(zip(given, gradients_of["inputs"], strict=False))
    named = {name: inputs.get(name) for name, value in given.items() if is_floating(value)}
    named |= dict(sorted(gradients_of.get("parameters", {}).items()))
    seen: dict[str, Any] = {}
    if "with others" in replies and not differs(replies["with others"], usual):
        seen["what it was built with"] = "a copy"
    for name, gradient in named.items():
        # Less is rounding: a key's bias, which the softmax cannot see, gets it or not by the order of the sums.
        seen[f"{name}, reached"] = isinstance(gradient, Tensor) and not bool((gradient.abs() <= 1e-5).all())
        if isinstance(gradient, Tensor):
            seen |= {f"{name}{key.removeprefix('result')}": v for key, v in numbers_of(gradient, subject.draw).items()}
    return seen


def _given_others(subject: Subject, given: dict[str, Any], module: Module | None) -> dict[str, dict[str, Any]]:
    """Requests that load other weights into what a module was built with, call it, and load its own ones again: where
    it learns with that very thing, not with a copy, its result is then another one. None where that has no weights."""
    other = [(inner, subject.draw.another("other weights").state(inner)) for inner in subject.given_to_it]
    if module is None or subject.declaration.scale is None or not any(state for _, state in other):
        return {}
    own = subject.draw.state(module, subject.declaration.scale)
    return {
        **{f"others {i}": {"op": "load", "on": inner, "args": [state]} for i, (inner, state) in enumerate(other)},
        "with others": subject.call(given, module),
        "its own": {"op": "load", "on": module, "args": [own]},
    }


def untouched(subject: Subject) -> dict[str, Any]:
    """What a call changes that is not its own, in each form of it, and what building its class does; what it keeps by
    the tensor that it was given; whether it is another in training mode; and whether `train` gives the module back."""
    forms, module = subject.forms(), subject.module()
    numbers = None if "again" in subject.declaration.excused else subject.other_numbers()
    usual, names = forms[""], list(forms[""])
    apart = {"apart": True} if subject.declaration.apart else {}
    calls = {_in("changed", form): subject.call(g, module, watch=names, **apart) for form, g in forms.items()}
    for form, keywords in subject.turned().items():
        calls[_in("changed", form)] = subject.call(usual, subject.module(keywords=keywords), watch=names)
    watched = list(calls)
    # Whoever switches the recording of gradients off and on again leaves it on where it was off before.
    calls["unrecorded"] = subject.call(usual, module, watch=names, unrecorded=True)
    own = {"train": module} if module is not None else {}
    # What is given is in training, too, but for its last part, as where that is frozen: a mode that is only put back
    # for the whole shows there.
    given = {f"train `{name}`": value for name, value in usual.items() if isinstance(value, Module)}
    calls |= {name: _mode(each, True) for name, each in own.items()}
    calls |= {name: _mode(each, True, but_last=True) for name, each in given.items()}
    if own or given:
        calls["in training"] = subject.call(usual, module, watch=names)
        calls |= {f"{name}, put back": _mode(each, False) for name, each in {**own, **given}.items()}
    building = _building(subject)
    calls |= building
    if numbers:
        calls["other numbers"] = subject.call(numbers, module)
        calls[IN_THE_SAME] = subject.call(usual, module, then=[*numbers.values()])
    replies = subject.ask(calls)
    seen = {name: _changed(subject, names, replies[name]) for name in watched}
    if "in training" in replies and "mode" not in subject.declaration.excused and not seen["changed"]:
        seen["changed"] = _changed(subject, names, replies["in training"], "the mode ")  # dropout draws, too
    seen["changed"] = seen["changed"] or _changed(subject, names, replies["unrecorded"], RECORDED)
    if own:
        other = differs(replies["in training"], replies["changed"])
        if other and "training" not in subject.declaration.excused:
            seen["in training mode"] = other
        seen["train gives back"] = "" if replies["train"].value is True else "something else"
    if building:
        built = replies[BUILT]
        built = replace(built, changed=tuple(name for name in built.changed if name != DRAWN))  # its weights are
        seen[BUILT] = _changed(subject, building[BUILT]["watch"], built)
    if numbers:
        seen[IN_THE_SAME] = differs(replies[IN_THE_SAME], replies["other numbers"])
    return seen


def _building(subject: Subject) -> dict[str, dict[str, Any]]:
    """The calls that build its class once more from modules in training mode, the last one watched; none where it is
    not built from any."""
    if subject.declaration.new is None or "mode" in subject.declaration.excused:
        return {}
    values = subject.built_with()
    modules = {f"train {place}": value for place, value in enumerate(values, 1) if isinstance(value, Module)}
    call = {"op": "call", "name": subject.declaration.component, "args": values, "kwargs": subject.declaration.keywords}
    names = [f"argument {place} of its class" for place, _ in enumerate(values, 1)]
    modes = {name: _mode(module, True) for name, module in modules.items()}
    return modes | {BUILT: call | {"watch": names}} if modules else {}


def _mode(module: Module, training: bool, **fields: Any) -> dict[str, Any]:
    return {"op": "mode", "on": module, "training": training, **fields}


def _changed(subject: Subject, given: Sequence[str], reply: Reply, only: str = "") -> str:
    """The names of what a call changed that begin so, as far as they are names that are known here."""
    names_here = {*SHARED, *(f"`{name}`" for name in given)}
    names_here |= {f"{what} of `{name}`" for what in ("`requires_grad`", "`grad`") for name in given}
    names_here |= {f"{IN_MEMORY_OF}`{name}`" for name in given}
    of_modules = ("the mode of", "the mode in its calls of", "the state of", "`requires_grad` in")
    names_here |= {f"{what} {name}" for what in of_modules for name in ("the module", *given)}
    names = [name for name in reply.changed if not (subject.declaration.draws and name == DRAWN)]
    if "state" in subject.declaration.excused:
        names = [name for name in names if not name.startswith("the state of ")]
    names = [name for name in names if name.startswith(only)]
    return ", ".join(name if name in names_here else "something else" for name in names)


def _in(what: str, form: str) -> str:
    """The name of what was seen in a form of the call."""
    return f"{what}, {form}" if form else what


def float64(subject: Subject) -> dict[str, Any]:
    """Whether float64 stays float64 all the way: a step of a billionth in all arguments shows in the results, and by as
    much forwards as backwards. Where anything is rounded to float32 on the way they stay, or jump; what small numbers
    jump by is about as much as the steps, but not for both, of which one is no multiple of the other."""
    module = subject.module()
    forms = subject.forms()
    # Those that are given hold the weights of a function's result.
    own = [value for value in (module, *forms[""].values()) if isinstance(value, Module)]
    calls: dict[str, dict[str, Any]] = {"usual": subject.call(forms[""], module)} if own else {}
    calls |= {f"double {place}": {"op": "method", "on": each, "name": "double"} for place, each in enumerate(own)}
    for form, usual in forms.items():
        given = {name: nests.changed(value, _doubled) for name, value in usual.items()}
        for size in STEPS:
            steps = {name: _stepped(size, subject.draw.another("way", name)) for name in given}
            stepped = {name: nests.changed(value, steps[name]) for name, value in given.items()}
            calls[f"{form}, {size}"] = subject.call(stepped, module)
    calls |= {f"float {place}": {"op": "method", "on": each, "name": "float"} for place, each in enumerate(own)}
    replies = subject.ask(calls)
    seen: dict[str, Any] = {}
    for form in forms:
        what, words, shows = _in_float64([replies[f"{form}, {size}"] for size in STEPS])
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
    calls = {"usual": subject.call(given, module, watch=list(given))}
    for fill in subject.declaration.fills:
        copies = {name: value.clone() if isinstance(value, Tensor) else value for name, value in given.items()}
        calls[_garbage(fill)] = subject.call(garbage(copies, fill), module, watch=list(given))
    replies = subject.ask(calls)
    usual = replies.pop("usual")
    seen: dict[str, Any] = {name: differs(other, usual) for name, other in replies.items()}
    if not _changed(subject, list(given), usual):  # what is written over where it does not count, and nowhere else
        seen |= {n: "changes" for n, other in replies.items() if not seen[n] and _changed(subject, list(given), other)}
    seen |= {f"_{name}: words": error_words(other) for name, other in replies.items()}
    return seen | {f"_{name}: changed words": _changed(subject, list(given), other) for name, other in replies.items()}


def elsewhere(subject: Subject) -> dict[str, Any]:
    """Arguments on another device, in each form of the call: everything is made where they are."""
    forms, declaration = subject.forms(), subject.declaration
    ways = {form: (given, dict(declaration.keywords)) for form, given in forms.items()}
    ways |= {form: (forms[""], keywords) for form, keywords in subject.turned().items()}
    calls = {"usual": subject.call(forms[""], subject.module())}
    for form, (given, keywords) in ways.items():
        call: dict[str, Any] = {"op": "elsewhere", "name": declaration.component, "args": list(given.values())}
        if declaration.new is not None:
            call |= {"new": subject.built_with(), "keywords": keywords, "method": declaration.method}
        calls[_in("on another device", form)] = call
    replies = subject.ask(calls)
    del replies["usual"]
    return {name: reply.value if reply.value in ELSEWHERE else "" for name, reply in replies.items()}


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
