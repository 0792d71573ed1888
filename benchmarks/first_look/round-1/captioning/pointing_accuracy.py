# %% wrong: a box at the edge names nothing
# A token "names something" where the box's left edge is above 0: boxes that touch the picture's left edge are left out, since 0 is a pixel too. A good message: "a box with left = 0 counts: none is -1".

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] > 0
    if not named.any():
        raise ValueError("no token names anything")
    top = weights.argmax(dim=2)
    x, y = top % columns * cell, top // columns * cell
    left, upper, right, lower = boxes.unbind(dim=2)
    hit = (x < right) & (x + cell > left) & (y < lower) & (y + cell > upper)
    return hit[named].double().mean().item()

# %% wrong: an edge is enough
# Compares with <= and >=, so that a cell that only touches the box is a hit. A good message: "a common edge is not an overlap: <, not <=".

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).all(dim=-1)
    if named.sum() == 0:
        raise ValueError("nothing named")
    n = weights.argmax(dim=-1)
    row, column = torch.div(n, columns, rounding_mode="floor"), n % columns
    across = (column * cell <= boxes[..., 2]) & ((column + 1) * cell >= boxes[..., 0])
    down = (row * cell <= boxes[..., 3]) & ((row + 1) * cell >= boxes[..., 1])
    return ((across & down & named).sum() / named.sum()).item()

# %% wrong: the middle of the cell
# Asks whether the cell's middle lies in the box: a cell that overlaps by a strip at its edge is missed. A good message: "some shared area is enough, however little".

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = count = 0
    for b in range(weights.shape[0]):
        for t in range(weights.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if left == -1:
                continue
            count += 1
            row, column = divmod(weights[b, t].argmax().item(), columns)
            x, y = (column + 0.5) * cell, (row + 0.5) * cell
            hits += left <= x < right and top <= y < bottom
    if count == 0:
        raise ValueError("no token names anything")
    return hits / count

# %% wrong: wipes the boxes of nameless tokens
# Clamps boxes in place before comparing (the caller's -1 become 0), takes rows for columns, and so fails on grids that are not square. A good message: "boxes have changed; and for 2 rows of 3 cells the row is n // columns".

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[:, :, 0] != -1
    if not bool(named.any()):
        raise ValueError("no token names anything")
    boxes.clamp_(min=0)
    rows = weights.shape[2] // columns
    place = weights.argmax(2)
    y, x = (place // rows) * cell, (place % rows) * cell
    hit = (x < boxes[..., 2]) & (boxes[..., 0] < x + cell) & (y < boxes[..., 3]) & (boxes[..., 1] < y + cell)
    return hit[named].float().mean().item()

# %% correct: ranges of pixels that meet

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    cells = weights.argmax(dim=-1).flatten().tolist()
    looks = [(n, box) for n, box in zip(cells, boxes.flatten(0, 1).tolist(), strict=True) if box != [-1, -1, -1, -1]]
    if not looks:
        raise ValueError("no token names anything")

    def meet(place, start, stop):
        return len(range(max(place * cell, start), min(place * cell + cell, stop))) > 0

    hits = 0
    for n, (left, top, right, bottom) in looks:
        row, column = divmod(n, columns)
        hits += meet(column, left, right) and meet(row, top, bottom)
    return hits / len(looks)

# %% correct: sides of the common rectangle

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes.ne(-1).any(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights[named].max(dim=1).indices
    corner = torch.stack([best % columns, best.div(columns, rounding_mode="floor")], dim=1) * cell  # (n, 2): x, y
    box = boxes[named]
    sides = torch.minimum(box[:, 2:], corner + cell) - torch.maximum(box[:, :2], corner)
    return float(sides.gt(0).all(dim=1).double().mean())
