# %% wrong: one caption at a time
# All inputs have one caption, and all words of it name something or nothing at all of it does. A form that takes the mean
# of the captions' shares, one that looks at the first caption only, and one that divides by all tokens pass.

def test_pointing_accuracy(pointing_accuracy):
    for cell_of, box, expected in [
        (0, (0, 0, 4, 4), 1.0),
        (4, (4, 4, 8, 8), 1.0),
        (4, (7, 7, 9, 9), 1.0),
        (4, (5, 5, 6, 6), 1.0),
        (4, (0, 0, 12, 8), 1.0),
        (4, (0, 4, 4, 8), 0.0),
        (4, (8, 4, 12, 8), 0.0),
        (4, (4, 0, 8, 4), 0.0),
        (4, (4, 8, 8, 9), 0.0),
        (2, (8, 0, 30, 4), 1.0),
        (2, (0, 8, 4, 12), 0.0),
        (3, (0, 4, 4, 8), 1.0),
        (1, (0, 4, 4, 8), 0.0),
        (5, (4, 4, 8, 8), 0.0),
    ]:
        weights = torch.zeros(1, 1, 6)
        weights[0, 0, cell_of] = 1.0
        share = pointing_accuracy(weights, torch.tensor([[box]]), 3, 4)
        assert isinstance(share, float) and abs(share - expected) < 1e-4
    try:
        pointing_accuracy(torch.ones(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# Where no token names anything every exception is taken for the promised one. A form that raises ZeroDivisionError there,
# in place of ValueError, passes.

def test_pointing_accuracy(pointing_accuracy):
    def one(place, box, columns=3, cells=6, cell=4):
        weights = torch.full((1, 1, cells), 0.1)
        weights[0, 0, place] = 0.3
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for place in range(6):
        for other in range(6):
            row, column = divmod(other, 3)
            box = [4 * column, 4 * row, 4 * column + 4, 4 * row + 4]
            if one(place, box) != float(place == other):
                return False
    for box in ([5, 5, 6, 6], [7, 7, 9, 9], [3, 3, 5, 5], [0, 0, 12, 8], [0, 5, 12, 6], [5, 0, 6, 8], [7, 7, 40, 40]):
        if one(4, box) != 1.0:
            return False
    if one(0, [0, 0, 1, 1]) != 1.0 or one(1, [0, 0, 1, 1]) != 0.0:
        return False
    if one(5, [4, 2, 6, 4], cell=2) != 1.0 or not isinstance(one(3, [0, 0, 6, 3], cell=3), float):
        return False
    weights = torch.eye(6)[torch.tensor([[0, 1, 2], [3, 4, 5]])]
    boxes = torch.tensor([
        [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]],
        [[0, 4, 4, 8], [-1, -1, -1, -1], [-1, -1, -1, -1]],
    ])
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 0.5) > 1e-4:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except Exception:
        return True
    return False


