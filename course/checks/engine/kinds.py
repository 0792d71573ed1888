"""What kind of mistake all failed cases show, where no wrong answer of the bank looks like this one.

It is said of what was observed alone, and outright: each kind holds of everything that is not as it should be, or it is
not told. A kind is known by how results differ from the reference's, whatever the exercise computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.agreement import lacks_ones
from course.checks.engine.case import Case
from course.checks.engine.compare import same_value
from course.checks.engine.table import Observation

FEW = 4  # numbers, of which fewer are alike by chance: they speak against a kind, and never for it
Pair = tuple[str, Any, Any]  # of what was observed: its name, what was seen, and what was to be seen


def kind_of(failed: Sequence[tuple[Case, Observation, Observation]]) -> str:
    """A sentence on the kind of mistake that these failed cases show, of each what was seen and the reference's; "" for
    none. Cases that ask whether an answer agrees with itself, or for errors, have causes of their own."""
    telling = [each for each in failed if not (each[0].agrees or each[0].contract)]
    if not telling or any(seen.raised is not None for _, seen, _ in telling):
        return ""
    pairs: list[Pair] = []
    for case, seen, reference in telling:
        if not seen.values.keys() >= reference.values.keys():
            return ""
        both = ((name, seen.values[name], right) for name, right in reference.values.items())
        pairs += [(name, a, b) for name, a, b in both if not same_value(a, b, case)]
    for shows, sentence in KINDS:
        each = [shows(*pair) for pair in pairs]
        if None not in each and True in each:
            return sentence
    return ""


def _not_finite(name: str, seen: Any, right: Any) -> bool | None:
    """Whether a result is right but where it is not finite; None where that is not so, False where it cannot be told
    (as in all kinds here)."""
    if not _numbers(seen, right) or seen.shape != right.shape or not bool(right.isfinite().all()):
        return None
    finite = seen.isfinite()
    return None if bool(finite.all()) or not _close(seen[finite], right[finite], 1e-3) else True


def _axes_of_one(name: str, seen: Any, right: Any) -> bool | None:
    """Whether a result has axes of size one that nobody asked for, and is right but for them."""
    if isinstance(right, str) and isinstance(seen, str) and name.endswith(", form"):
        return False if lacks_ones(right, seen) else None
    if not (isinstance(seen, Tensor) and isinstance(right, Tensor)) or seen.ndim <= right.ndim:
        return None
    if seen.is_complex() or right.is_complex():
        return None
    if [n for n in seen.shape if n != 1] != [n for n in right.shape if n != 1]:
        return None
    return True if _close(seen.flatten(), right.flatten(), 1e-3) else None


def _other_places(name: str, seen: Any, right: Any) -> bool | None:
    """Whether a result has all the right numbers, and some of them stand in other places."""
    if name.endswith(", numbers"):  # weighted sums, which rest on the places
        return False
    if not _numbers(seen, right) or seen.shape != right.shape:
        return None
    a, b = (x.flatten().sort().values for x in (seen, right))
    if not _close(a, b, 1e-4):
        return None
    return len(right.unique()) >= FEW


def _one_factor(name: str, seen: Any, right: Any) -> bool | None:
    """Whether all numbers of a result are too large, or too small, by one factor."""
    if not _numbers(seen, right) or seen.shape != right.shape or not seen.numel():
        return None
    a, b = seen.double().flatten(), right.double().flatten()
    if not bool(a.isfinite().all() and b.isfinite().all()):
        return None
    largest = b.abs().argmax()
    factor = a[largest] / b[largest]
    if not bool(factor.isfinite()) or abs(float(factor)) < 1e-3:  # of zeros there is none
        return None
    if not torch.allclose(a, factor * b, 1e-3, 1e-4 * float(a.abs().max())):
        return None
    return int((b.abs() > 0.01 * b.abs().max()).sum()) >= FEW


def _close(seen: Tensor, right: Tensor, rtol: float) -> bool:
    """Whether numbers are the same beside the largest of them, however small all of them are."""
    a, b = seen.double(), right.double()
    largest = float(b[b.isfinite()].abs().max()) if bool(b.isfinite().any()) else 0.0
    return torch.allclose(a, b, rtol, 0.1 * rtol * largest)


def _numbers(seen: Any, right: Any) -> bool:
    """Whether both are tensors of numbers of one kind, whole or not, and neither of truth values."""
    both = isinstance(seen, Tensor) and isinstance(right, Tensor)
    if not both or seen.is_floating_point() is not right.is_floating_point():
        return False
    return all(x.dtype != torch.bool and not x.is_complex() for x in (seen, right))


KINDS: tuple[tuple[Callable[[str, Any, Any], bool | None], str], ...] = (
    (
        _not_finite,
        "Where it is finite it is right. Look for the exponential of a large number, which is infinite, the logarithm "
        "of zero, and zero divided by zero or times infinity, which is NaN.",
    ),
    (
        _axes_of_one,
        "The numbers are right, with an axis of size one too many: `unsqueeze`, `keepdim`, or a slice where an index "
        "takes the axis away, leaves one.",
    ),
    (
        _other_places,
        "All the numbers are right, and some stand in other places: look for axes that are exchanged, or that "
        "`view` and `reshape` cannot exchange, and for an order that has to be put back.",
    ),
    (
        _one_factor,
        "All the numbers are off by one and the same factor: look at what they are multiplied with or divided by, as a "
        "scale, or the count of a mean.",
    ),
)
