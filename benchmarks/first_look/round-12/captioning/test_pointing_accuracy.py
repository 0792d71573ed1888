# %% wrong: one easy box
# A square grid, one caption, one box in the middle of things, a clear hit and a clear miss. It passes forms that count a
# common edge, that mix up rows and columns in other grids, or that take the mean caption by caption, and never asks for the
# ValueError.

def test_pointing_accuracy(pointing_accuracy):
    weights = torch.full((1, 1, 16), 0.01)
    weights[0, 0, 5] = 0.85
    box = torch.tensor([[[3, 3, 9, 9]]])
    assert pointing_accuracy(weights, box, 4, 4) == 1.0
    weights[0, 0, 15] = 2.0
    assert pointing_accuracy(weights, box, 4, 4) == 0.0
    return True


# %% wrong: the first of equal weights must win
# Good cases, and one too many: with all weights equal it wants cell 0 to be taken. A right form that takes the last of equal
# weights (the docstring says: any) is refused.

def test_pointing_accuracy(pointing_accuracy):
    def one(place: int, box: list[int]) -> float:
        weights = F.one_hot(torch.tensor([[place]]), 6).float()
        return pointing_accuracy(weights, torch.tensor([[box]]), 3, 4)

    for place, box, hit in (
        (0, [0, 0, 1, 1], 1), (1, [0, 0, 4, 4], 0), (1, [0, 0, 5, 4], 1), (3, [0, 0, 4, 4], 0), (3, [0, 0, 4, 5], 1),
        (4, [7, 7, 9, 9], 1), (5, [0, 0, 8, 8], 0), (5, [11, 7, 20, 20], 1), (2, [0, 4, 4, 8], 0), (0, [4, 0, 8, 4], 0),
        (0, [3, 3, 4, 4], 1), (0, [0, 4, 4, 8], 0),
    ):
        if one(place, box) != hit:
            return False
    weights = F.one_hot(torch.tensor([[0, 1, 2], [3, 4, 5]]), 6).float()
    boxes = torch.tensor([[[0, 0, 4, 4], [8, 0, 9, 9], [0, 0, 4, 4]], [[0, 4, 4, 8], [-1] * 4, [-1] * 4]])
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 0.5) > 1e-4:
        return False
    if pointing_accuracy(torch.ones(1, 1, 6), torch.tensor([[[0, 0, 4, 4]]]), 3, 4) != 1:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: the share to the last digit
# Compares 2/3 with ==. A right form that takes the mean in float32 gives 0.6666666865..., and is refused.

def test_pointing_accuracy(pointing_accuracy):
    def one(place: int, box: list[int]) -> float:
        weights = F.one_hot(torch.tensor([[place]]), 6).float()
        return pointing_accuracy(weights, torch.tensor([[box]]), 3, 4)

    assert one(0, [0, 0, 1, 1]) == 1 and one(5, [11, 7, 30, 30]) == 1 and one(3, [3, 7, 4, 8]) == 1
    assert one(1, [0, 0, 4, 8]) == 0 and one(1, [8, 0, 12, 8]) == 0
    assert one(3, [0, 0, 12, 4]) == 0 and one(0, [0, 4, 12, 8]) == 0 and one(0, [4, 4, 8, 8]) == 0
    weights = F.one_hot(torch.tensor([[0, 4, 2], [5, 4, 3]]), 6).float()
    boxes = torch.tensor([[[0, 0, 9, 9], [5, 5, 6, 6], [-1] * 4], [[0, 0, 4, 4], [-1] * 4, [-1] * 4]])
    assert pointing_accuracy(weights, boxes, 3, 4) == 2 / 3
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 4)
    except ValueError:
        return True
    assert False, "an error was promised"


# %% wrong: any error will do
# Where no token names anything it is content with every exception. A form that fails with a ZeroDivisionError there, and not
# with the promised ValueError, passes.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)
    for rows, columns, cell in ((2, 3, 4), (3, 2, 3), (1, 4, 1), (4, 1, 5)):
        for _ in range(8):
            weights = torch.rand(2, 3, rows * columns, generator=generator)
            near = torch.rand(2, 3, 2, generator=generator) * torch.tensor([columns * cell, rows * cell])
            size = 1 + 6 * torch.rand(2, 3, 2, generator=generator)
            boxes = torch.cat([near.long(), near.long() + size.long()], dim=2)
            boxes[torch.rand(2, 3, generator=generator) < 0.3] = -1
            boxes[0, 0] = torch.tensor([0, 0, cell, cell])
            hits = []
            for b in range(2):
                for t in range(3):
                    left, top, right, bottom = boxes[b, t].tolist()
                    row, column = divmod(int(weights[b, t].argmax()), columns)
                    if left >= 0:
                        in_x = left < (column + 1) * cell and column * cell < right
                        in_y = top < (row + 1) * cell and row * cell < bottom
                        hits.append(in_x and in_y)
            if abs(pointing_accuracy(weights, boxes, columns, cell) - sum(hits) / len(hits)) > 1e-4:
                return False
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except Exception:
        return True
    return False


