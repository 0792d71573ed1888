# %% wrong: the area of the overlap from two negative sides
# Width times height of the overlap is also positive where both are negative: a cell that misses the box to the side and above or
# below counts as a hit, as cell 0 (0 to 4 pixels) with the box (8, 8, 12, 12).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes >= 0).all(dim=2)
    if not named.any():
        raise ValueError("no token names anything")
    chosen = weights.argmax(dim=2)
    left, top = (chosen % columns) * cell, (chosen // columns) * cell
    width = torch.minimum(left + cell, boxes[..., 2]) - torch.maximum(left, boxes[..., 0])
    height = torch.minimum(top + cell, boxes[..., 3]) - torch.maximum(top, boxes[..., 1])
    hits = width * height > 0
    return hits[named].double().mean().item()

# %% wrong: a corner of the cell must lie in the box
# A small box within a cell, or a bar across it, holds none of the four corners, and the hit is missed: cell 0 of 8 pixels with the
# box (2, 2, 5, 5).

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    hits = count = 0
    for looks, row in zip(weights.argmax(dim=-1).tolist(), boxes.tolist(), strict=True):
        for n, (left, top, right, bottom) in zip(looks, row, strict=True):
            if left < 0:
                continue
            count += 1
            x, y = n % columns * cell, n // columns * cell
            # the cell's first and last pixel in both directions
            across = [left <= px < right for px in (x, x + cell - 1)]
            down = [top <= py < bottom for py in (y, y + cell - 1)]
            hits += any(across) and any(down)
    if count == 0:
        raise ValueError("no token names anything")
    return hits / count

# %% wrong: boxes at pixel 0 count as none
# boxes > 0 leaves out every object that touches the left or upper edge of the picture, whose box begins at 0; with no other
# there is a ValueError.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes > 0).all(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    chosen, boxes = weights.argmax(dim=-1)[named], boxes[named]
    x, y = chosen % columns * cell, chosen // columns * cell
    left, top, right, bottom = boxes.unbind(dim=1)
    hits = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    return hits.float().mean().item()

# %% wrong: the box in whole cells, both ends included
# right // cell is the first cell beyond a box that ends at a cell's edge: with cells of 4 pixels the box (0, 0, 4, 4) reaches
# cell 1 too, though they share no more than an edge.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] != -1
    if not named.any():
        raise ValueError("no token names anything")
    chosen = weights.argmax(dim=2)
    row, column = chosen // columns, chosen % columns
    first_column, first_row, last_column, last_row = (boxes // cell).unbind(dim=2)
    on_it = (first_column <= column) & (column <= last_column)
    on_it &= (first_row <= row) & (row <= last_row)
    return (on_it & named).sum().item() / named.sum().item()

# %% correct: the distance of the centers
# Two intervals overlap where twice the distance of their centers is less than the sum of their lengths.
def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] >= 0
    total = int(named.sum())
    if total == 0:
        raise ValueError("no token names anything")
    chosen, (left, top, right, bottom) = weights.argmax(dim=2)[named], boxes[named].unbind(dim=1)
    row = torch.div(chosen, columns, rounding_mode="floor")
    column = chosen - row * columns
    across = ((2 * column + 1) * cell - left - right).abs() < cell + right - left
    down = ((2 * row + 1) * cell - top - bottom).abs() < cell + bottom - top
    return int((across & down).sum()) / total

# %% correct: the set of cells that the box covers, with ranges
def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    verdicts = []
    for looks, objects in zip(weights.tolist(), boxes.tolist(), strict=True):
        for look, (left, top, right, bottom) in zip(looks, objects, strict=True):
            if (left, top, right, bottom) == (-1, -1, -1, -1):
                continue
            row, column = divmod(look.index(max(look)), columns)
            # -(-n // cell) is n / cell, rounded up
            on_columns = column in range(left // cell, -(-right // cell))
            on_rows = row in range(top // cell, -(-bottom // cell))
            verdicts.append(on_columns and on_rows)
    if not verdicts:
        raise ValueError("no token names anything")
    return sum(verdicts) / len(verdicts)
