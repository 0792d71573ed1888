# %% wrong: a corner of the cell must lie in the box
# A box inside one cell, or a narrow one across it, holds none of the four corners and counts as a miss. For cell = 4, cell 0
# and the box (1, 1, 3, 3) are a hit.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    left, top, right, bottom = boxes.unbind(dim=-1)
    hit = torch.zeros_like(named)
    for dx in (0, cell - 1):
        for dy in (0, cell - 1):
            x = best % columns * cell + dx
            y = best // columns * cell + dy
            hit = hit | ((left <= x) & (x < right) & (top <= y) & (y < bottom))
    return hit[named].double().mean().item()


# %% wrong: the edge of the box is turned into a cell that it only touches
# `right // cell` is the cell behind a right edge that lies on the border of two cells. For cell = 4 and the box (0, 0, 4, 4)
# the cell in column 1 counts as a hit.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] != -1
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    row, column = best // columns, best % columns
    first_column, first_row, last_column, last_row = (boxes // cell).unbind(dim=2)
    hit = (first_column <= column) & (column <= last_column) & (first_row <= row) & (row <= last_row)
    return (hit & named).sum().item() / named.sum().item()


# %% wrong: an object at the left edge names nothing
# `left > 0` also drops boxes that begin at pixel 0. They do not count then; where they are the only ones, a ValueError is
# raised.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    left, top, right, bottom = boxes.unbind(dim=2)
    named = left > 0
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    x, y = best % columns * cell, best // columns * cell
    hit = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    return (hit & named).sum().item() / named.sum().item()


# %% wrong: the boxes are rounded to cells where they lie
# The share is right, but += and //= change the caller's boxes: they are in cells afterwards, and a second call gives another
# share (cell above 1).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    boxes[..., 2:] += cell - 1  # so that the division rounds right and bottom up
    boxes //= cell
    best = weights.argmax(dim=-1)
    row, column = best // columns, best % columns
    hit = (boxes[..., 0] <= column) & (column < boxes[..., 2]) & (boxes[..., 1] <= row) & (row < boxes[..., 3])
    return hit[named].double().mean().item()


# %% correct: pixels that two ranges share

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = []
    for rows_of_weights, rows_of_boxes in zip(weights.tolist(), boxes.tolist(), strict=True):
        for row, (left, top, right, bottom) in zip(rows_of_weights, rows_of_boxes, strict=True):
            if left < 0:
                continue
            down, across = divmod(max(range(len(row)), key=row.__getitem__), columns)
            shared_x = range(max(left, across * cell), min(right, (across + 1) * cell))
            shared_y = range(max(top, down * cell), min(bottom, (down + 1) * cell))
            hits.append(len(shared_x) > 0 and len(shared_y) > 0)
    if not hits:
        raise ValueError("no token names anything")
    return sum(hits) / len(hits)


# %% correct: the area that each cell shares with the box, then the one of the best cell

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    b, t = (boxes != -1).all(dim=2).nonzero(as_tuple=True)
    if b.numel() == 0:
        raise ValueError("no token names anything")
    corner = boxes[b, t].unsqueeze(1)  # (n, 1, 4)
    n = torch.arange(weights.shape[2], device=boxes.device)
    begin = cell * torch.stack([n % columns, n.div(columns, rounding_mode="floor")], dim=1)  # (N, 2): x and y
    width = torch.minimum(corner[..., 2:], begin + cell) - torch.maximum(corner[..., :2], begin)
    area = width.clamp(min=0).prod(dim=2)  # (n, N)
    best = weights[b, t].topk(1, dim=1).indices.to(area.device)
    return float((area.gather(1, best) > 0).double().mean())
