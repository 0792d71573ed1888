# %% wrong: looks only at the corners of the cell
# A cell counts as a hit where one of its corners lies inside the box. A small box in the middle of a cell, or a narrow
# one that runs through it, has no corner of the cell inside and is missed.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    named = (boxes != -1).any(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)[named]
    left, top, right, bottom = boxes[named].unbind(dim=-1)
    hit = torch.zeros(len(best), dtype=torch.bool)
    for down in (0, cell):
        for across in (0, cell):
            x = best % columns * cell + across
            y = best // columns * cell + down
            inside_x = (x > left) & (x < right) | (x == left) & (across == 0) | (x == right) & (across == cell)
            inside_y = (y > top) & (y < bottom) | (y == top) & (down == 0) | (y == bottom) & (down == cell)
            hit = hit | inside_x & inside_y
    return hit.double().mean().item()


# %% wrong: a box at the left or upper edge names nothing
# Tokens are counted only where all four numbers are greater than 0; objects whose box begins at pixel 0 are left out.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    named = (boxes > 0).all(dim=2)
    count = int(named.sum())
    if count == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    x, y = cell * (best % columns), cell * (best // columns)
    left, top, right, bottom = boxes.unbind(dim=2)
    hit = (left < x + cell) & (x < right) & (top < y + cell) & (y < bottom) & named
    return int(hit.sum()) / count


# %% wrong: the boxes are turned into cells in place
# The edges are changed from pixels to cells by an in-place division: the share is right, but the caller's boxes are
# other ones afterwards, and a second call gives another answer.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    named = boxes[..., 0] != -1
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    boxes[..., 2:] -= 1  # the last pixel inside
    boxes //= cell
    column, row = best % columns, best // columns
    hit = (column >= boxes[..., 0]) & (column <= boxes[..., 2]) & (row >= boxes[..., 1]) & (row <= boxes[..., 3])
    return (hit & named).sum().item() / named.sum().item()


# %% wrong: the width of the grid from the root of n
# columns is not used: the grid is taken to be square, as the course's pictures are. On any other grid the cells are in
# the wrong rows and columns.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    side = int(weights.shape[-1] ** 0.5)
    hits, total = 0, 0
    for b in range(weights.shape[0]):
        for t in range(weights.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if (left, top, right, bottom) == (-1, -1, -1, -1):
                continue
            row, column = divmod(int(weights[b, t].argmax()), side)
            total += 1
            across = column * cell < right and left < (column + 1) * cell
            down = row * cell < bottom and top < (row + 1) * cell
            hits += across and down
    if total == 0:
        raise ValueError("no token names anything")
    return hits / total


# %% wrong: each picture counts alike
# The share is taken picture by picture and then averaged over the pictures that name something, so that a token counts
# more in a picture with few of them.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    named = ~(boxes == -1).all(dim=-1)
    if not bool(named.any()):
        raise ValueError("no token names anything")
    n = weights.argmax(dim=-1)
    x0, y0 = (n % columns) * cell, (n // columns) * cell
    hit = (boxes[..., 0] < x0 + cell) & (boxes[..., 2] > x0) & (boxes[..., 1] < y0 + cell) & (boxes[..., 3] > y0)
    per_picture = (hit & named).sum(dim=1).double() / named.sum(dim=1).double()
    return per_picture.nanmean().item()


# %% correct: shared width times shared height, token by token

def _shared(a_from, a_to, b_from, b_to):
    return max(0, min(a_to, b_to) - max(a_from, b_from))


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    hits = []
    for looks, box in zip(weights.flatten(0, 1).tolist(), boxes.flatten(0, 1).tolist(), strict=True):
        if box == [-1, -1, -1, -1]:
            continue
        row, column = divmod(looks.index(max(looks)), columns)
        left, top, right, bottom = box
        wide = _shared(left, right, column * cell, (column + 1) * cell)
        high = _shared(top, bottom, row * cell, (row + 1) * cell)
        hits.append(wide * high > 0)
    if len(hits) == 0:
        raise ValueError("no token names anything")
    return sum(hits) / len(hits)


# %% correct: a map of the cells that each box covers

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names."""
    named = torch.logical_not(boxes.eq(-1).all(dim=-1))
    edges, looks = boxes[named], weights[named]  # (M, 4), (M, N)
    if len(edges) == 0:
        raise ValueError("no token names anything")
    places = torch.arange(looks.shape[1], device=boxes.device)
    begin = torch.stack([places % columns, places.div(columns, rounding_mode="floor")], dim=-1) * cell  # (N, 2)
    low = torch.maximum(begin, edges[:, None, :2])
    high = torch.minimum(begin + cell, edges[:, None, 2:])
    covered = (high > low).all(dim=-1)  # (M, N)
    hits = covered.gather(1, looks.argmax(dim=1, keepdim=True))
    return hits.count_nonzero().item() / len(edges)
