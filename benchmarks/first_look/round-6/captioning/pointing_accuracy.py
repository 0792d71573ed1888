# %% wrong: the cell behind the right edge counts too
# The box is turned into a range of cells with right // cell and bottom // cell as its last ones. A box
# that ends exactly where a cell begins then takes in that cell, with which it shares an edge only.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).all(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    row, column = best // columns, best % columns
    left, top, right, bottom = (boxes // cell).unbind(dim=-1)
    hit = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)
    return hit[named].double().mean().item()


# %% wrong: a box at the left edge names nothing
# Tokens that name something are found by left > 0, so boxes that begin at pixel 0 of the picture are
# left out like those of -1.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[:, :, 0] > 0
    if named.sum() == 0:
        raise ValueError("no token names anything")
    place = weights.argmax(dim=2)
    x, y = cell * (place % columns), cell * (place // columns)
    left, top, right, bottom = boxes.unbind(dim=2)
    hit = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    return (hit & named).sum().item() / named.sum().item()


# %% wrong: the mean of the means of all captions
# The share is taken caption by caption and then averaged. Captions with fewer naming tokens weigh too
# much, where the share among all naming tokens was asked for.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    shares = []
    for looked, wanted in zip(weights, boxes):
        named = wanted[:, 0] >= 0
        if not named.any():
            continue
        place = looked[named].argmax(dim=1)
        x, y = cell * (place % columns), cell * (place // columns)
        left, top, right, bottom = wanted[named].T
        hit = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
        shares.append(hit.double().mean().item())
    if not shares:
        raise ValueError("no token names anything")
    return sum(shares) / len(shares)


# %% wrong: the boxes are changed to cells in place
# The edges are divided by the size of a cell in the tensor that was handed in: the share is right, but
# the caller's boxes are in cells afterwards, and a second call gives something else.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("there is nothing to point at")
    place = weights.argmax(dim=-1)
    rows, cols = place // columns, place % columns
    boxes[..., 2:] += cell - 1  # round the far edges up
    boxes //= cell
    left, top, right, bottom = boxes.unbind(-1)
    hit = (left <= cols) & (cols < right) & (top <= rows) & (rows < bottom)
    return float(hit[named].double().mean())


# %% wrong: boxes read as top, left, bottom, right
# The four edges are taken in the order of array indices, rows first, although the docstring has left
# before top and right before bottom.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits, total = 0, 0
    for b in range(boxes.shape[0]):
        for t in range(boxes.shape[1]):
            top, left, bottom, right = boxes[b, t].tolist()
            if top == -1:
                continue
            total += 1
            row, column = divmod(weights[b, t].argmax().item(), columns)
            across = min(right, (column + 1) * cell) > max(left, column * cell)
            down = min(bottom, (row + 1) * cell) > max(top, row * cell)
            hits += across and down
    if total == 0:
        raise ValueError("no token names anything")
    return hits / total


# %% correct: by painting the boxes on pixels

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    outcomes = []
    for looks, edges in zip(weights.flatten(0, 1).tolist(), boxes.flatten(0, 1).tolist(), strict=True):
        if edges == [-1, -1, -1, -1]:
            continue
        left, top, right, bottom = (max(edge, 0) for edge in edges)
        painted = torch.zeros(len(looks) // columns * cell, columns * cell, dtype=torch.bool)
        painted[top:bottom, left:right] = True
        row, column = divmod(looks.index(max(looks)), columns)
        square = painted[row * cell : row * cell + cell, column * cell : column * cell + cell]
        outcomes.append(bool(square.any()))
    if not outcomes:
        raise ValueError("no token names anything")
    return outcomes.count(True) / len(outcomes)


# %% correct: by the area that each token shares

def shared_length(begin: Tensor, end: Tensor, index: Tensor, cell: int) -> Tensor:
    return (torch.minimum(end, cell * index + cell) - torch.maximum(begin, cell * index)).clamp(min=0)


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    chosen = ~torch.all(boxes == -1, dim=2)
    if not torch.any(chosen):
        raise ValueError("none of the tokens names an object")
    left, top, right, bottom = boxes[chosen].unbind(dim=1)
    most = weights[chosen].max(dim=1).indices
    across = shared_length(left, right, most.remainder(columns), cell)
    down = shared_length(top, bottom, most.div(columns, rounding_mode="floor"), cell)
    return torch.count_nonzero(across * down).item() / len(most)
