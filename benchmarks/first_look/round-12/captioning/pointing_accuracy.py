# %% wrong: the middle of the cell must lie in the box
# A cell counts only where its middle is inside the box, so a box that covers a corner of the cell is no hit. It shows for a
# box of one pixel in a cell's corner.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    place = weights.argmax(dim=2)
    x = (place % columns + 0.5) * cell
    y = (place // columns + 0.5) * cell
    left, top, right, bottom = boxes.unbind(dim=2)
    hit = (left <= x) & (x < right) & (top <= y) & (y < bottom)
    return hit[named].double().mean().item()


# %% wrong: a box at the left edge names nothing
# Takes a token for a named one where left > 0. A box that begins at pixel 0 is left out of the share (and where no other is
# there, a ValueError is raised).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] > 0
    if not named.any():
        raise ValueError("no token names anything")
    place = weights[named].argmax(dim=1)
    left, top, right, bottom = boxes[named].unbind(dim=1)
    x, y = place % columns * cell, place // columns * cell
    hit = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    return hit.double().mean().item()


# %% wrong: a mean of the captions' shares
# The share is taken caption by caption, then the mean over the captions. It shows where two captions have different numbers
# of named tokens and different shares.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    shares = []
    for weight, box in zip(weights, boxes, strict=True):
        named = box[:, 0] >= 0
        if not named.any():
            continue
        place = weight[named].argmax(dim=1)
        left, top, right, bottom = box[named].unbind(dim=1)
        x, y = place % columns * cell, place // columns * cell
        hit = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
        shares.append(hit.double().mean().item())
    if not shares:
        raise ValueError("no token names anything")
    return sum(shares) / len(shares)


# %% wrong: the box's last cell is right // cell
# Turns the edges into cells by dividing, the right and lower edge too, and takes both ends as inside. Where the right edge
# is a multiple of cell, the next cell, with which the box only shares an edge, counts as a hit.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    place = weights.argmax(dim=2)
    row, column = place // columns, place % columns
    first_column, first_row, last_column, last_row = (boxes // cell).unbind(dim=2)
    hit = (first_column <= column) & (column <= last_column)
    hit = hit & (first_row <= row) & (row <= last_row)
    return hit[named].double().mean().item()


# %% correct: sets of pixels, word by word

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = []
    for weight, box in zip(weights.flatten(0, 1), boxes.flatten(0, 1).tolist(), strict=True):
        left, top, right, bottom = box
        if left < 0:
            continue
        row, column = divmod(int(weight.argmax()), columns)
        shared_x = set(range(left, right)) & set(range(column * cell, (column + 1) * cell))
        shared_y = set(range(top, bottom)) & set(range(row * cell, (row + 1) * cell))
        hits.append(bool(shared_x) and bool(shared_y))
    if not hits:
        raise ValueError("no token names anything")
    return hits.count(True) / len(hits)


# %% correct: for every cell whether it touches, then one look-up

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    seen = boxes.amin(dim=2) >= 0
    number = int(seen.sum())
    if number == 0:
        raise ValueError("there is no box in this batch")
    n = torch.arange(weights.shape[2], device=boxes.device)
    corner = torch.stack([n % columns, n // columns], dim=1) * cell  # (N, 2), x and y
    near, far = boxes[..., :2].unsqueeze(2), boxes[..., 2:].unsqueeze(2)  # (B, T, 1, 2)
    common = torch.minimum(far, corner + cell) - torch.maximum(near, corner)
    touched = common.clamp(min=0).prod(dim=3) > 0  # (B, T, N)
    best = weights.topk(1, dim=2).indices.to(boxes.device)
    return int((touched.gather(2, best).squeeze(2) & seen).sum()) / number
