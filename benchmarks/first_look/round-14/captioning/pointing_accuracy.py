# %% wrong: the right edge counted in
# Turns the box into whole cells, left // cell to right // cell, both counted in. Shows where the right or lower edge
# lies exactly between two cells: the next cell, which shares an edge only, counts as a hit.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    top_cell = weights.argmax(dim=2)
    row, column = top_cell // columns, top_cell % columns
    left, top, right, bottom = (boxes // cell).unbind(dim=2)
    hits = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)

    if not named.any():
        raise ValueError("no token names anything")
    return hits[named].double().mean().item()


# %% wrong: a box at the edge names nothing
# Takes left > 0 for "names something". Shows for a box that begins at pixel 0 from the left: it counts nowhere, and
# alone it raises a ValueError.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    left, top, right, bottom = boxes.unbind(dim=2)
    named = left > 0
    top_cell = weights.argmax(dim=2)
    y, x = cell * (top_cell // columns), cell * (top_cell % columns)
    hits = (left < x + cell) & (x < right) & (top < y + cell) & (y < bottom)

    if not named.any():
        raise ValueError("no token names anything")
    return hits[named].double().mean().item()


# %% wrong: the cell's corner in the box
# Asks whether the cell's upper left pixel lies in the box. Shows where the box begins inside the cell, as most do: the
# two overlap, and it is counted as a miss.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    left, top, right, bottom = boxes.unbind(dim=2)
    named = left >= 0
    top_cell = weights.argmax(dim=2)
    y, x = cell * (top_cell // columns), cell * (top_cell % columns)
    hits = (left <= x) & (x < right) & (top <= y) & (y < bottom)

    if not named.any():
        raise ValueError("no token names anything")
    return hits[named].double().mean().item()


# %% wrong: every grid a square
# Takes the square root of N for the number of columns and leaves `columns` unread. Shows for grids that are not square,
# such as 2 rows of 3: most cells land in another place.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    left, top, right, bottom = boxes.unbind(dim=2)
    named = left >= 0
    side = int(weights.shape[2] ** 0.5)
    top_cell = weights.argmax(dim=2)
    y, x = cell * (top_cell // side), cell * (top_cell % side)
    hits = (left < x + cell) & (x < right) & (top < y + cell) & (y < bottom)

    if not named.any():
        raise ValueError("no token names anything")
    return hits[named].double().mean().item()


# %% correct: the pixels of both as ranges

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits, asked = 0, 0
    for rows, places in zip(weights.tolist(), boxes.tolist(), strict=True):
        for row, (left, top, right, bottom) in zip(rows, places, strict=True):
            if left < 0:
                continue
            asked += 1
            down, across = divmod(row.index(max(row)), columns)
            x = range(max(left, across * cell), min(right, (across + 1) * cell))
            y = range(max(top, down * cell), min(bottom, (down + 1) * cell))
            hits += len(x) > 0 and len(y) > 0
    if asked == 0:
        raise ValueError("no token names anything")
    return hits / asked


# %% correct: a mask of each box's cells, read at the largest weight

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    b, t = (boxes >= 0).all(dim=2).nonzero(as_tuple=True)
    if len(b) == 0:
        raise ValueError("boxes name no object at all")
    first = boxes[b, t, :2].div(cell, rounding_mode="floor")  # the first column and row that it touches
    behind = -(-boxes[b, t, 2:]).div(cell, rounding_mode="floor")  # the first ones that it does not
    n = torch.arange(weights.shape[2], device=weights.device)
    places = torch.stack([n % columns, n // columns], dim=1)  # (N, 2)
    covered = ((first[:, None] <= places) & (places < behind[:, None])).all(dim=2)
    best = weights[b, t].max(dim=1, keepdim=True).indices
    return covered.gather(1, best).sum().item() / len(b)
