"""torch.autocast on the stand-in device, as a GPU has it: which operators take 16 bits and which float32 is read from
the lists that PyTorch itself is built with, and its dispatcher asks here as it asks there, inside of other operators,
too.

What it leaves out: copies of parameters are not kept for the next operator that reads them.
"""

import contextlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from course.protocol import device
from course.protocol.device import _There

KIND = "privateuseone"  # the kind of device that PyTorch keeps for others, which has a switch for autocast and no rules
KEY = "AutocastPrivateUse1"


def listed(name: str) -> set[str]:
    """The operators of one of PyTorch's lists: "matmul", "pow.Tensor_Scalar"."""
    header = Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h"
    text = re.search(rf"#define AT_FORALL_{name}\(_\)(.*?)\n\n", header.read_text(), re.DOTALL)
    assert text, name
    names = {each.replace(", ", ".") for each in re.findall(r"_\((\w+(?:, \w+)?)\)", text[1])}
    names |= set(re.findall(r'"(\w+\.\w+)"', text[1]))
    assert names, name
    return names


SHORT = listed("LOWER_PRECISION_FP")
WHOLE = listed("FP32") | listed("FP32_SET_OPT_DTYPE") | listed("DIFFERENT_REDISPATCH_SIGNATURE")
WIDEST = listed("PROMOTE") | {"cat", "stack"}
KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, KEY))


def cast(value: Any, dtype: torch.dtype) -> Any:
    """Every tensor of the other device in it, of a floating point type that autocast knows, in dtype."""
    if isinstance(value, Tensor):
        known = value.is_floating_point() and value.dtype != torch.float64 and value.device.type == device.OTHER
        return value.to(dtype) if known else value
    return type(value)(cast(each, dtype) for each in value) if isinstance(value, (list, tuple)) else value


def kernel(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """A listed operator under autocast: its arguments in the type of its list, and then itself, without autocast."""
    name = operator.name().removeprefix("aten::")
    dtype = None
    if name in SHORT:
        dtype = torch.get_autocast_dtype(device.OTHER)
    elif name in WHOLE:
        dtype = None if kwargs.get("dtype") else torch.float32
    elif torch.float32 in {x.dtype for x in tree_leaves(args) if isinstance(x, Tensor)}:
        dtype = torch.float32
    with torch._C._ExcludeDispatchKeyGuard(KEYS):
        return operator(*(cast(args, dtype) if dtype else args), **kwargs)


def operators() -> Iterator[Any]:
    for name in SHORT | WHOLE | WIDEST:
        packet, _, overload = name.partition(".")
        yield getattr(getattr(torch.ops.aten, packet), overload or "default")


def made(cls: type[_There], numbers: Tensor) -> _There:
    """_There's own __new__, with the key by which the dispatcher comes here."""
    there = Tensor._make_wrapper_subclass(
        cls, numbers.shape, strides=numbers.stride(), storage_offset=numbers.storage_offset(), dtype=numbers.dtype,
        device=torch.device(device.OTHER), _extra_dispatch_keys=KEYS,
    )  # fmt: skip
    there.numbers = numbers
    return there


@contextlib.contextmanager
def switched(kind: str, dtype: torch.dtype | None = None, enabled: bool = True, **more: Any) -> Iterator[None]:
    """torch.autocast for the stand-in device."""
    assert kind == device.OTHER
    before = torch.is_autocast_enabled(KIND), torch.get_autocast_dtype(KIND)
    torch.set_autocast_enabled(KIND, enabled)
    torch.set_autocast_dtype(KIND, dtype or torch.bfloat16)
    try:
        yield
    finally:
        torch.set_autocast_enabled(KIND, before[0])
        torch.set_autocast_dtype(KIND, before[1])


@contextlib.contextmanager
def known() -> Iterator[None]:
    """Meanwhile the stand-in device has autocast: models have to be moved there in this context."""
    enabled, dtype = torch.is_autocast_enabled, torch.get_autocast_dtype

    def renamed(kind: str) -> str:
        return KIND if kind == device.OTHER else kind

    with contextlib.ExitStack() as stack:
        others = stack.enter_context(torch.library._scoped_library("_", "IMPL"))
        others.fallback(torch.library.fallthrough_kernel, KEY)
        library = stack.enter_context(torch.library._scoped_library("aten", "IMPL"))
        for operator in operators():
            library.impl(operator, partial(kernel, operator), KEY)
        for holder, name, value in [
            (_There, "__new__", staticmethod(made)),
            (torch, "autocast", switched),
            (torch, "is_autocast_enabled", lambda kind=None: enabled(renamed(kind)) if kind else enabled()),
            (torch, "get_autocast_dtype", lambda kind: dtype(renamed(kind))),
            (torch.amp, "is_autocast_available", lambda kind: True),
        ]:
            stack.enter_context(mock.patch.object(holder, name, value))
        yield
