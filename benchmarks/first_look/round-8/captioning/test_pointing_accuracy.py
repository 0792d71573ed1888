# %% wrong: two thirds wanted to the last digit
# The shares 1/3 and 2/3 are compared with ==, so a right form that takes the mean in float32 (0.6666667) is refused.

def test_pointing_accuracy(pointing_accuracy):
    def one(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.01)
        weights[0, 0, best] = 0.9
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for best in range(6):
        row, column = divmod(best, 3)
        left, top = 4 * column, 4 * row
        assert one(best, [left, top, left + 4, top + 4]) == 1.0
        assert one(best, [left + 3, top + 3, left + 6, top + 6]) == 1.0
        assert one(best, [left - 1 if left else 0, top - 1 if top else 0, left + 1, top + 1]) == 1.0
        assert one(best, [left + 4, top, left + 8, top + 4]) == 0.0
        assert one(best, [left, top + 4, left + 4, top + 8]) == 0.0
        if left:
            assert one(best, [left - 4, top, left, top + 4]) == 0.0
        if top:
            assert one(best, [left, top - 4, left + 4, top]) == 0.0
    none = [-1, -1, -1, -1]
    weights = torch.full((2, 3, 6), 0.1)
    weights[:, :, 0] = 0.5
    boxes = torch.tensor([[[1, 1, 3, 3], none, [8, 4, 12, 8]], [[2, 2, 9, 9], none, none]])
    assert pointing_accuracy(weights, boxes, 3, 4) == 2 / 3
    boxes = torch.tensor([[[5, 5, 7, 7], none, [8, 4, 12, 8]], [[2, 2, 9, 9], none, none]])
    assert pointing_accuracy(weights, boxes, 3, 4) == 1 / 3
    assert isinstance(pointing_accuracy(weights, boxes, 3, 4), float)
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: of equal weights the first must win
# Among careful cases there is one with all weights equal, which has to be a hit for the box on cell 0 and a miss for
# the box on the last cell: a right form that takes the last of the largest is refused.

def test_pointing_accuracy(pointing_accuracy):
    def share(bests, boxes, cells=6, columns=3, cell=4):
        weights = F.one_hot(torch.tensor(bests), cells).float() * 0.8 + 0.2 / cells
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    none = [-1] * 4
    cases = [
        ([[5]], [[[8, 4, 12, 8]]], 1.0),
        ([[2]], [[[8, 0, 12, 4]]], 1.0),
        ([[3]], [[[0, 4, 4, 8]]], 1.0),
        ([[3]], [[[4, 0, 8, 4]]], 0.0),
        ([[1]], [[[0, 4, 4, 8]]], 0.0),
        ([[4]], [[[0, 4, 4, 8]]], 0.0),
        ([[4]], [[[8, 4, 12, 8]]], 0.0),
        ([[4]], [[[4, 0, 8, 4]]], 0.0),
        ([[1]], [[[4, 4, 8, 8]]], 0.0),
        ([[4]], [[[7, 7, 12, 8]]], 1.0),
        ([[4]], [[[0, 0, 5, 5]]], 1.0),
        ([[4]], [[[5, 5, 6, 6]]], 1.0),
        ([[0, 1]], [[[0, 0, 3, 3], none]], 1.0),
        ([[0, 1], [2, 3]], [[[0, 0, 3, 3], none], [[0, 0, 3, 3], [9, 5, 11, 7]]], 1 / 3),
    ]
    for bests, boxes, wanted in cases:
        got = share(bests, boxes)
        if not isinstance(got, float) or abs(got - wanted) > 1e-5:
            return False
    even = torch.full((1, 1, 6), 1 / 6)
    if pointing_accuracy(even, torch.tensor([[[0, 0, 4, 4]]]), 3, 4) != 1.0:
        return False
    if pointing_accuracy(even, torch.tensor([[[8, 4, 12, 8]]]), 3, 4) != 0.0:
        return False
    try:
        share([[0, 1]], [[none, none]])
    except ValueError:
        return True
    return False


