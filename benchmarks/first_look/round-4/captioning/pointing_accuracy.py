# %% wrong: the grid is taken to be square
# The number of columns is taken from the root of N, and the argument is not used. On a grid that is not square, rows and columns of the cells are wrong.
# Hint: take two rows of three columns, with all the weight on cell 3. Where does it lie?

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    side = int(weights.shape[-1] ** 0.5)
    best = weights.argmax(dim=-1)
    left, top = best % side * cell, best // side * cell
    named = boxes[..., 0] >= 0
    if not named.any():
        raise ValueError("no token names anything")
    overlap = (
        (left < boxes[..., 2])
        & (left + cell > boxes[..., 0])
        & (top < boxes[..., 3])
        & (top + cell > boxes[..., 1])
    )
    return overlap[named].double().mean().item()


# %% wrong: the centre of the cell has to lie in the box
# A token is a hit where the middle of its most weighted cell is inside the box. A cell that shares only a strip or a corner with the box counts as a miss.
# Hint: put a box over the last pixel of a cell alone, and compare with "however little".

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    best = weights.argmax(dim=-1)
    x = (best % columns) * cell + cell / 2
    y = (best // columns) * cell + cell / 2
    left, top, right, bottom = boxes.unbind(dim=-1)
    named = left != -1
    if not named.any():
        raise ValueError("no token names an object")
    hit = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
    return hit[named].float().mean().item()


# %% wrong: objects at the left edge of the picture are taken for none
# A token counts where the left edge of its box is greater than zero. An object that touches the left edge of the picture has left edge 0, and its tokens are left out.
# Hint: which four numbers mark a token that names nothing? Is 0 one of them?

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = boxes[..., 0] > 0
    if named.sum() == 0:
        raise ValueError("no token names anything")
    best = weights.argmax(dim=-1)[named]
    left, top, right, bottom = boxes[named].unbind(dim=-1)
    cell_left, cell_top = best % columns * cell, best // columns * cell
    across = torch.minimum(right, cell_left + cell) > torch.maximum(left, cell_left)
    down = torch.minimum(bottom, cell_top + cell) > torch.maximum(top, cell_top)
    return (across & down).double().mean().item()


# %% wrong: cells that the box covers in part on its far side are lost
# The edges are turned into cell numbers by whole division, and the cell of the right and of the bottom edge is left out. It is right only where those edges lie on the border of a cell.
# Hint: a box from 0 to 6 over cells of 4 pixels: which cells does it touch, and which does your range have?

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    best = weights.argmax(dim=-1)
    row, column = best // columns, best % columns
    in_cells = torch.div(boxes, cell, rounding_mode="floor")
    first_column, first_row, last_column, last_row = in_cells.unbind(dim=-1)
    named = (boxes >= 0).all(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    hit = (column >= first_column) & (column < last_column) & (row >= first_row) & (row < last_row)
    return hit[named].double().mean().item()


# %% wrong: the boxes are changed on the way
# To make the right and bottom edges inclusive they are lowered by one in the caller's tensor. The first answer is right; a second call on the same boxes gets smaller ones.
# Hint: call it twice with the same boxes and print them in between.

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    named = (boxes != -1).any(dim=-1)
    if not named.any():
        raise ValueError("no token names anything")
    boxes[..., 2:] -= 1
    left, top, right, bottom = boxes.unbind(dim=-1)
    best = weights.argmax(dim=-1)
    x0, y0 = best % columns * cell, best // columns * cell
    x1, y1 = x0 + cell - 1, y0 + cell - 1
    hit = (x0 <= right) & (x1 >= left) & (y0 <= bottom) & (y1 >= top)
    return hit[named].double().mean().item()


# %% correct: the area of the common rectangle

def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    names_something = ~(boxes == -1).all(dim=-1)
    if int(names_something.sum()) == 0:
        raise ValueError("there is no token that names an object")
    box = boxes[names_something]
    place = weights[names_something].max(dim=-1).indices
    corner = torch.stack([place.remainder(columns), place.div(columns, rounding_mode="floor")], dim=-1) * cell
    sides = torch.minimum(box[:, 2:], corner + cell) - torch.maximum(box[:, :2], corner)
    area = sides.clamp(min=0).prod(dim=-1)
    return area.gt(0).double().mean().item()


# %% correct: a loop over the tokens with ranges of pixels

def pixels(start, stop, first, last):
    return range(max(start, first), min(stop, last))


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    verdicts = []
    for row_of_weights, (left, top, right, bottom) in zip(
        weights.flatten(0, 1), boxes.flatten(0, 1).tolist(), strict=True
    ):
        if (left, top, right, bottom) == (-1, -1, -1, -1):
            continue
        row, column = divmod(int(row_of_weights.argmax()), columns)
        across = pixels(column * cell, (column + 1) * cell, left, right)
        down = pixels(row * cell, (row + 1) * cell, top, bottom)
        verdicts.append(len(across) > 0 and len(down) > 0)
    if not verdicts:
        raise ValueError("no token names anything")
    return sum(verdicts) / len(verdicts)
