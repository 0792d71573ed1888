# %% wrong: rows and columns are swapped
# Rows and columns are exchanged: either the cell's number was taken apart the wrong way round (cells are numbered row by
# row, so the remainder after division by `columns` is the column), or boxes were read as top, left, bottom, right. They
# are left, top, right, bottom.

# --- before
    x, y = top % columns * cell, top // columns * cell
# --- after
    y, x = top % columns * cell, top // columns * cell

# %% wrong: the cell's center must be in the box
# A cell counted only where its center lies in the box, so cells that overlap an edge of the object are lost. Any area
# in common is enough.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    hits = (x + cell / 2 > left) & (x + cell / 2 < right) & (y + cell / 2 > top_edge) & (y + cell / 2 < bottom)

# %% wrong: a common edge counts
# A cell that only touches the box was counted as a hit. The right and bottom edges lie just past the last pixel, so
# two that share an edge share no pixel.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    hits = (x <= right) & (x + cell >= left) & (y <= bottom) & (y + cell >= top_edge)

# %% wrong: the whole cell must be in the box
# A cell counted only where it lies in the box completely. Any area in common is enough.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    hits = (x >= left) & (x + cell <= right) & (y >= top_edge) & (y + cell <= bottom)

# %% wrong: the cell's top left corner must be in the box
# A cell counted only where its top left corner lies in the box. Compare each edge of the cell with the opposite edge
# of the box.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    hits = (x >= left) & (x < right) & (y >= top_edge) & (y < bottom)

# %% wrong: words that name nothing count as misses
# The hits were divided by the number of all words. Those that name nothing count nowhere: divide by the number of
# those that name something.

# --- before
    return (hits & names).sum().item() / names.sum().item()
# --- after
    return (hits & names).sum().item() / names.numel()

# %% wrong: an object at the left edge is left out
# A box whose left edge is 0 was taken for none. 0 is an edge like any other; -1 stands for no box.

# --- before
    names = boxes[..., 2] > boxes[..., 0]
# --- after
    names = boxes[..., 0] > 0

# %% wrong: the mean over captions
# Each caption's share was made first, and then their mean, so a word in a caption that names little counts more. Count
# all words together.

# --- before
    return (hits & names).sum().item() / names.sum().item()
# --- after
    kept = names.any(dim=1)
    return ((hits & names).sum(1)[kept] / names.sum(1)[kept]).mean().item()

# %% wrong: the weight on the object instead of the top cell
# This is the mean weight on the object: a good measure too, but another one. The docstring asks how often the single
# most weighted cell lies on it.

def pointing_accuracy(weights, boxes, columns, cell):
    names = boxes[..., 2] > boxes[..., 0]
    if not names.any():
        raise ValueError("no names")
    n = torch.arange(weights.shape[2], device=weights.device)
    x, y = n % columns * cell, n // columns * cell
    left, top, right, bottom = (edge.unsqueeze(2) for edge in boxes.unbind(2))
    inside = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top)
    return ((weights * inside).sum(2)[names]).mean().item()

# %% wrong: the boxes are read as corner and size
# The third and fourth numbers were read as width and height. They are the right and the bottom edge.

# --- before
    left, top_edge, right, bottom = boxes.unbind(dim=2)
# --- after
    left, top_edge, right, bottom = boxes.unbind(dim=2)
    right, bottom = left + right, top_edge + bottom

# %% wrong: zero where nothing is named
# Where no word names anything there is no share: 0 would say that all looked wrong. Raise ValueError.

# --- before
        raise ValueError(f"none of the {names.numel()} tokens names an object")
# --- after
        return 0.0

# %% wrong: no error of its own where nothing is named
# Where no word names anything, Python complains of a division by zero. Raise ValueError before it comes to that.

# --- before
    if not names.any():
        raise ValueError(f"none of the {names.numel()} tokens names an object")
# --- after

# %% wrong: a tensor in the float's place
# The share is right, but it is a tensor. The docstring promises a Python float.

# --- before
    return (hits & names).sum().item() / names.sum().item()
# --- after
    return (hits & names).sum() / names.sum()

# %% wrong: rows are counted from the bottom
# The rows were counted from the bottom of the picture. Row 0 is at the top, and so is pixel 0.

# --- before
    x, y = top % columns * cell, top // columns * cell
# --- after
    x, y = top % columns * cell, top // columns * cell
    y = weights.shape[2] // columns * cell - cell - y

# %% wrong: a cell one pixel too small
# A box that shares only the cell's last column or row of pixels was missed: the cell was taken to end at its last
# pixel. Like the box's, its far edge lies just past it.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    hits = (x < right) & (x + cell - 1 > left) & (y < bottom) & (y + cell - 1 > top_edge)