# %% wrong: the missing error goes unseen
# The call without any named token is wrapped in try and except ValueError, but nothing says that it failed where no
# error comes: a form that returns 0.0 or nan there is passed.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)
    rows, columns, cell = 3, 4, 5
    for _ in range(100):
        weights = torch.rand(2, 3, rows * columns, generator=generator).softmax(dim=2)
        left = torch.randint(0, columns * cell, (2, 3), generator=generator)
        top = torch.randint(0, rows * cell, (2, 3), generator=generator)
        width, height = torch.randint(1, 9, (2, 2, 3), generator=generator)
        boxes = torch.stack([left, top, left + width, top + height], dim=2)
        boxes[0, 1] = -1
        hits = []
        for b in range(2):
            for t in range(3):
                x1, y1, x2, y2 = boxes[b, t].tolist()
                if x1 == -1:
                    continue
                row, column = divmod(weights[b, t].argmax().item(), columns)
                hits.append(column * cell < x2 and column * cell + cell > x1 and row * cell < y2 and row * cell + cell > y1)
        got = pointing_accuracy(weights, boxes, columns, cell)
        assert isinstance(got, float)
        assert abs(got - sum(hits) / len(hits)) < 1e-5
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), columns, cell)
    except ValueError:
        pass
    return True


# %% wrong: square grids only
# Every case has a grid of 3 x 3 cells of 4 pixels: a form that takes the square root of N for the columns, or divides
# by the number of rows, is passed, and so is one that has the 4 written into it.

