# %% wrong: the middle of the cell has to be in the box
# A cell that the box overlaps only at a corner, short of the cell's middle, is a hit too; here it is not: cell 0 of
# 4 x 4 pixels with the box (3, 3, 6, 6).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    x = (best % columns + 0.5) * cell
    y = (best // columns + 0.5) * cell
    left, top, right, bottom = boxes.unbind(dim=-1)
    inside = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
    return inside[named].double().mean().item()

# %% wrong: the last cell is right // cell
# The box is turned into cells from left // cell to right // cell, the last included. Where the right (or bottom) edge is a
# multiple of the cell, that cell only touches the box: cells of 4, box (0, 0, 4, 4), most weight on cell 1.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits, named = 0, 0
    for looks, places in zip(weights.argmax(dim=2).tolist(), boxes.tolist(), strict=True):
        for look, (left, top, right, bottom) in zip(looks, places, strict=True):
            if left < 0:
                continue
            named += 1
            row, column = divmod(look, columns)
            across = left // cell <= column <= right // cell
            down = top // cell <= row <= bottom // cell
            hits += across and down
    if named == 0:
        raise ValueError("no token names anything")
    return hits / named

# %% wrong: a box at the edge names nothing
# `(boxes > 0).all()` is meant to leave out the -1, and leaves out every box whose left or top edge is 0 as well.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes > 0).all(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)[named]
    left, top, right, bottom = boxes[named].unbind(dim=1)
    x, y = best % columns * cell, best // columns * cell
    hit = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    return hit.double().mean().item()

# %% wrong: the caller's boxes become cells
# The boxes are divided by the cell in place. The share is right, but boxes holds other numbers afterwards (for cell > 1),
# and the next call with them measures something else.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    boxes[..., 2:] += cell - 1
    boxes //= cell  # now in cells: the first one inside, and the first one behind
    best = weights.argmax(dim=2)
    row, column = best // columns, best % columns
    across = (boxes[..., 0] <= column) & (column < boxes[..., 2])
    down = (boxes[..., 1] <= row) & (row < boxes[..., 3])
    return (across & down)[named].double().mean().item()

# %% correct: the shared area

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    best = weights.max(dim=2).indices
    corner = torch.stack([best % columns, best.div(columns, rounding_mode="floor")], dim=2) * cell
    begin = torch.maximum(corner, boxes[..., :2])
    end = torch.minimum(corner + cell, boxes[..., 2:])
    area = (end - begin).clamp_min(0).prod(dim=2)
    names = boxes.amin(dim=2) >= 0
    count = int(names.sum())
    if count == 0:
        raise ValueError("no token of the batch names anything")
    return int(((area > 0) & names).sum()) / count

# %% correct: pixels that cell and box have in common

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    outcomes = []
    for sentence, places in zip(weights.tolist(), boxes.tolist(), strict=True):
        for row_of_weights, box in zip(sentence, places, strict=True):
            if box == [-1, -1, -1, -1]:
                continue
            row, column = divmod(row_of_weights.index(max(row_of_weights)), columns)
            left, top, right, bottom = box
            pixels_across = [x for x in range(column * cell, column * cell + cell) if x in range(left, right)]
            pixels_down = [y for y in range(row * cell, row * cell + cell) if y in range(top, bottom)]
            outcomes.append(len(pixels_across) > 0 and len(pixels_down) > 0)
    if not outcomes:
        raise ValueError("there is no token that names an object")
    return sum(outcomes) / len(outcomes)