# %% correct: every box against every cell, on an axis at a time

def test_pointing_accuracy(pointing_accuracy):
    rows, columns, cell = 2, 3, 3

    def share(places: list[list[int]], boxes: list[list[list[int]]]) -> float:
        weights = 0.5 + F.one_hot(torch.tensor(places), rows * columns).float()
        found = pointing_accuracy(weights, torch.tensor(boxes), columns, cell)
        assert isinstance(found, float), "no Python float"
        return found

    nothing = [-1, -1, -1, -1]
    # a strip as high as one row, at every pair of edges: pixel by pixel along x, then along y
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        for left, right in ((0, 1), (0, 3), (2, 3), (3, 4), (0, 4), (3, 6), (5, 7), (6, 9), (8, 11)):
            hit = float(left < (column + 1) * cell and right > column * cell)
            if abs(share([[place]], [[[left, row * cell, right, row * cell + 1]]]) - hit) > 1e-4:
                return False
        for top, bottom in ((0, 1), (0, 3), (2, 3), (2, 4), (3, 4), (3, 6), (5, 9)):
            hit = float(top < (row + 1) * cell and bottom > row * cell)
            if abs(share([[place]], [[[column * cell, top, column * cell + 1, bottom]]]) - hit) > 1e-4:
                return False
    # captions of unequal length, a box at the corner, words that name nothing
    on, off = [0, 0, 1, 1], [6, 3, 9, 6]
    for boxes, expected in (
        ([[on, on, off], [off, nothing, nothing]], 0.5),
        ([[on, nothing, nothing], [off, off, off]], 0.25),
        ([[nothing, nothing, on], [nothing, nothing, nothing]], 1.0),
        ([[on, on, nothing], [nothing, nothing, off]], 2 / 3),
    ):
        if abs(share([[0, 0, 0], [0, 0, 0]], boxes) - expected) > 1e-4:
            return False
    try:
        share([[0, 1], [2, 3]], [[nothing, nothing], [nothing, nothing]])
    except ValueError:
        return True
    return False


# %% correct: a second way to count, on drawn pictures

def count_by_pixels(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    total = hits = 0
    rows = weights.shape[2] // columns
    for b in range(weights.shape[0]):
        for t in range(weights.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if left == -1:
                continue
            canvas = torch.zeros(rows * cell, columns * cell)
            canvas[top:bottom, left:right] = 1
            row, column = divmod(weights[b, t].tolist().index(weights[b, t].max().item()), columns)
            patch = canvas[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
            total, hits = total + 1, hits + int(patch.any())
    return hits / total


def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(12)

    def draw(low: int, high: int) -> int:
        return int(torch.randint(low, high, (1,), generator=generator))

    for number in range(150):
        rows, columns, cell, batch, length = draw(1, 4), draw(1, 4), draw(1, 5), draw(1, 3), draw(1, 4)
        order = [torch.randperm(rows * columns, generator=generator) for _ in range(batch * length)]
        weights = (torch.stack(order).float() + 0.25).view(batch, length, -1)
        boxes = torch.full((batch, length, 4), -1)
        for b in range(batch):
            for t in range(length):
                if draw(0, 4) or (b == 0 and t == 0):
                    left, top = draw(0, columns * cell), draw(0, rows * cell)
                    # often as wide as a cell, or to the edge of one: where mistakes show
                    right = left + draw(1, 2 * cell + 1) if draw(0, 2) else (left // cell + 1) * cell
                    bottom = top + draw(1, 2 * cell + 1) if draw(0, 2) else (top // cell + 1) * cell
                    boxes[b, t] = torch.tensor([left, top, right, bottom])
        expected = count_by_pixels(weights, boxes, columns, cell)
        found = pointing_accuracy(weights.clone(), boxes.clone(), columns, cell)
        assert type(found) is float and abs(found - expected) < 1e-4, f"case {number}"
    for batch, length in ((1, 1), (2, 3)):
        raised = False
        try:
            pointing_accuracy(torch.rand(batch, length, 6), torch.full((batch, length, 4), -1), 3, 2)
        except ValueError:
            raised = True
        assert raised
    return True
