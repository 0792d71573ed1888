# %% wrong: the cell of the right edge
# The box is turned into a range of cells by // cell, both ends counted. Where the right or bottom edge lies on a
# multiple of `cell`, the cell behind it, which only touches the box, is a hit too: box (0, 0, 4, 4), cell 4, cell 1.


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    row, column = best // columns, best % columns
    left, top, right, bottom = (boxes // cell).unbind(dim=2)
    hit = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)
    return hit[named].double().mean().item()


# %% wrong: the middle of the cell
# A hit is a cell whose middle lies in the box, so that a smaller overlap is a miss: box (3, 0, 8, 4), cell 4, cell 0.


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 2] > 0
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)
    x = (best % columns) * cell + cell / 2
    y = (best // columns) * cell + cell / 2
    hit = (x > boxes[..., 0]) & (x < boxes[..., 2]) & (y > boxes[..., 1]) & (y < boxes[..., 3])
    return (hit & named).sum().item() / named.sum().item()


# %% wrong: a mean of the pictures' means
# Each picture's share first, then the mean over the pictures. Shows where pictures have different numbers of named
# tokens: one of one and one of three right give 2/3 and not 1/2.


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    shares = []
    for picture_weights, picture_boxes in zip(weights, boxes, strict=True):
        hits = []
        for token_weights, box in zip(picture_weights, picture_boxes.tolist(), strict=True):
            if box == [-1, -1, -1, -1]:
                continue
            row, column = divmod(int(token_weights.argmax()), columns)
            wide = min(box[2], (column + 1) * cell) - max(box[0], column * cell)
            high = min(box[3], (row + 1) * cell) - max(box[1], row * cell)
            hits.append(wide > 0 and high > 0)
        if hits:
            shares.append(sum(hits) / len(hits))
    if not shares:
        raise ValueError("no token names anything")
    return sum(shares) / len(shares)


# %% wrong: the caller's boxes become cells
# The share is right, but the boxes are changed in place: afterwards the caller has cells in place of pixels.


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = ~(boxes == -1).all(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    boxes[..., 2:] -= 1  # the last pixels inside
    boxes //= cell
    left, top, right, bottom = boxes.unbind(dim=-1)
    best = weights.argmax(dim=-1)
    row, column = best // columns, best % columns
    hit = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)
    return hit[named].float().mean().item()


# %% correct: ranges of pixels that meet


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    def meet(one: range, other: range) -> bool:
        return len(range(max(one.start, other.start), min(one.stop, other.stop))) > 0

    tally = {True: 0, False: 0}
    best = weights.flatten(0, 1).max(dim=1).indices.tolist()
    for n, (left, top, right, bottom) in zip(best, boxes.flatten(0, 1).tolist(), strict=True):
        if left == top == right == bottom == -1:
            continue
        x, y = cell * (n % columns), cell * (n // columns)
        tally[meet(range(x, x + cell), range(left, right)) and meet(range(y, y + cell), range(top, bottom))] += 1
    if not sum(tally.values()):
        raise ValueError("no token names anything")
    return tally[True] / sum(tally.values())


# %% correct: a map of the cells under each box, read at the largest weight


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes.ne(-1).any(dim=2)
    count = int(named.sum())
    if count == 0:
        raise ValueError("no token names anything")
    rows = -(-weights.shape[2] // columns)
    left, top, right, bottom = boxes[named].unsqueeze(2).unbind(dim=1)  # (M, 1) each

    def under(low: Tensor, high: Tensor, cells: int) -> Tensor:
        start = cell * torch.arange(cells, device=boxes.device)
        return torch.minimum(high, start + cell) - torch.maximum(low, start) > 0  # (M, cells)

    over = under(top, bottom, rows).unsqueeze(2) & under(left, right, columns).unsqueeze(1)  # (M, rows, columns)
    hits = over.flatten(1).gather(1, weights[named].argmax(dim=1, keepdim=True))
    return int(hits.sum()) / count
