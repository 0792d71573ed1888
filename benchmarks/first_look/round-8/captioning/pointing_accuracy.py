# %% wrong: only the centre of the cell is asked for
# A hit needs the cell's centre inside the box. Shows where the box covers less than half of the cell, as a box from
# pixel 6 to 16 and the cell of pixels 4 to 8 (centre 6, on the edge): some area is shared, and it is called a miss.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    x = (best % columns + 0.5) * cell
    y = (best // columns + 0.5) * cell
    left, top, right, bottom = boxes.unbind(dim=2)
    hit = (left < x) & (x < right) & (top < y) & (y < bottom)
    return (hit & named).sum().item() / named.sum().item()


# %% wrong: the box's edges rounded to cells, the last one included
# The box is said to cover the cells left // cell to right // cell, both included. Where right or bottom is a multiple
# of cell, the next cell shares only an edge with the box and is counted as a hit.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    top_cells = weights.argmax(dim=-1)[named]
    row, column = top_cells // columns, top_cells % columns
    left, top, right, bottom = (boxes[named] // cell).unbind(dim=1)
    hits = (left <= column) & (column <= right) & (top <= row) & (row <= bottom)
    return hits.double().mean().item()


# %% wrong: the mean of each caption's share
# The share is taken within each caption and then over captions, so a token of a caption with few named tokens counts
# more. Shows where two captions name different numbers of things and differ in their shares.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = ~(boxes == -1).all(dim=2)
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=2)
    x, y = best % columns * cell, best // columns * cell
    hit = (x < boxes[..., 2]) & (x + cell > boxes[..., 0]) & (y < boxes[..., 3]) & (y + cell > boxes[..., 1])
    shares = []
    for b in range(len(weights)):
        if named[b].any():
            shares.append(hit[b][named[b]].double().mean())
    return torch.stack(shares).mean().item()


# %% wrong: an object at the left edge names nothing
# A token is taken to name something where left > 0, so boxes that begin at pixel 0 are dropped (and with no others
# there is a ValueError). Shows for any box with left = 0.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits, count = 0, 0
    for row_of_weights, row_of_boxes in zip(weights.flatten(0, 1), boxes.flatten(0, 1)):
        left, top, right, bottom = row_of_boxes.tolist()
        if left > 0:
            row, column = divmod(int(row_of_weights.argmax()), columns)
            count += 1
            across = column * cell < right and (column + 1) * cell > left
            down = row * cell < bottom and (row + 1) * cell > top
            hits += across and down
    if count == 0:
        raise ValueError("no token names anything")
    return hits / count


# %% correct: ranges of pixels, token by token

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    def shared(begin, start, stop):
        """How many pixels the cell that begins at `begin` has in common with start to stop."""
        return len(range(max(begin, start), min(begin + cell, stop)))

    hits = []
    for picture_weights, picture_boxes in zip(weights.detach(), boxes.tolist()):
        for look, (left, top, right, bottom) in zip(picture_weights, picture_boxes):
            if (left, top, right, bottom) == (-1, -1, -1, -1):
                continue
            row, column = divmod(look.argmax().item(), columns)
            hits.append(shared(column * cell, left, right) * shared(row * cell, top, bottom) > 0)
    if not hits:
        raise ValueError("no token of these names anything")
    return float(sum(hits) / len(hits))


# %% correct: areas of all cells with the box, read at the most weighted one

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    N = weights.shape[-1]
    corner = torch.arange(N, device=boxes.device)
    begin = torch.stack([corner % columns, corner // columns], dim=1) * cell  # (N, 2)
    low = torch.maximum(begin, boxes[:, :, None, :2])  # (B, T, N, 2)
    high = torch.minimum(begin + cell, boxes[:, :, None, 2:])
    area = (high - low).clamp(min=0).prod(dim=-1)  # (B, T, N)
    at = torch.max(weights, dim=-1, keepdim=True).indices
    hit = area.gather(-1, at).squeeze(-1).gt(0)
    names = boxes.ne(-1).any(dim=-1)
    total = int(names.sum())
    if total == 0:
        raise ValueError("boxes are -1 everywhere")
    return int((hit & names).sum()) / total
