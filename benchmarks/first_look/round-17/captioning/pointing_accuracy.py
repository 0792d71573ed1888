# %% wrong: a corner of the cell must lie in the box
# Overlap is tested by the cell's four corners. A box within a cell, or one that crosses it like a bar, holds
# none of them. Shows for cell 4 with the most weight on cell 0 and the box (1, 1, 3, 3).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).all(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    top_cell = weights.argmax(dim=-1)
    x0, y0 = cell * (top_cell % columns), cell * (top_cell // columns)
    left, top, right, bottom = boxes.unbind(dim=-1)
    hits = torch.zeros_like(named)
    for x in (x0, x0 + cell - 1):
        for y in (y0, y0 + cell - 1):
            hits |= (left <= x) & (x < right) & (top <= y) & (y < bottom)
    return hits[named].double().mean().item()

# %% wrong: a box at the edge of the picture names nothing
# boxes > 0 where >= 0 was meant: a box whose left or top edge is 0 is left out of the count. Shows for a box
# such as (0, 4, 4, 8), and raises ValueError where it is the only one.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes > 0).all(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    looked = weights.argmax(dim=2)[named]
    left, top, right, bottom = boxes[named].T
    x, y = (looked % columns) * cell, looked.div(columns, rounding_mode="floor") * cell
    hits = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    return hits.double().mean().item()

# %% wrong: the box is cut to a square picture
# A box may reach beyond the grid, so all four edges are clamped to columns * cell, the width. On a grid with more
# rows than columns that cuts off boxes further down. Shows for columns 2, cell 4, N = 6 with the box (0, 8, 4, 12) and most weight on cell 4.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    left, top, right, bottom = boxes[named].clamp(max=columns * cell).unbind(dim=1)
    looked = weights[named].argmax(dim=1)
    x, y = cell * (looked % columns), cell * (looked // columns)
    width = torch.minimum(right, x + cell) - torch.maximum(left, x)
    height = torch.minimum(bottom, y + cell) - torch.maximum(top, y)
    return ((width > 0) & (height > 0)).double().mean().item()

# %% wrong: the cell behind the right edge
# The box's cells are those from left // cell to right // cell, both included. Where the right or lower edge is a
# multiple of the cell, that is one too many: cell 4 with the box (0, 0, 4, 4) and most weight on cell 1.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[:, :, 0] != -1
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    row, column = best // columns, best % columns
    first_column, first_row, last_column, last_row = (boxes // cell).unbind(dim=2)
    inside = (first_column <= column) & (column <= last_column) & (first_row <= row) & (row <= last_row)
    return (inside & named).sum().item() / named.sum().item()

# %% correct: sets of rows and columns that the box touches

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits, named = 0, 0
    for looks, owns in zip(weights.tolist(), boxes.tolist(), strict=True):
        for look, (left, top, right, bottom) in zip(looks, owns, strict=True):
            if left < 0:
                continue
            named += 1
            row, column = divmod(look.index(max(look)), columns)
            across = range(left // cell, (right - 1) // cell + 1)
            down = range(top // cell, (bottom - 1) // cell + 1)
            hits += column in across and row in down
    if named == 0:
        raise ValueError("no token names an object")
    return hits / named

# %% correct: paints which cells each box touches, then looks up the chosen ones

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes.amin(dim=-1) >= 0
    if int(named.sum()) == 0:
        raise ValueError("there is no token that names anything")
    owns = boxes[named].to(weights.device)  # (K, 4)
    shares = weights[named.to(weights.device)]  # (K, N)
    n = torch.arange(weights.shape[-1], device=weights.device)
    begin = torch.stack([n % columns, torch.div(n, columns, rounding_mode="trunc")], dim=-1) * cell
    low = torch.maximum(begin, owns[:, None, :2])  # (K, N, 2)
    high = torch.minimum(begin + cell, owns[:, None, 2:])
    touched = (high - low).clamp(min=0).prod(dim=-1) > 0  # (K, N)
    place = shares.sort(dim=-1, descending=True).indices[:, :1]
    return float(touched.gather(1, place).to(torch.float64).mean())
