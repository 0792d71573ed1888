# %% wrong: row and column mixed up
# x comes from n // columns and y from n % columns, so the cell lies at the mirrored place.
# Hint: cell 1 of the grid lies beside cell 0, not under it; which of its coordinates is larger?

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    x = (best // columns) * cell
    y = (best % columns) * cell
    left, top, right, bottom = boxes.unbind(dim=2)
    hit = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top)
    return hit[named].double().mean().item()


# %% wrong: touching counts
# With <= and >= a cell that has only an edge or a corner in common with the box is a hit, which the docstring excludes.
# Hint: a box that ends at pixel 8 and a cell that begins at pixel 8: how large is the area they share?

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=-1)
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    row, column = best // columns, best % columns
    left, top, right, bottom = boxes[..., 0], boxes[..., 1], boxes[..., 2], boxes[..., 3]
    across = (column * cell <= right) & ((column + 1) * cell >= left)
    down = (row * cell <= bottom) & ((row + 1) * cell >= top)
    return ((across & down & named).sum() / named.sum()).item()


# %% wrong: the middle of the cell must be in the box
# A hit is counted only where the centre of the cell lies in the box: a cell that the box just reaches into is missed, though they share some area.
# Hint: "however little"; let a box reach one pixel into the cell.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = ~(boxes == -1).all(dim=-1)
    if not named.any():
        raise ValueError("none of the tokens names an object")
    best = weights.argmax(dim=-1)[named]
    x = (best % columns + 0.5) * cell
    y = (best // columns + 0.5) * cell
    left, top, right, bottom = boxes[named].unbind(dim=1)
    inside = (left < x) & (x < right) & (top < y) & (y < bottom)
    return inside.float().mean().item()


# %% wrong: the boxes are turned into cells in place
# The share is right, but boxes[..., 2:] -= 1 and //= change the caller's tensor: it holds cells afterwards, and a second call is wrong.
# Hint: call it twice with the same boxes.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    boxes[..., 2:] -= 1  # the last pixel that belongs to the box
    boxes //= cell
    first_column, first_row, last_column, last_row = boxes.unbind(dim=-1)
    best = weights.argmax(dim=-1)
    row, column = best // columns, best % columns
    hit = (first_column <= column) & (column <= last_column) & (first_row <= row) & (row <= last_row)
    return hit[named].double().mean().item()


# %% correct: token by token

def _shared(a_from, a_to, b_from, b_to):
    return max(0, min(a_to, b_to) - max(a_from, b_from))


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = []
    for row_of_weights, row_of_boxes in zip(weights, boxes, strict=True):
        for shares, box in zip(row_of_weights, row_of_boxes.tolist(), strict=True):
            if box == [-1, -1, -1, -1]:
                continue
            row, column = divmod(int(shares.argmax()), columns)
            left, top, right, bottom = box
            width = _shared(column * cell, (column + 1) * cell, left, right)
            height = _shared(row * cell, (row + 1) * cell, top, bottom)
            hits.append(width * height > 0)
    if not hits:
        raise ValueError("no token names anything: all boxes are -1")
    return sum(hits) / len(hits)


# %% correct: a map of the cells that each box covers

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes.ne(-1).any(dim=-1)
    count = int(named.sum())
    if count == 0:
        raise ValueError("no box at all")
    n = torch.arange(weights.shape[-1], device=boxes.device)
    x, y = cell * (n % columns), cell * torch.div(n, columns, rounding_mode="floor")
    left, top, right, bottom = (edge.unsqueeze(-1) for edge in boxes.unbind(dim=-1))
    width = torch.minimum(x + cell, right) - torch.maximum(x, left)
    height = torch.minimum(y + cell, bottom) - torch.maximum(y, top)
    covered = (width > 0) & (height > 0)
    looked = F.one_hot(weights.argmax(dim=-1), weights.shape[-1]).bool().to(boxes.device)
    return float((looked & covered).any(dim=-1)[named].sum().item() / count)
