# %% wrong: the right edge as the last pixel
# The box's edges are divided by the cell, and all cells from the first quotient to the last count, the last included.
# Shows for a right or bottom edge that is a multiple of cell: box 0..8, cell 4, most weight on column 2.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    most = weights.argmax(dim=2)
    row, column = most // columns, most % columns
    left, top, right, bottom = (boxes // cell).unbind(dim=2)
    hit = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)
    return hit[named].double().mean().item()


# %% wrong: a corner of the cell in the box
# A cell counts where one of its four corner pixels lies in the box.
# Shows for a box that is narrower than a cell: box (1, 1, 3, 3) inside the cell 0..4 has no corner of it.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    left, top, right, bottom = boxes.unbind(dim=2)
    x, y = best % columns * cell, best // columns * cell
    hits = torch.zeros_like(named)
    for px in (x, x + cell - 1):
        for py in (y, y + cell - 1):
            hits |= (left <= px) & (px < right) & (top <= py) & (py < bottom)
    return hits[named].double().mean().item()


# %% wrong: the mean over the captions
# The share is taken caption by caption, and then the mean of the shares.
# Shows where the captions name differently many things: one of one and none of three is 1/4, and not 1/2.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    shares = []
    for w, b in zip(weights, boxes):
        hits = []
        for t in range(len(w)):
            left, top, right, bottom = b[t].tolist()
            if (left, top, right, bottom) == (-1, -1, -1, -1):
                continue
            row, column = divmod(int(w[t].argmax()), columns)
            across = min(right, cell * column + cell) - max(left, cell * column)
            down = min(bottom, cell * row + cell) - max(top, cell * row)
            hits.append(across > 0 and down > 0)
        if hits:
            shares.append(sum(hits) / len(hits))
    if not shares:
        raise ValueError("no token names anything")
    return sum(shares) / len(shares)


# %% wrong: nan where nothing is named
# The case without a single box is not thought of: the mean of nothing is nan, where a ValueError is promised.
# Shows for boxes that are -1 throughout.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).any(dim=2)
    best = weights.argmax(dim=2)
    x, y = (best % columns) * cell, (best // columns) * cell
    overlaps = (
        (x < boxes[..., 2]) & (boxes[..., 0] < x + cell) & (y < boxes[..., 3]) & (boxes[..., 1] < y + cell)
    )
    return overlaps[named].float().mean().item()


# %% correct: pixels in common, token by token

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    def pixels(first: int, last: int) -> set:
        return set(range(first, last))

    hits = total = 0
    for row_of_weights, box in zip(weights.flatten(0, 1), boxes.flatten(0, 1).tolist()):
        if box == [-1, -1, -1, -1]:
            continue
        total += 1
        row, column = divmod(row_of_weights.argmax().item(), columns)
        left, top, right, bottom = box
        shared_columns = pixels(left, right) & pixels(column * cell, (column + 1) * cell)
        shared_rows = pixels(top, bottom) & pixels(row * cell, (row + 1) * cell)
        hits += bool(shared_columns) and bool(shared_rows)
    if total == 0:
        raise ValueError("no token names anything")
    return hits / total


# %% correct: a map of the cells on each box, and a look into it

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    kept = boxes.ne(-1).any(dim=-1).flatten().nonzero().squeeze(1)
    if kept.numel() == 0:
        raise ValueError("no token names anything")
    places = weights.shape[-1]
    box = boxes.reshape(-1, 4)[kept]
    starts_x = cell * torch.arange(columns, device=boxes.device)
    starts_y = cell * torch.arange(-(-places // columns), device=boxes.device)

    def shared(starts, low, high):
        """How many pixels of each cell of one axis lie from low to high: (K, cells)."""
        ends = torch.minimum(starts + cell, high.unsqueeze(1))
        return (ends - torch.maximum(starts, low.unsqueeze(1))).clamp(min=0)

    area = torch.einsum("ky,kx->kyx", shared(starts_y, box[:, 1], box[:, 3]), shared(starts_x, box[:, 0], box[:, 2]))
    looked = weights.reshape(-1, places)[kept].topk(1, dim=1).indices
    found = area.flatten(1).gather(1, looked)
    return int((found > 0).sum()) / len(kept)
