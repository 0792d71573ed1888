# %% wrong: the first of equal weights has to win
# The second case has two equal largest weights and asks that the first counts. The docstring allows any: a right version
# that takes the last of them is rejected.

def test_pointing_accuracy(pointing_accuracy):
    def share(look, box, columns=3, cell=4):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, look] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    assert share(1, (4, 0, 8, 4)) == 1.0
    assert pointing_accuracy(torch.full((1, 1, 6), 0.2), torch.tensor([[[0, 0, 4, 4]]]), 3, 4) == 1.0
    assert share(3, (0, 4, 4, 8)) == 1.0
    assert share(1, (0, 0, 4, 4)) == 0.0
    assert share(3, (0, 0, 4, 4)) == 0.0
    assert share(0, (3, 3, 6, 6)) == 1.0
    assert share(5, (11, 7, 30, 30)) == 1.0
    assert share(0, (4, 0, 8, 4)) == 0.0
    weights = torch.zeros(2, 2, 6)
    weights[:, :, 0] = 1.0
    boxes = torch.tensor([[[0, 0, 2, 2], [-1, -1, -1, -1]], [[0, 0, 3, 3], [4, 4, 6, 6]]])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 3) < 1e-4
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False

# %% wrong: square grids alone
# All cases lie on a grid of 3 x 3 cells. A wrong version that takes the root of N for the columns, instead of `columns`, passes
# and is called right.

def test_pointing_accuracy(pointing_accuracy):
    def share(look, box):
        weights = torch.rand(1, 1, 9, generator=torch.Generator().manual_seed(look))
        weights[0, 0, look] = 2.0
        return pointing_accuracy(weights, torch.tensor([[box]]), 3, 4)

    expected = {
        (4, 0, 8, 4): {1},
        (0, 4, 4, 8): {3},
        (3, 3, 5, 5): {0, 1, 3, 4},
        (1, 1, 2, 2): {0},
        (7, 8, 20, 9): {7, 8},
        (0, 5, 12, 7): {3, 4, 5},
        (9, 3, 10, 9): {2, 5, 8},
    }
    for box, cells in expected.items():
        for look in range(9):
            assert share(look, box) == float(look in cells)
    weights = torch.zeros(2, 2, 9)
    weights[:, :, 4] = 1.0
    boxes = torch.tensor([[[4, 4, 8, 8], [-1] * 4], [[0, 0, 3, 3], [0, 0, 9, 9]]])
    value = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(value, float) and abs(value - 2 / 3) < 1e-4
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 4)
    except ValueError:
        return True
    return False

# %% wrong: any error will do
# Where no token names anything a ValueError is promised; `except Exception` is also content with the ZeroDivisionError of a
# wrong version that divides 0 by 0 in Python.

def test_pointing_accuracy(pointing_accuracy):
    def share(look, box, columns, cells, cell):
        weights = torch.zeros(1, 1, cells)
        weights[0, 0, look] = 1.0
        return pointing_accuracy(weights, torch.tensor([[box]], dtype=torch.int64), columns, cell)

    for look in range(6):
        if share(look, (4, 0, 8, 4), 3, 6, 4) != (look == 1):
            return False
        if share(look, (0, 4, 4, 8), 3, 6, 4) != (look == 3):
            return False
        if share(look, (3, 3, 9, 5), 3, 6, 4) != 1:
            return False
        if share(look, (2, 1, 50, 2), 2, 6, 1) != 0:
            return False
    weights = torch.zeros(2, 2, 6)
    weights[0, 0, 0] = weights[1, 0, 5] = weights[1, 1, 2] = weights[0, 1, 0] = 1.0
    boxes = torch.tensor([[[0, 0, 1, 1], [-1] * 4], [[11, 7, 12, 8], [0, 0, 8, 8]]])
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 3) > 1e-4:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except Exception:
        return True
    return False

# %% wrong: five hundred random trials
# Each drawn case is one call, 500 in all, where at most 200 are allowed: with the promised budget even a right version cannot be
# judged.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)

    def number(low, high):
        return int(torch.randint(low, high, (1,), generator=generator))

    for _ in range(500):
        rows, columns, cell = number(1, 4), number(1, 5), number(1, 5)
        look = number(0, rows * columns)
        left, top = number(0, columns * cell), number(0, rows * cell)
        right, bottom = left + number(1, 6), top + number(1, 6)
        weights = torch.zeros(1, 1, rows * columns)
        weights[0, 0, look] = 1.0
        row, column = divmod(look, columns)
        across = left < (column + 1) * cell and column * cell < right
        down = top < (row + 1) * cell and row * cell < bottom
        found = pointing_accuracy(weights, torch.tensor([[[left, top, right, bottom]]]), columns, cell)
        if found != float(across and down):
            return False
    boxes = torch.tensor([[[0, 0, 1, 1], [-1] * 4, [0, 0, 2, 2]], [[1, 1, 2, 2], [-1] * 4, [-1] * 4]])
    weights = torch.tensor([3.0, 1.0, 2.0, 0.0]).expand(2, 3, 4).clone()
    if abs(pointing_accuracy(weights, boxes, 2, 1) - 2 / 3) > 1e-4:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 2, 1)
    except ValueError:
        return True
    return False

