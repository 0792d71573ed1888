# %% wrong: the box's last column of cells is one too far
# right // cell is taken for the last column that the box touches (and bottom // cell for the last row).
# Promise: a common edge or corner is not enough. Shows where the right or bottom edge lies on a cell line: box 0..4, cell 4, most weight on cell 1.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    top_cell = weights.argmax(dim=2)
    row, column = top_cell // columns, top_cell % columns
    left, top, right, bottom = (boxes // cell).unbind(dim=2)
    hit = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)
    return hit[named].double().mean().item()


# %% wrong: a corner of the cell has to lie in the box
# Four corners are tried, each strictly inside the box.
# Promise: any shared area is a hit, however little. Shows for a box inside one cell, or exactly one cell, or flatter than one.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits, count = 0, 0
    for b in range(weights.shape[0]):
        for t in range(weights.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if left < 0:
                continue
            count += 1
            row, column = divmod(int(weights[b, t].argmax()), columns)
            corners = [(x, y) for x in (cell * column, cell * (column + 1)) for y in (cell * row, cell * (row + 1))]
            hits += any(left < x < right and top < y < bottom for x, y in corners)
    if count == 0:
        raise ValueError("no token names anything")
    return hits / count


# %% wrong: a box at the picture's edge names nothing
# Named are the tokens whose four numbers are all greater than 0.
# Promise: edges are 0 or more, and only -1 four times names nothing. Shows for a box with left 0 or top 0.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes > 0).all(dim=2)
    if not bool(named.any()):
        raise ValueError("no token of this batch names an object")
    best = weights.argmax(dim=2)[named]
    x, y = best % columns * cell, best // columns * cell
    left, top, right, bottom = boxes[named].T
    hit = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top)
    return hit.sum().item() / len(hit)


# %% wrong: the mean over pictures of each picture's share
# First the share of each picture that names something, then their mean.
# Promise: the share of hits among the TOKENS that name something. Shows where pictures name differently many: one of 1 hit, one of 3 misses.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).all(dim=-1)
    if not named.any():
        raise ValueError("there is nothing to point at")
    n = weights.argmax(dim=-1)
    x, y = cell * (n % columns), cell * torch.div(n, columns, rounding_mode="floor")
    over = (x < boxes[..., 2]) & (boxes[..., 0] < x + cell)
    hit = over & (y < boxes[..., 3]) & (boxes[..., 1] < y + cell) & named
    count = named.sum(dim=1)
    share = hit.sum(dim=1)[count > 0] / count[count > 0]
    return float(share.mean())


# %% correct: common pixels by ranges, one token after the other

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    verdicts = []
    for row_of_weights, box in zip(weights.flatten(0, 1).tolist(), boxes.flatten(0, 1).tolist(), strict=True):
        if box == [-1, -1, -1, -1]:
            continue
        n = max(range(len(row_of_weights)), key=row_of_weights.__getitem__)
        left, top, right, bottom = box
        x, y = n % columns * cell, n // columns * cell
        across = range(max(left, x), min(right, x + cell))
        down = range(max(top, y), min(bottom, y + cell))
        verdicts.append(len(across) > 0 and len(down) > 0)
    if not verdicts:
        raise ValueError("no token names anything")
    return sum(verdicts) / len(verdicts)


# %% correct: the shared area with every cell of the grid, and a lookup

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes.ne(-1).any(dim=2)
    total = int(named.sum())
    if total == 0:
        raise ValueError("no token names anything")
    n = torch.arange(weights.shape[2], device=boxes.device)
    begin = torch.stack((n % columns, torch.div(n, columns, rounding_mode="floor")), dim=1) * cell  # (N, 2): x, y
    low = torch.maximum(begin, boxes[:, :, None, :2])  # (B, T, N, 2)
    high = torch.minimum(begin + cell, boxes[:, :, None, 2:])
    area = (high - low).clamp(min=0).prod(dim=3)
    under = area.gather(2, weights.argmax(dim=2, keepdim=True)).squeeze(2)
    return int(((under > 0) & named).sum()) / total
