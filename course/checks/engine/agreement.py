"""Whether two results of a component agree, and what of a result is compared with the reference's."""

from __future__ import annotations

import math
import re
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.case import flatten
from course.checks.engine.draw import Draw
from course.protocol.student import Reply

LARGEST = 1 << 20  # numbers of a result; no right one has as many
REMEMBERED = 1 << 12  # numbers of a result whose weights are kept for the next submission
WHOLE, PROJECTIONS = 6, 3  # numbers of a result: so many are compared one by one, of more so many weighted sums
ATOL, RTOL = 1e-5, 1e-4
EXACT = 1 << 53  # beyond it a float tells no whole number from the next


def _weights(draw: Draw, count: int) -> Tensor:
    """Weights for so many numbers. How many, the student chooses: those of many numbers are drawn each time, and
    nobody keeps them."""
    if count <= REMEMBERED:
        return draw.remembered(_drawn, count, "weights", count)
    return _drawn(draw.another("weights", count), count)


def _drawn(draw: Draw, count: Any) -> Tensor:
    return draw.normal(PROJECTIONS, count).double()


def numbers_of(result: Any, draw: Draw) -> dict[str, Any]:
    """A result as it is compared: of each of its tensors the form, and its numbers or weighted sums of them. Raises
    ValueError for one that is far too large: its size is the student's choice, and its weights cost time and memory."""
    seen: dict[str, Any] = {}
    for name, value in flatten({"result": result}).items():
        if not isinstance(value, Tensor):
            whole = type(value) is int and abs(value) > EXACT
            seen[name] = str(value) if whole else value  # so that it is compared to its last digit
            continue
        seen[f"{name}, form"] = _form(value)
        if value.is_complex() or value.numel() == 0:
            continue
        if value.numel() > LARGEST:
            raise ValueError(f"a result of shape {tuple(value.shape)} is far larger than any asked for")
        numbers = value.double().flatten()
        if value.numel() > WHOLE:
            weights = _weights(draw, value.numel())
            numbers = weights @ numbers / math.sqrt(value.numel())
        seen[f"{name}, numbers"] = numbers.float()
    return seen


def _form(value: Tensor) -> str:
    kind = "floating-point" if value.is_floating_point() else str(value.dtype).removeprefix("torch.")
    return f"{tuple(value.shape)} {kind}"


def lacks_ones(form: Any, other: str) -> bool:
    """Whether a result of one form, as `numbers_of` writes it, has all axes of the other but some of size one."""
    if not isinstance(form, str):
        return False
    fewer, more = (re.findall(r"\d+", text.rpartition(")")[0]) for text in (form, other))
    return len(fewer) < len(more) and [n for n in fewer if n != "1"] == [n for n in more if n != "1"]


def differs(seen: Reply, other: Reply) -> str:
    """ "" where two results are the same up to rounding, or the same error; "raises" or "differs" where not."""
    if seen.raised is not None or other.raised is not None:
        return "" if seen.raised and other.raised and seen.raised[0] == other.raised[0] else "raises"
    now, before = flatten({"": seen.value}), flatten({"": other.value})
    if now.keys() != before.keys():
        return "differs"
    return "" if all(agree(now[name], value) for name, value in before.items()) else "differs"


def agree(a: Any, b: Any) -> bool:
    """Whether two values are of one kind, and the same up to rounding."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.shape != b.shape or a.is_floating_point() != b.is_floating_point():
            return False
        a, b = (x.to(torch.complex128) if x.is_complex() else x.double() for x in (a, b))
        return torch.allclose(a, b, atol=ATOL, rtol=RTOL, equal_nan=True)
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL) or (a != a and b != b)
    return type(a) is type(b) and bool(a == b)


def error_words(reply: Reply) -> str:
    return "" if reply.raised is None else f"{reply.raised[0]}: {reply.raised[1]}".rstrip(": ")
