# %% wrong: a common edge is a hit
# <= instead of <: a box that only touches the cell counts.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    left, top = best % columns * cell, best // columns * cell
    hit = (left <= boxes[..., 2]) & (boxes[..., 0] <= left + cell) & (top <= boxes[..., 3]) & (boxes[..., 1] <= top + cell)
    return hit[named].double().mean().item()

# %% wrong: the middle of the cell
# Asks for the middle of the cell in the box: a small box in a corner of the cell is missed.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    left, top = best % columns * cell, best // columns * cell
    x, y = left + cell / 2, top + cell / 2
    hit = (boxes[..., 0] <= x) & (x < boxes[..., 2]) & (boxes[..., 1] <= y) & (y < boxes[..., 3])
    return hit[named].double().mean().item()

# %% wrong: row and column swapped
# left from the row, top from the column; shows for any cell off the diagonal.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    top, left = best % columns * cell, best // columns * cell
    hit = (left < boxes[..., 2]) & (boxes[..., 0] < left + cell) & (top < boxes[..., 3]) & (boxes[..., 1] < top + cell)
    return hit[named].double().mean().item()

# %% wrong: an edge at 0 names nothing
# Asks for left > 0: objects at the left border do not count.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] > 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    left, top = best % columns * cell, best // columns * cell
    hit = (left < boxes[..., 2]) & (boxes[..., 0] < left + cell) & (top < boxes[..., 3]) & (boxes[..., 1] < top + cell)
    return hit[named].double().mean().item()

# %% correct: the area of overlap

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    left, top = best % columns * cell, best // columns * cell
    width = torch.minimum(left + cell, boxes[..., 2]) - torch.maximum(left, boxes[..., 0])
    height = torch.minimum(top + cell, boxes[..., 3]) - torch.maximum(top, boxes[..., 1])
    area = width.clamp(min=0) * height.clamp(min=0)
    return int((area[named] > 0).sum()) / int(named.sum())

# %% correct: plain numbers, cells that the box covers

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = []
    for row, own in zip(weights.tolist(), boxes.tolist(), strict=True):
        for shares, (x0, y0, x1, y1) in zip(row, own, strict=True):
            if x0 == -1:
                continue
            r, c = divmod(shares.index(max(shares)), columns)
            hits.append(x0 // cell <= c <= (x1 - 1) // cell and y0 // cell <= r <= (y1 - 1) // cell)
    if not hits:
        raise ValueError("no token names anything")
    return sum(hits) / len(hits)

