"""Where in a tensor the numbers are that are not right, in words: a fact that needs no guess at the mistake."""

from __future__ import annotations

from torch import Tensor

FEW = 4  # numbers, of which fewer say nothing by their places
NAMED = 2  # places of an axis that are named one by one
LONGEST = 64  # numbers in a row, of which more are gradients or weights laid end to end, where a place means nothing


def where(wrong: Tensor) -> str:
    """A sentence on where the wrong numbers of a result are, given which are wrong (any shape, truth values): what
    they have in common along one axis, or beside the diagonal of the last two. "" where nothing can be said."""
    if wrong.numel() < FEW or (wrong.ndim == 1 and len(wrong) > LONGEST):
        return ""
    if bool(wrong.all()) or not bool(wrong.any()):
        return ""
    if beside := _beside_the_diagonal(wrong):
        return f"All that differs is {beside} the diagonal of the last two axes."
    said = {axis: _along(wrong, axis) for axis in range(wrong.ndim)}
    share = {axis: float(_of_axis(wrong, axis).double().mean()) for axis, words in said.items() if words}
    if not share:
        return ""
    axis = min(share, key=lambda axis: (share[axis], -axis))
    return f"All that differs is {said[axis]} (places count from 0)."


def _of_axis(wrong: Tensor, axis: int) -> Tensor:
    """At which places of an axis anything is wrong."""
    return wrong.movedim(axis, 0).flatten(1).any(1) if wrong.ndim > 1 else wrong


def _along(wrong: Tensor, axis: int) -> str:
    """What the wrong places of an axis have in common; "" where they are all, or too many."""
    off = _of_axis(wrong, axis)
    places, size = off.nonzero().flatten().tolist(), len(off)
    if len(places) == size or size < 2:
        return ""
    first, last = places[0], places[-1]
    of_it = "" if wrong.ndim == 1 else f" of axis {axis}"
    in_a_row = len(places) == last - first + 1
    if len(places) == 1:
        return f"at the last place{of_it}" if first == size - 1 and size > 2 else f"at place {first}{of_it}"
    if in_a_row and last == size - 1:
        return f"at place {first}{of_it} and after it"
    if in_a_row and first == 0:
        return f"before place {last + 1}{of_it}"
    return f"at places {first} and {last}{of_it}" if len(places) <= NAMED else ""


def _beside_the_diagonal(wrong: Tensor) -> str:
    """On which side of the diagonal of the last two axes, which are alike, all that is wrong is; "" where on both."""
    if wrong.ndim < 2 or wrong.shape[-1] != wrong.shape[-2] or wrong.shape[-1] < 3:
        return ""
    off = wrong.flatten(0, -3).any(0) if wrong.ndim > 2 else wrong
    row, column = off.nonzero().unbind(1)
    for words, holds in (("on", row == column), ("above", row < column), ("below", row > column)):
        if bool(holds.all()) and len(row) > 1:
            return words
    return ""