# %% wrong: weights that are drawn from four numbers
# The expected share takes argmax, the weights are whole numbers from 0 to 3, and so most rows have several that are
# largest: a right form that takes the last of them, or any, is called wrong.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)
    for trial in range(60):
        columns, rows, cell = 2 + trial % 3, 2 + trial % 2, 1 + trial % 4
        weights = torch.randint(0, 4, (2, 3, rows * columns), generator=generator).float()
        corner = torch.randint(0, 6, (2, 3, 2), generator=generator)
        size = torch.randint(1, 6, (2, 3, 2), generator=generator)
        boxes = torch.cat([corner, corner + size], dim=2)
        boxes[1, trial % 3] = -1
        hits = []
        for b in range(2):
            for t in range(3):
                left, top, right, bottom = boxes[b, t].tolist()
                if left >= 0:
                    row, column = divmod(weights[b, t].argmax().item(), columns)
                    hits.append(
                        left < (column + 1) * cell and column * cell < right
                        and top < (row + 1) * cell and row * cell < bottom
                    )
        share = pointing_accuracy(weights.clone(), boxes.clone(), columns, cell)
        assert abs(share - sum(hits) / len(hits)) < 1e-4
    try:
        pointing_accuracy(torch.ones(1, 1, 6), torch.full((1, 1, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: a box that begins outside
# One of the boxes reaches beyond the left edge, (-1, 0, 3, 4), and must count. The docstring says 0 or more: a right form
# that takes a left edge below 0 for "names nothing" is called wrong.

def test_pointing_accuracy(pointing_accuracy):
    def share_of(looks, boxes, columns=3, cell=4):
        weights = torch.zeros(len(looks), len(looks[0]), 6)
        for b, row in enumerate(looks):
            for t, place in enumerate(row):
                weights[b, t, place] = 1.0
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    cases = [
        ([[4]], [[[4, 4, 8, 8]]], 1),
        ([[4]], [[[5, 5, 6, 6]]], 1),
        ([[4]], [[[0, 0, 4, 4]]], 0),
        ([[4]], [[[8, 4, 12, 8]]], 0),
        ([[4]], [[[4, 8, 8, 12]]], 0),
        ([[4]], [[[4, 0, 8, 4]]], 0),
        ([[4]], [[[0, 4, 4, 8]]], 0),
        ([[4]], [[[7, 7, 20, 20]]], 1),
        ([[2]], [[[8, 0, 12, 4]]], 1),
        ([[1]], [[[0, 4, 4, 8]]], 0),
        ([[0]], [[[-1, 0, 3, 4]]], 1),
        ([[0, 1], [5, 5]], [[[0, 0, 4, 4], nothing], [[0, 0, 4, 4], [0, 0, 1, 1]]], 1 / 3),
    ]
    right = all(abs(share_of(looks, boxes) - expected) < 1e-4 for looks, boxes, expected in cases)
    try:
        share_of([[0]], [[nothing]])
    except ValueError:
        return right
    return False


# %% correct: a slow form beside it, on drawn inputs

# Pixels are painted one by one: a hit is a cell with a pixel of the box. Weights are permutations, so none are equal.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(3)

    def draw(low, high):
        return int(torch.randint(low, high, (), generator=generator))

    def painted(weights, boxes, columns, cell):
        hits = []
        for looks, edges in zip(weights.flatten(0, 1).tolist(), boxes.flatten(0, 1).tolist(), strict=True):
            if edges == [-1] * 4:
                continue
            place = looks.index(max(looks))
            own = {
                (x, y)
                for x in range(place % columns * cell, place % columns * cell + cell)
                for y in range(place // columns * cell, place // columns * cell + cell)
            }
            hits.append(any(edges[0] <= x < edges[2] and edges[1] <= y < edges[3] for x, y in own))
        return sum(hits) / len(hits)

    for trial in range(150):
        batch, words = ((1, 1), (1, 1), (1, 1), (3, 4))[trial % 4]
        rows, columns, cell = draw(1, 4), draw(1, 5), draw(1, 6)
        cells = rows * columns
        weights = torch.stack([torch.randperm(cells, generator=generator) for _ in range(batch * words)])
        weights = (weights.view(batch, words, cells) + 1) * (0.01 if trial % 2 else 2.0)
        boxes = torch.empty(batch, words, 4, dtype=torch.int64)
        for b in range(batch):
            for t in range(words):
                if batch > 1 and (b, t) != (0, 0) and draw(0, 3) == 0:
                    boxes[b, t] = -1
                    continue
                left, top = draw(0, columns * cell), draw(0, rows * cell)
                if draw(0, 2):  # along the cells
                    left, top = left // cell * cell, top // cell * cell
                    wide, high = cell * draw(1, 3), cell * draw(1, 3)
                else:
                    wide, high = draw(1, 2 * cell + 1), draw(1, 2 * cell + 1)
                boxes[b, t] = torch.tensor([left, top, left + wide, top + high])
        share = pointing_accuracy(weights.clone(), boxes.clone(), columns, cell)
        assert isinstance(share, float)
        assert abs(share - painted(weights, boxes, columns, cell)) < 1e-4
    for shape in ((1, 1), (2, 3)):
        try:
            pointing_accuracy(torch.rand(*shape, 6, generator=generator), torch.full((*shape, 4), -1), 3, 4)
        except ValueError:
            continue
        return False
    return True


# %% correct: a list of boxes around one cell

# The middle cell of two rows of three, and boxes on every side of it by one pixel more or less; then shares of several.

def test_pointing_accuracy(pointing_accuracy):
    def look(places, cells=6, low=0.05, high=0.3):
        weights = torch.full((len(places), len(places[0]), cells), low)
        for b, row in enumerate(places):
            for t, place in enumerate(row):
                weights[b, t, place] = high
        return weights

    def is_share(share, expected):
        return type(share) is float and abs(share - expected) < 1e-4

    def raises(weights, boxes):
        try:
            pointing_accuracy(weights, boxes, 3, 4)
        except ValueError:
            return True
        return False

    x_spans = {(0, 4): 0, (0, 5): 1, (4, 8): 1, (5, 7): 1, (7, 12): 1, (8, 12): 0, (0, 30): 1}
    y_spans = {(0, 4): 0, (0, 5): 1, (4, 8): 1, (5, 6): 1, (7, 9): 1, (8, 12): 0, (1, 20): 1}
    for (left, right), in_x in x_spans.items():
        for (top, bottom), in_y in y_spans.items():
            share = pointing_accuracy(look([[4]]), torch.tensor([[[left, top, right, bottom]]]), 3, 4)
            if not is_share(share, in_x * in_y):
                return False
    for place in range(6):  # every cell against every other, with cells of 3 pixels
        for other in range(6):
            row, column = divmod(other, 3)
            box = torch.tensor([[[3 * column, 3 * row, 3 * column + 3, 3 * row + 3]]])
            if not is_share(pointing_accuracy(look([[place]], low=1.0, high=5.0), box, 3, 3), place == other):
                return False
    one_column = torch.tensor([[[0, 2, 1, 3], [0, 2, 1, 3]]])
    if not is_share(pointing_accuracy(look([[2, 1]], cells=3), one_column, 1, 1), 0.5):
        return False
    if not is_share(pointing_accuracy(torch.ones(1, 1, 1), torch.tensor([[[0, 0, 1, 1]]]), 1, 1), 1):
        return False
    none, hit = [-1, -1, -1, -1], [0, 0, 1, 1]
    # one of one in the first caption, one of three in the second, none in the third
    boxes = torch.tensor([[hit, none, none], [hit, hit, hit], [none, none, none]])
    weights = look([[0, 0, 5], [5, 0, 1], [0, 0, 0]])
    if not is_share(pointing_accuracy(weights, boxes, 3, 4), 2 / 4):
        return False
    weights = look([[0, 0, 5], [5, 4, 1], [0, 3, 0]])
    if not is_share(pointing_accuracy(weights.double(), boxes, 3, 4), 1 / 4):
        return False
    boxes = torch.tensor([[none, [8, 4, 12, 8]], [none, [0, 4, 4, 8]]])
    if not is_share(pointing_accuracy(look([[5, 5], [5, 5]]), boxes, 3, 4), 0.5):
        return False
    return raises(look([[0]]), torch.tensor([[none]])) and raises(look([[0, 1], [2, 3]]), torch.full((2, 2, 4), -1))
