"""Chapter 03: forms of `pointing_accuracy`, wrong and right, published for the exercise that asks for its test."""

import torch
from torch import Tensor


def _score(
    weights: Tensor,
    boxes: Tensor,
    columns: int,
    cell: int,
    *,
    swapped: bool = False,
    reach: str = "overlap",
    named: str = "all of it",
    over: str = "words",
) -> float:
    """A measure of pointing that can be made wrong in one place at a time."""
    names = boxes[..., 2] > (0 if named == "past the left edge" else boxes[..., 0])
    if named == "past the left edge":
        names = names & (boxes[..., 0] > 0)
    if not names.any():
        raise ValueError("no token names an object")
    top = weights.argmax(dim=2)
    across, down = (top // columns, top % columns) if swapped else (top % columns, top // columns)
    x, y = across * cell, down * cell
    left, upper, right, lower = boxes.unbind(dim=2)
    if reach == "edges too":
        hits = (x <= right) & (x + cell >= left) & (y <= lower) & (y + cell >= upper)
    elif reach == "its center":
        a, b = x + cell / 2, y + cell / 2
        hits = (a > left) & (a < right) & (b > upper) & (b < lower)
    else:
        hits = (x < right) & (x + cell > left) & (y < lower) & (y + cell > upper)
    hits = hits & names
    if over == "captions":
        counted = names.any(dim=1)
        return (hits.sum(1)[counted] / names.sum(1)[counted]).double().mean().item()
    return hits.sum().item() / (names.numel() if named == "nothing of it" else names.sum().item())


def swapped(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Takes a row for a column."""
    return _score(weights, boxes, columns, cell, swapped=True)


def touching(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Takes a common edge for an overlap."""
    return _score(weights, boxes, columns, cell, reach="edges too")


def centered(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Wants the cell's center inside the box."""
    return _score(weights, boxes, columns, cell, reach="its center")


def nameless(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Counts words that name nothing as misses."""
    return _score(weights, boxes, columns, cell, named="nothing of it")


def by_caption(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Takes the mean over captions of each caption's share."""
    return _score(weights, boxes, columns, cell, over="captions")


def past_the_edge(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Leaves out objects at the left edge of the picture."""
    return _score(weights, boxes, columns, cell, named="past the left edge")


# By the names that the wrong answers of exercise 3.4 have.
POINTING_ACCURACY = {
    "rows and columns are swapped": swapped,
    "a common edge counts": touching,
    "the cell's center must be in the box": centered,
    "words that name nothing count as misses": nameless,
    "the mean over captions": by_caption,
    "an object at the left edge is left out": past_the_edge,
}


def last_of_equals(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Right: where several cells have the largest weight, which one counts is not promised."""
    backwards = weights.shape[2] - 1 - weights.flip(2).argmax(dim=2)
    looks = torch.nn.functional.one_hot(backwards, weights.shape[2])
    return _score(looks, boxes, columns, cell)


def in_32_bits(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Right: the mean of 32-bit numbers, so that 2/3 is not the float 2/3; any -1 stands for no box."""
    named = (boxes >= 0).all(dim=2)
    if not named.any():
        raise ValueError
    hits = [
        float(_score(look.view(1, 1, -1), box.view(1, 1, 4), columns, cell))
        for look, box in zip(weights[named], boxes[named], strict=True)
    ]
    return torch.tensor(hits, dtype=torch.float32).mean().item()


# What a test must not refuse, beside the learner's own form.
RIGHT_POINTING_ACCURACY = {
    "the last of equal weights": last_of_equals,
    "a mean in 32 bits, and an error without words": in_32_bits,
}