# %% wrong: only the cell's corners are looked at
# A box that lies inside the cell was missed: none of the cell's corners is in it. Compare the edges instead.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    hits = torch.zeros_like(names)
    for a in (x, x + cell - 1):
        for b in (y, y + cell - 1):
            hits |= (a >= left) & (a < right) & (b >= top_edge) & (b < bottom)

# %% wrong: a corner of the one must lie in the other
# A cell and a box may cross like two stripes: they share some area, and no corner of the one lies in the other. Compare
# the edges along each axis by itself.

# --- before
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
# --- after
    def an_end_within(a, b, c, d):
        return ((a >= c) & (a < d)) | ((b > c) & (b <= d))

    hits = an_end_within(x, x + cell, left, right) & an_end_within(y, y + cell, top_edge, bottom)
    hits |= an_end_within(left, right, x, x + cell) & an_end_within(top_edge, bottom, y, y + cell)

# %% wrong: one look for the whole caption
# One cell was taken for all the words of a caption, the one with the largest weight of all. Each word has its own.

# --- before
    top = weights.argmax(dim=2)  # (B, T)
# --- after
    top = (weights.flatten(1).argmax(dim=1) % weights.shape[2]).unsqueeze(1)  # (B, T)

# %% wrong: the grid is taken for a square
# The columns were counted as the root of the number of cells. A grid may be wider than high: `columns` is given.

# --- before
    x, y = top % columns * cell, top // columns * cell
# --- after
    columns = round(weights.shape[2] ** 0.5)
    x, y = top % columns * cell, top // columns * cell

# %% correct: loops
def pointing_accuracy(weights, boxes, columns, cell):
    hits, named = 0, 0
    for b in range(len(weights)):
        for t in range(weights.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if left < 0:
                continue
            named += 1
            row, column = divmod(int(weights[b, t].argmax()), columns)
            across = max(0, min(right, cell * column + cell) - max(left, cell * column))
            down = max(0, min(bottom, cell * row + cell) - max(top, cell * row))
            hits += across * down > 0
    if named == 0:
        raise ValueError("no word names anything")
    return hits / named

# %% correct: edges turned into cells
def pointing_accuracy(weights, boxes, columns, cell):
    named = boxes[..., 0] != -1
    if not bool(named.any()):
        raise ValueError("no object")
    top = weights.argmax(-1)[named]
    box = boxes[named]
    first_column, first_row = box[:, 0] // cell, box[:, 1] // cell
    last_column, last_row = (box[:, 2] - 1) // cell, (box[:, 3] - 1) // cell
    column, row = top % columns, top // columns
    inside = (column >= first_column) & (column <= last_column) & (row >= first_row) & (row <= last_row)
    return float(inside.float().mean())

# %% correct: areas, over the named words alone
def pointing_accuracy(weights, boxes, columns, cell):
    named = boxes[..., 0] != -1
    looks, box = weights[named], boxes[named]
    if len(box) == 0:
        raise ValueError
    n = looks.max(1).indices
    corner = torch.stack([n % columns, n.div(columns, rounding_mode="floor")], 1) * cell
    sides = (torch.minimum(box[:, 2:], corner + cell) - torch.maximum(box[:, :2], corner)).clamp(min=0)
    return float((sides.prod(1) > 0).float().mean())

# %% correct: the last of equal weights
def pointing_accuracy(weights, boxes, columns, cell):
    n = weights.shape[2] - 1 - weights.flip(2).argmax(2)
    x, y = n % columns * cell, n // columns * cell
    named = (boxes >= 0).all(2)
    if not named.any():
        raise ValueError("nothing named")
    left, top, right, bottom = boxes.unbind(2)
    beside = (x >= right) | (x + cell <= left) | (y >= bottom) | (y + cell <= top)
    return 1 - (beside & named).sum().item() / named.sum().item()

# %% correct: a map of cells that overlap, gathered at the top one
def pointing_accuracy(weights, boxes, columns, cell):
    n = torch.arange(weights.shape[2], device=weights.device)
    x, y = n % columns * cell, torch.div(n, columns, rounding_mode="floor") * cell
    left, top, right, bottom = (edge[..., None] for edge in boxes.unbind(-1))
    overlap = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    named = (boxes >= 0).all(-1)
    if named.sum() == 0:
        raise ValueError("nothing is named")
    best = weights.max(dim=-1, keepdim=True).indices
    return overlap.gather(2, best).squeeze(2)[named].double().mean().item()