def test_pointing_accuracy(pointing_accuracy):
    def share(best, *boxes):
        weights = torch.full((1, len(boxes), 9), 0.05)
        weights[..., best] = 0.6
        return pointing_accuracy(weights, torch.tensor([boxes]), 3, 4)

    def near(a, b):
        return isinstance(a, float) and abs(a - b) < 1e-4

    nothing = (-1, -1, -1, -1)
    for best in range(9):
        top, left = 4 * (best // 3), 4 * (best % 3)
        for dx, dy in ((-3, 0), (3, 0), (0, -3), (0, 3), (3, 3), (3, -3), (-3, 3)):
            box = (left + dx, top + dy, left + dx + 4, top + dy + 4)
            if min(box) >= 0 and not near(share(best, box), 1.0):
                return False
        for dx, dy in ((-4, 0), (4, 0), (0, -4), (0, 4), (4, 4), (-4, -4)):
            box = (left + dx, top + dy, left + dx + 4, top + dy + 4)
            if min(box) >= 0 and not near(share(best, box), 0.0):
                return False
    if not near(share(0, (0, 0, 4, 4), nothing, (6, 6, 9, 9), nothing), 0.5):
        return False
    try:
        share(0, nothing, nothing)
    except ValueError:
        return True
    return False


# %% correct: a picture of boxes drawn by hand, read cell by cell

def test_pointing_accuracy(pointing_accuracy):
    none = (-1, -1, -1, -1)

    def ask(bests, boxes, cells, columns, cell, largest=0.3):
        """bests and boxes: for each picture of the batch a list, one entry a token."""
        pictures, steps = len(bests), len(bests[0])
        weights = torch.full((pictures, steps, cells), (1 - largest) / max(cells - 1, 1))
        for b, row in enumerate(bests):
            for t, best in enumerate(row):
                weights[b, t, best] = largest if cells > 1 else 1.0
        return pointing_accuracy(weights, torch.tensor(boxes, dtype=torch.int64), columns, cell)

    def is_share(answer, hits, named):
        assert isinstance(answer, float)
        assert abs(answer - hits / named) < 1e-5

    # A box for every cell: all boxes but the last begin or end somewhere within cells. Grids of 2 x 3, 3 x 2, 4 x 7.
    for rows, columns, cell, (left, top, right, bottom) in (
        (2, 3, 4, (4, 0, 8, 4)),  # exactly cell 1: its neighbours share an edge or a corner
        (2, 3, 4, (0, 4, 4, 8)),
        (3, 2, 5, (5, 5, 10, 10)),  # the middle row, right: edges above and below
        (3, 3, 4, (4, 4, 8, 8)),  # the middle: edges and corners all round
        (3, 3, 4, (3, 3, 9, 9)),  # one pixel more on every side
        (3, 3, 6, (8, 8, 9, 9)),  # inside one cell, off its centre
        (3, 5, 4, (0, 5, 20, 6)),  # flat, over all columns
        (4, 7, 3, (13, 0, 14, 12)),  # narrow, over all rows
        (2, 3, 4, (0, 0, 12, 8)),  # everything
        (2, 3, 4, (0, 0, 1, 1)),
        (2, 3, 8, (23, 15, 24, 16)),
    ):
        drawn = [[left <= x < right and top <= y < bottom for x in range(columns * cell)] for y in range(rows * cell)]
        on_it = []
        for n in range(rows * columns):
            y, x = n // columns * cell, n % columns * cell
            on_it.append(any(any(line[x : x + cell]) for line in drawn[y : y + cell]))
        # each cell by itself where they are few, and then all as the tokens of one caption
        if rows * columns <= 9:
            for n, hit in enumerate(on_it):
                is_share(ask([[n]], [[(left, top, right, bottom)]], rows * columns, columns, cell), hit, 1)
        everywhere = [list(range(rows * columns))]
        boxes = [[(left, top, right, bottom)] * (rows * columns)]
        is_share(ask(everywhere, boxes, rows * columns, columns, cell), sum(on_it), len(on_it))

    # One cell in all, and a row of cells, and a column.
    is_share(ask([[0]], [[(0, 0, 2, 2)]], 1, 1, 2), 1, 1)
    is_share(ask([[4]], [[(8, 0, 10, 2)]], 5, 5, 2), 1, 1)
    is_share(ask([[4]], [[(0, 8, 2, 10)]], 5, 1, 2), 1, 1)

    # Who counts: over all tokens of all pictures, and only those that name something.
    hit, miss = (0, 0, 3, 3), (8, 4, 12, 8)
    is_share(ask([[0, 0, 0], [0, 0, 0]], [[hit, miss, miss], [hit, none, none]], 6, 3, 4), 2, 4)
    is_share(ask([[0, 0, 0], [0, 0, 0]], [[miss, miss, hit], [none, none, none]], 6, 3, 4), 1, 3)
    is_share(ask([[0, 0], [5, 5]], [[none, hit], [hit, none]], 6, 3, 4), 1, 2)
    is_share(ask([[0, 0, 0, 0]], [[none, none, miss, none]], 6, 3, 4), 0, 1)
    is_share(ask([[0, 5, 0, 1]], [[none, miss, none, none]], 6, 3, 4), 1, 1)
    is_share(ask([[5], [0], [1]], [[miss], [miss], [(5, 1, 6, 3)]], 6, 3, 4), 2, 3)
    is_share(ask([[0, 5], [5, 0]], [[hit, miss], [miss, hit]], 6, 3, 4), 4, 4)
    # A weak largest weight is one too, and a strong one.
    is_share(ask([[3]], [[(0, 4, 4, 8)]], 6, 3, 4, largest=0.18), 1, 1)
    is_share(ask([[3]], [[(0, 0, 4, 4)]], 6, 3, 4, largest=0.18), 0, 1)
    is_share(ask([[3]], [[(0, 0, 4, 4)]], 6, 3, 4, largest=0.99), 0, 1)
    is_share(ask([[3]], [[(1, 5, 3, 7)]], 6, 3, 4, largest=0.99), 1, 1)

    for bests, boxes in (([[0]], [[none]]), ([[0, 1], [2, 3]], [[none, none], [none, none]])):
        try:
            ask(bests, boxes, 6, 3, 4)
        except ValueError:
            continue
        return False
    return True


# %% correct: drawn inputs against the areas, and one at a time to see the edges

def test_pointing_accuracy(pointing_accuracy):
    dice = torch.Generator().manual_seed(11)

    def draw(low, high):
        return int(torch.randint(low, high + 1, (1,), generator=dice))

    def overlap(n, box, columns, cell):
        x, y = n % columns * cell, n // columns * cell
        across = min(x + cell, box[2]) - max(x, box[0])
        down = min(y + cell, box[3]) - max(y, box[1])
        return across > 0 and down > 0

    def agrees(bests, boxes, cells, columns, cell):
        noise = torch.rand(len(bests), len(bests[0]), cells, generator=dice)
        for b, line in enumerate(bests):
            for t, n in enumerate(line):
                noise[b, t, n] = 1.5  # more than any other, and no majority
        weights = noise / noise.sum(dim=2, keepdim=True)
        found = pointing_accuracy(weights, torch.tensor(boxes), columns, cell)
        judged = [
            overlap(n, box, columns, cell)
            for line, row in zip(bests, boxes)
            for n, box in zip(line, row)
            if box != [-1, -1, -1, -1]
        ]
        return type(found) is float and abs(found - sum(judged) / len(judged)) < 1e-4

    # Single tokens: the box's edges near the cell's, on every side, in the middle of a grid that is not square.
    columns, rows, cell = 4, 3, 6
    for n in (5, 6):
        x, y = n % columns * cell, n // columns * cell
        for box in (
            [x - 6, y - 6, x, y + 12], [x - 6, y - 6, x + 1, y + 12], [x + 6, y - 6, x + 12, y + 12],
            [x + 5, y - 6, x + 12, y + 12], [x - 6, y - 6, x + 12, y], [x - 6, y - 6, x + 12, y + 1],
            [x - 6, y + 6, x + 12, y + 12], [x - 6, y + 5, x + 12, y + 12], [x, y, x + 6, y + 6],
            [x + 1, y + 1, x + 2, y + 2], [x + 4, y + 4, x + 5, y + 5], [x - 5, y - 5, x + 1, y + 1],
            [x + 5, y + 5, x + 11, y + 11], [x - 6, y - 6, x, y], [x + 6, y + 6, x + 12, y + 12],
            [x - 6, y + 2, x + 12, y + 3], [x + 2, y - 6, x + 3, y + 12], [x - 6, y - 6, x + 12, y + 12],
        ):  # fmt: skip
            assert agrees([[n]], [[box]], rows * columns, columns, cell), (n, box)
    # A whole cell's box against every cell, so that rows and columns cannot be taken for each other.
    for n in range(6):
        for other in range(6):
            x, y = other % 3 * 5, other // 3 * 5
            assert agrees([[n]], [[[x, y, x + 5, y + 5]]], 6, 3, 5), (n, other)
    # Batches of captions, with tokens that name nothing, on grids of any shape.
    for _ in range(100):
        rows, columns, cell = draw(1, 4), draw(1, 5), draw(2, 7)
        pictures, steps = draw(1, 3), draw(1, 4)
        bests = [[draw(0, rows * columns - 1) for _ in range(steps)] for _ in range(pictures)]
        boxes = []
        for line in bests:
            boxes.append([])
            for n in line:
                if draw(0, 3) == 0:
                    boxes[-1].append([-1, -1, -1, -1])
                    continue
                near = draw(0, 1) == 1
                left = max(0, n % columns * cell + draw(-4, 4)) if near else draw(0, columns * cell - 1)
                top = max(0, n // columns * cell + draw(-4, 4)) if near else draw(0, rows * cell - 1)
                left, top = min(left, columns * cell - 1), min(top, rows * cell - 1)
                boxes[-1].append([left, top, draw(left + 1, columns * cell), draw(top + 1, rows * cell)])
        if all(box[0] == -1 for row in boxes for box in row):
            boxes[0][0] = [0, 0, 1, 1]
        assert agrees(bests, boxes, rows * columns, columns, cell)
    # Without anything named.
    try:
        pointing_accuracy(torch.tensor([[[0.5, 0.2, 0.3]]]), torch.full((1, 1, 4), -1), 3, 4)
    except ValueError:
        return True
    assert False, "nothing was named, and no ValueError came"
