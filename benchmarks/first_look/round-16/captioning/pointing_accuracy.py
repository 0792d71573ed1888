# %% wrong: looks for a corner of the box in the cell
# A hit needs one of the box's corners inside the cell. A box of three by three cells whose middle cell has most weight is missed.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).all(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    top = weights.argmax(dim=2)[named]
    left, upper, right, lower = boxes[named].unbind(dim=1)
    x, y = top % columns * cell, top // columns * cell
    hits = torch.zeros_like(top, dtype=torch.bool)
    for corner_x in (left, right - 1):
        for corner_y in (upper, lower - 1):
            hits |= (x <= corner_x) & (corner_x < x + cell) & (y <= corner_y) & (corner_y < y + cell)
    return hits.double().mean().item()


# %% wrong: a box at the left edge names nothing
# Only boxes with left > 0 count; an object at pixel 0 is dropped like a -1. Shows for a box whose left edge is 0.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] > 0
    if not named.any():
        raise ValueError("no token names anything")
    top = weights.argmax(dim=2)
    x, y = top % columns * cell, top // columns * cell
    left, upper, right, lower = boxes.unbind(dim=2)
    hits = (x < right) & (left < x + cell) & (y < lower) & (upper < y + cell)
    return hits[named].double().mean().item()


# %% wrong: edges divided down to cells, both ends included
# right // cell and bottom // cell are taken as the last cells of the box: a box that ends exactly where a cell begins
# counts that cell as a hit, though they share an edge only.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] != -1
    if not named.any():
        raise ValueError("no token names anything")
    top = weights.argmax(dim=2)
    row, column = top // columns, top % columns
    left, upper, right, lower = (boxes // cell).unbind(dim=2)
    hits = (left <= column) & (column <= right) & (upper <= row) & (row <= lower)
    return hits[named].double().mean().item()


# %% wrong: boxes beyond the grid are left out
# A box that reaches beyond the right or lower edge is treated as one that names nothing. Shows for such a box, which the
# text allows (alone, it even raises ValueError).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    rows = weights.shape[2] // columns
    inside = (boxes[..., 2] <= columns * cell) & (boxes[..., 3] <= rows * cell)
    named = (boxes[..., 0] >= 0) & inside
    if not named.any():
        raise ValueError("no token names anything")
    top = weights.argmax(dim=2)
    x, y = top % columns * cell, top // columns * cell
    left, upper, right, lower = boxes.unbind(dim=2)
    hits = (x < right) & (left < x + cell) & (y < lower) & (upper < y + cell)
    return hits[named].double().mean().item()


# %% correct: ranges of cells in plain Python

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = tokens = 0
    for looks, edges in zip(weights.flatten(0, 1).tolist(), boxes.reshape(-1, 4).tolist(), strict=True):
        left, upper, right, lower = edges
        if left == -1:
            continue
        tokens += 1
        row, column = divmod(looks.index(max(looks)), columns)
        across = range(left // cell, (right - 1) // cell + 1)
        down = range(upper // cell, (lower - 1) // cell + 1)
        hits += column in across and row in down
    if tokens == 0:
        raise ValueError("no token names anything")
    return hits / tokens


# %% correct: shared area of every cell with every box

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[:, :, 0] >= 0
    count = int(named.sum())
    if count == 0:
        raise ValueError("no token names anything")
    places = torch.arange(weights.shape[2], device=weights.device)
    begins = torch.stack([places % columns, places // columns], dim=1) * cell  # (N, 2): x, y
    low = torch.maximum(boxes[named][:, None, :2], begins)
    high = torch.minimum(boxes[named][:, None, 2:], begins + cell)
    area = (high - low).clamp(min=0).prod(dim=2)  # (count, N)
    most = weights[named].topk(1, dim=1).indices
    return int((area.gather(1, most) > 0).sum()) / count
