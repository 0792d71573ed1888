# %% wrong: the cell's middle has to be on the box
# A hit is a cell whose middle lies in the box; some shared area is enough. Shows for a box that covers a cell's edge
# only: cell 0 of 4 x 4 pixels and the box (3, 0, 8, 4).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    x = (best % columns + 0.5) * cell
    y = (best // columns + 0.5) * cell
    left, top, right, bottom = boxes.unbind(dim=-1)
    hits = (left <= x) & (x < right) & (top <= y) & (y < bottom)
    return hits[named].float().mean().item()


# %% wrong: a corner of the cell has to be in the box
# Overlap is tested by the cell's four corner pixels. Shows for a box within a cell of 4 x 4, (1, 1, 3, 3), and for a
# narrow one that crosses it: they share area with the cell and none of its corner pixels.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = named = 0
    for b in range(boxes.shape[0]):
        for t in range(boxes.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if left < 0:
                continue
            named += 1
            row, column = divmod(int(weights[b, t].argmax()), columns)
            xs = (column * cell, column * cell + cell - 1)
            ys = (row * cell, row * cell + cell - 1)
            hits += any(left <= x < right and top <= y < bottom for x in xs for y in ys)
    if named == 0:
        raise ValueError("no token names anything")
    return hits / named


# %% wrong: boxes at the picture's edge name nothing
# A token counts where all four edges are above 0; left or top may be 0. Shows for an object in the first column or row,
# and where all are there it raises.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes > 0).all(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)[named]
    left, top, right, bottom = boxes[named].unbind(dim=-1)
    x, y = best % columns * cell, best // columns * cell
    hits = (left < x + cell) & (x < right) & (top < y + cell) & (y < bottom)
    return hits.double().mean().item()


# %% wrong: the cell at the right edge is taken along
# The box is counted in cells, from left // cell to right // cell, both included. Where the box ends at a cell's border,
# as (0, 0, 4, 4) does, the next cell, which only touches it, is a hit.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[:, :, 0] != -1
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    row, column = best // columns, best % columns
    in_cells = torch.div(boxes, cell, rounding_mode="floor")
    hits = (in_cells[:, :, 0] <= column) & (column <= in_cells[:, :, 2])
    hits &= (in_cells[:, :, 1] <= row) & (row <= in_cells[:, :, 3])
    return (hits & named).sum().item() / named.sum().item()


# %% correct: is the largest weight of the box's cells the largest of all?

# All cells that overlap the box are marked; a hit is a token whose largest weight among them is its largest weight.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=-1)
    if not bool(named.any()):
        raise ValueError("no token names anything")
    looks, (left, top, right, bottom) = weights[named], boxes[named].unsqueeze(1).unbind(dim=-1)
    n = torch.arange(weights.shape[-1], device=boxes.device)
    x, y = (n % columns) * cell, torch.div(n, columns, rounding_mode="floor") * cell
    wide = torch.minimum(right, x + cell) - torch.maximum(left, x)
    high = torch.minimum(bottom, y + cell) - torch.maximum(top, y)
    on_it = (wide > 0) & (high > 0)  # (number of named tokens, N)
    at_best = looks == looks.amax(dim=1, keepdim=True)
    return (at_best & on_it).any(dim=1).sum().item() / len(looks)


# %% correct: ranges of cells in plain Python

# The box covers the columns from left // cell up to the one of its last pixel, right - 1, and the rows alike.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    best = weights.argmax(dim=-1).flatten().tolist()
    edges = boxes.reshape(-1, 4).tolist()
    hits = []
    for place, (left, top, right, bottom) in zip(best, edges, strict=True):
        if (left, top, right, bottom) == (-1, -1, -1, -1):
            continue
        in_column = place % columns in range(left // cell, (right - 1) // cell + 1)
        in_row = place // columns in range(top // cell, (bottom - 1) // cell + 1)
        hits.append(in_column and in_row)
    if not hits:
        raise ValueError("no token names anything")
    return hits.count(True) / len(hits)
