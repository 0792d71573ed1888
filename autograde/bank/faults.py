"""The generic defects themselves: what each breaks, and what it takes to break anything (`defects` tries them)."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.protocol import nests

Call = Callable[[tuple[Any, ...]], Any]


@dataclass(frozen=True)
class Defect:
    """A fault: the condition that forbids it, and what it makes of a call. `around(call, arguments, module)` is called
    in the component's place; `call(arguments)` is the reference. `of` is what it takes to do anything: "results" that
    are tensors, and "given" ones too; of numbers with fractions "tensors" among the results, or "arguments" too;
    "numbers" among the arguments, arguments that may be the "same", are "optional" or have "extremes", a "module", or
    "parameters" of one, and "given modules" among the arguments, or "holds modules" that it is built with; rows with
    "lengths"; a reference that "fills" in minus infinity; a result that is promised to lie "apart". `building`
    changes what a class is built with."""

    condition: str
    around: Callable[[Call, tuple[Any, ...], nn.Module | None], Any]
    of: str = ""
    building: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None


DEFECTS: dict[str, Defect] = {}


def defect(name: str, condition: str, of: str = "") -> Callable[[Callable], Callable]:
    def add(around: Callable) -> Callable:
        if of == "holds modules":
            DEFECTS[name] = Defect(condition, lambda call, arguments, module: call(arguments), of, around)
        else:
            DEFECTS[name] = Defect(condition, around, of)
        return around

    return add


def _each(change: Callable[[Tensor], Tensor], value: Any, whole: bool = False) -> Any:
    """A result, or an argument, with each of its floating-point tensors changed; `whole`: all its tensors."""
    return nests.changed(value, lambda x: change(x) if whole or x.is_floating_point() else x)


@defect("axes of one are dropped", "sizes", "results")
def _(call, arguments, module):
    return _each(torch.squeeze, call(arguments), whole=True)


def _wrong(y: Tensor) -> Tensor:
    return ~y if y.dtype == torch.bool else 2 * y + 1


@defect("a batch of one is wrong", "sizes", "given")
def _(call, arguments, module):
    alone = any(x.ndim and x.shape[0] == 1 for x in nests.tensors(arguments))
    return _each(lambda y: _wrong(y) if alone else y, call(arguments), whole=True)


@defect("more than 64 of anything is wrong", "sizes", "given")
def _(call, arguments, module):
    long = any(n > 64 for x in nests.tensors(arguments) for n in x.shape)
    return _each(lambda y: _wrong(y) if long else y, call(arguments), whole=True)


@defect("extreme numbers are wrong", "sizes", "extremes")
def _(call, arguments, module):
    sizes = [x[x.isfinite()].abs() for x in nests.tensors(arguments) if x.is_floating_point()]
    extreme = any(bool(((x > 9e3) | (x > 0) & (x < 1e-12)).any()) for x in sizes)
    extreme = extreme or math.prod(x for x in arguments if isinstance(x, int)) > 1e13
    result = call(arguments)
    if extreme and isinstance(result, int | float):
        return 2 * result + 1
    return _each(lambda y: _wrong(y) if extreme else y, result, whole=True)


@defect("minus infinity is a number that scores fall below", "sizes", "fills")
def _(call, arguments, module):
    filled = Tensor.masked_fill

    def with_a_number(x: Tensor, mask: Tensor, value: float) -> Tensor:
        return filled(x, mask, -1e3 if value == -math.inf else value)

    with patch.object(Tensor, "masked_fill", with_a_number):
        return call(arguments)


@defect("columns that are padding in every row are cut off", "sizes", "lengths")
def _(call, arguments, module):
    source, lengths = arguments[:2]
    return call((source[:, : int(lengths.max())], *arguments[1:]))


@defect("the result is cut from the graph", "gradients", "tensors")
def _(call, arguments, module):
    return _each(torch.detach, call(arguments))


@defect("the first argument is cut from the graph", "gradients", "arguments")
def _(call, arguments, module):
    first = next((i for i, x in enumerate(arguments) if isinstance(x, Tensor) and x.is_floating_point()), None)
    return call(tuple(x.detach() if i == first else x for i, x in enumerate(arguments)))


@defect("the parameters are cut from the graph", "gradients", "parameters")
def _(call, arguments, module):
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    return call(arguments)


@defect("it writes over what a given module returns", "gradients", "given modules")
def _(call, arguments, module):
    def over(part: nn.Module, inputs: Any, given: Any) -> None:
        _each(lambda y: y.mul_(1), given)

    hooks = [x.register_forward_hook(over) for x in arguments if isinstance(x, nn.Module)]
    try:
        return call(arguments)
    finally:
        for hook in hooks:
            hook.remove()


@defect("it learns with a copy of what it is built with", "gradients", "holds modules")
def _(arguments):
    return tuple(copy.deepcopy(x) if isinstance(x, nn.Module) else x for x in arguments)


@defect("it puts what it is built with into evaluation mode", "mode", "holds modules")
def _(arguments):
    return tuple(x.eval() if isinstance(x, nn.Module) else x for x in arguments)


@defect("strides are not looked at", "layout", "given")
def _(call, arguments, module):
    def flat(x):
        return torch.empty(x.shape, dtype=x.dtype).stride()

    return call(tuple(_each(lambda x: x.as_strided(x.shape, flat(x)) if x.numel() else x, a, True) for a in arguments))


@defect("arguments are viewed in one piece", "layout", "given")
def _(call, arguments, module):
    return call(tuple(_each(lambda x: x.view(-1).view(x.shape) if x.numel() else x, a, True) for a in arguments))


@defect("arguments that are one object are taken for something else", "layout", "same")
def _(call, arguments, module):
    tensors = [id(x) for x in arguments if isinstance(x, Tensor)]
    return _each(lambda y: 2 * y + 1 if len(set(tensors)) < len(tensors) else y, call(arguments))


# What some know of the calls before, since `forget`.
_calls: list[None] = []
_shapes: list[list[tuple[int, ...]]] = []
_kept: list[tuple[list[Tensor], Any]] = []


def forget() -> None:
    """Makes the next call the first one."""
    _calls.clear()
    _shapes.clear()
    _kept.clear()


@defect("it is wrong from the second call on", "again", "tensors")
def _(call, arguments, module):
    _calls.append(None)
    return _each(lambda y: y * (1 + 0.01 * len(_calls)), call(arguments))


@defect("it remembers the sizes of the call before", "again", "given")
def _(call, arguments, module):
    shapes = [tuple(x.shape) for x in nests.tensors(arguments)]
    before = _shapes[-1:] or [shapes]
    _shapes[:] = [shapes]
    return _each(lambda y: y if before[0] == shapes else _wrong(y), call(arguments), whole=True)


@defect("it is another in training mode", "training", "module")
def _(call, arguments, module):
    return _each(lambda y: 2 * y + 1 if module.training else y, call(arguments))


@defect("it drops numbers in training mode", "training", "module")
def _(call, arguments, module):
    return _each(lambda y: F.dropout(y, 0.5, module.training), call(arguments))


@defect("it runs what it is given in the other mode, and puts it back", "mode", "given modules")
def _(call, arguments, module):
    parts = [part for x in arguments if isinstance(x, nn.Module) for part in x.modules()]
    modes = [part.training for part in parts]
    for part, training in zip(parts, modes, strict=True):
        part.training = not training
    try:
        return call(arguments)
    finally:
        for part, training in zip(parts, modes, strict=True):
            part.training = training


@defect("it puts all parts of what it is given into one mode", "mode", "given modules")
def _(call, arguments, module):
    result = call(arguments)
    for x in arguments:
        if isinstance(x, nn.Module):
            x.train(x.training)
    return result


@defect("it keeps its result for the tensors that it was given", "untouched", "given")
def _(call, arguments, module):
    given = nests.tensors(arguments)
    if not _kept or list(map(id, _kept[0][0])) != list(map(id, given)):
        result = call(arguments)
        _kept[:] = [(given, _each(lambda y: y.detach().clone(), result, whole=True))]
        return result
    return _kept[0][1]


@defect("it seeds PyTorch", "untouched")
def _(call, arguments, module):
    torch.manual_seed(0)
    return call(arguments)


@defect("it seeds NumPy", "untouched")
def _(call, arguments, module):
    np.random.seed(0)
    return call(arguments)


@defect("it seeds Python", "untouched")
def _(call, arguments, module):
    random.seed(0)
    return call(arguments)


@defect("it leaves gradients off", "untouched")
def _(call, arguments, module):
    result = call(arguments)
    torch.set_grad_enabled(False)
    return result


@defect("it leaves autocast on", "untouched")
def _(call, arguments, module):
    result = call(arguments)
    torch.set_autocast_enabled("cpu", True)
    return result


@defect("it sets the default dtype", "untouched")
def _(call, arguments, module):
    result = call(arguments)
    torch.set_default_dtype(torch.float64)
    return result


@defect("it changes its first argument", "untouched", "numbers")
def _(call, arguments, module):
    result = call(arguments)
    first = next(x for x in nests.tensors(arguments) if x.dtype is not torch.bool)
    with torch.no_grad():
        first.add_(1)
    return result


@defect("it changes its first argument where another is left out", "untouched", "optional")
def _(call, arguments, module):
    result = call(arguments)
    if any(x is None for x in arguments):
        next(x for x in nests.tensors(arguments) if x.is_floating_point()).detach().add_(1)
    return result


@defect("it gives back what it was given, where that is the result", "untouched", "apart")
def _(call, arguments, module):
    result = call(arguments)
    return next((x for x in nests.tensors(arguments) if torch.equal(x, result)), result)


@defect("it leaves a gradient on its first argument", "untouched", "arguments")
def _(call, arguments, module):
    first = next(x for x in nests.tensors(arguments) if x.is_floating_point())
    if first.is_leaf:
        first.grad = torch.ones_like(first)
    return call(arguments)


@defect("it leaves training mode on", "untouched", "module")
def _(call, arguments, module):
    module.train()
    return call(arguments)


@defect("its `train` gives nothing back", "untouched", "module")
def _(call, arguments, module):
    def train(mode=True):
        nn.Module.train(module, mode)

    module.train = train
    return call(arguments)


@defect("it changes its parameters", "untouched", "parameters")
def _(call, arguments, module):
    result = call(arguments)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(1.01)
    return result


@defect("everything is rounded to float32", "float64", "arguments")
def _(call, arguments, module):
    rounded = tuple(_each(lambda x: x.float().to(x.dtype), a) for a in arguments)
    return call(rounded)


@defect("the result is float32", "float64", "tensors")
def _(call, arguments, module):
    return _each(torch.Tensor.float, call(arguments))


@defect("what does not count is read", "ignored", "arguments")
def _(call, arguments, module):
    garbage = sum(x.sum() for x in nests.tensors(arguments) if x.is_floating_point())
    return _each(lambda y: y + 0 * garbage, call(arguments))


@defect("a tensor is made on the CPU", "device", "tensors")
def _(call, arguments, module):
    return _each(lambda y: y + torch.zeros(y.shape, dtype=y.dtype), call(arguments))


@defect("the result is moved to the CPU", "device", "results")
def _(call, arguments, module):
    return _each(torch.Tensor.cpu, call(arguments), whole=True)