# %% correct: a picture of pixels, painted for 120 drawn cases

def test_pointing_accuracy(pointing_accuracy):
    import random

    chance = random.Random(5)
    nothing = [-1, -1, -1, -1]

    def edges(end: int, cell: int) -> tuple[int, int]:
        """Begin and end along one axis, half of them on the border of a cell."""
        begin = chance.randrange(end)
        if chance.random() < 0.5:
            begin -= begin % cell
        size = chance.choice([1, 2, cell, 2 * cell, chance.randint(1, 9)])
        return begin, begin + size

    for trial in range(120):
        batch, length = chance.randint(1, 3), chance.randint(1, 3)
        rows, columns, cell = chance.randint(1, 4), chance.randint(1, 5), chance.randint(1, 4)
        weights = torch.empty(batch, length, rows * columns)
        boxes, hits, named = [], 0, 0
        for b in range(batch):
            boxes.append([])
            for t in range(length):
                ranks = list(range(rows * columns))
                chance.shuffle(ranks)
                size = chance.choice([0.01, 1.0, 5.0])
                weights[b, t] = size * torch.tensor(ranks, dtype=torch.float32)
                row, column = divmod(ranks.index(len(ranks) - 1), columns)
                if chance.random() < 0.4 and (b, t) != (batch - 1, length - 1):
                    boxes[-1].append(nothing)
                    continue
                left, right = edges(columns * cell, cell)
                top, bottom = edges(rows * cell, cell)
                boxes[-1].append([left, top, right, bottom])
                box = {(x, y) for x in range(left, right) for y in range(top, bottom)}
                looked = {
                    (x, y)
                    for x in range(column * cell, (column + 1) * cell)
                    for y in range(row * cell, (row + 1) * cell)
                }
                named += 1
                hits += bool(box & looked)
        found = pointing_accuracy(weights, torch.tensor(boxes), columns, cell)
        if not isinstance(found, float) or abs(found - hits / named) > 1e-4:
            return False
    for shape in ((1, 1), (2, 3)):
        try:
            pointing_accuracy(torch.ones(*shape, 6), torch.full((*shape, 4), -1), 3, 4)
        except ValueError:
            continue
        return False
    return True

# %% correct: boxes with their cells, listed by hand

def test_pointing_accuracy(pointing_accuracy):
    def of_one(look, box, cells, columns, cell, low=0.1, high=0.2):
        weights = torch.full((1, 1, cells), low)
        weights[0, 0, look] = high
        return pointing_accuracy(weights, torch.tensor([[list(box)]]), columns, cell)

    # two rows of three cells of four pixels
    on = {
        (4, 0, 8, 4): {1},
        (0, 4, 4, 8): {3},
        (8, 4, 12, 8): {5},
        (4, 4, 8, 8): {4},
        (0, 0, 1, 1): {0},
        (7, 3, 8, 4): {1},
        (8, 4, 9, 5): {5},
        (5, 5, 7, 7): {4},
        (3, 3, 5, 5): {0, 1, 3, 4},
        (3, 0, 9, 1): {0, 1, 2},
        (0, 3, 1, 5): {0, 3},
        (9, 1, 11, 6): {2, 5},
        (10, 6, 40, 30): {5},
        (2, 5, 90, 6): {3, 4, 5},
        (0, 0, 12, 8): {0, 1, 2, 3, 4, 5},
    }
    for n, (box, cells) in enumerate(on.items()):
        low, high = [(0.1, 0.2), (1.0, 9.0), (0.0, 1.0)][n % 3]
        for look in range(6):
            assert of_one(look, box, 6, 3, 4, low, high) == float(look in cells)
    # one row, one column, cells of one pixel and of seven
    for look in range(4):
        assert of_one(look, (1, 0, 3, 1), 4, 4, 1) == float(look in (1, 2))
        assert of_one(look, (0, 6, 7, 15), 4, 1, 7) == float(look in (0, 1, 2))
        assert of_one(look, (0, 1, 1, 2), 4, 2, 1) == float(look == 2)
    # one share over all words that name something
    weights = torch.zeros(3, 3, 6)
    looks = [[0, 4, 1], [5, 5, 5], [2, 3, 0]]
    for b in range(3):
        for t in range(3):
            weights[b, t, looks[b][t]] = 0.3
    none = [-1, -1, -1, -1]
    boxes = torch.tensor(
        [
            [[0, 0, 4, 4], [4, 4, 8, 8], none],  # two hits
            [none, none, none],
            [none, [4, 4, 8, 8], none],  # a miss
        ]
    )
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float) and abs(share - 2 / 3) < 1e-4
    boxes[2, 0] = torch.tensor([0, 0, 4, 4])  # another miss
    boxes[1, 1] = torch.tensor([0, 0, 4, 4])  # and another
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 5) < 1e-4
    boxes[2, 2] = torch.tensor([0, 0, 1, 1])  # one more hit
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 3 / 6) < 1e-4
    refused = False
    try:
        pointing_accuracy(weights, torch.full((3, 3, 4), -1), 3, 4)
    except ValueError:
        refused = True
    return refused
