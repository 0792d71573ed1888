# %% wrong: no error is as good as the right one
# Where the function gives back a number although no token names anything, the try block just ends: a form without
# the ValueError, which returns 0.0 or nan, is accepted.

def test_pointing_accuracy(pointing_accuracy):
    def one(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.1)
        weights[0, 0, best] = 0.4
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    def near(a, b):
        return isinstance(a, float) and abs(a - b) < 1e-4

    # cell 5 of 2 x 3 cells of 4 pixels: x from 8 to 12, y from 4 to 8
    for box, expected in (
        ((8, 4, 12, 8), 1.0),
        ((9, 5, 10, 6), 1.0),
        ((0, 0, 9, 5), 1.0),
        ((11, 7, 30, 30), 1.0),
        ((0, 0, 20, 20), 1.0),
        ((0, 5, 20, 6), 1.0),
        ((9, 0, 10, 20), 1.0),
        ((4, 4, 8, 8), 0.0),
        ((12, 4, 16, 8), 0.0),
        ((8, 0, 12, 4), 0.0),
        ((8, 8, 12, 12), 0.0),
        ((4, 0, 8, 4), 0.0),
        ((12, 8, 16, 12), 0.0),
        ((0, 0, 4, 4), 0.0),
        ((4, 8, 8, 12), 0.0),
    ):
        if not near(one(5, box), expected):
            return False
    if not near(one(1, (4, 0, 8, 4)), 1.0) or not near(one(3, (0, 4, 2, 6)), 1.0):
        return False
    if not near(one(2, (6, 0, 7, 2), 3, 2, 3), 0.0) or not near(one(4, (0, 6, 1, 7), 3, 2, 3), 1.0):
        return False
    nothing = [-1] * 4
    weights = torch.full((2, 3, 6), 0.1)
    weights[:, :, 2] = 5.0
    boxes = torch.tensor([[nothing, nothing, [9, 1, 11, 3]], [[8, 0, 12, 4], [0, 4, 3, 7], [0, 0, 3, 3]]])
    if not near(pointing_accuracy(weights, boxes, 3, 4), 0.5):
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        pass
    return True

# %% wrong: common edges at two sides only
# Boxes that end where the cell begins are tried, boxes that begin where the cell ends are not: a form with <= in place
# of < at the cell's right or lower edge is accepted.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)

    def one(best, box, rows=2, columns=3, cell=4):
        weights = torch.rand(1, 1, rows * columns, generator=generator)
        weights[0, 0, best] = 2.0
        share = pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)
        assert isinstance(share, float)
        return share

    # cell 4: x from 4 to 8, y from 4 to 8
    assert one(4, [4, 4, 8, 8]) == 1
    assert one(4, [5, 5, 6, 6]) == 1  # inside
    assert one(4, [0, 0, 12, 8]) == 1  # around
    assert one(4, [0, 5, 12, 6]) == 1 and one(4, [5, 0, 6, 40]) == 1  # across
    assert one(4, [0, 0, 5, 5]) == 1 and one(4, [7, 7, 50, 50]) == 1  # a pixel
    assert one(4, [0, 4, 4, 8]) == 0  # edges
    assert one(4, [4, 0, 8, 4]) == 0
    assert one(4, [0, 0, 4, 4]) == 0  # a corner
    assert one(4, [9, 9, 12, 12]) == 0 and one(4, [0, 0, 2, 2]) == 0  # far away
    assert one(1, [4, 0, 8, 4]) == 1 and one(2, [0, 4, 4, 8]) == 0
    assert one(0, [0, 0, 1, 1]) == 1 and one(5, [8, 4, 12, 8]) == 1
    assert one(5, [4, 8, 6, 10], 4, 2, 3) == 1 and one(3, [3, 3, 6, 6], 4, 2, 3) == 1
    nothing = [-1, -1, -1, -1]
    weights = torch.rand(2, 3, 6, generator=generator)
    weights[:, :, 0] = 3.0
    boxes = torch.tensor([[nothing, [0, 0, 3, 3], nothing], [[0, 0, 2, 9], [8, 0, 12, 4], [9, 5, 11, 7]]])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 0.5) < 1e-4
    boxes[1, 2] = -1
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 3) < 1e-4
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 4)
    except ValueError:
        return True
    return False

# %% wrong: an empty box must be a miss
# The docstring says that a box is never empty. A right form may call an empty box within the cell a hit, as one
# that compares the edges does (x < right and left < x + cell), and this test rejects it.

def test_pointing_accuracy(pointing_accuracy):
    def share(best, boxes, columns, cell, cells):
        weights = torch.zeros(1, len(best), cells)
        for t, n in enumerate(best):
            weights[0, t] = torch.arange(cells) / 100
            weights[0, t, n] = 1.0
        result = pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
        assert type(result) is float
        return result

    def is_hit(n, box, columns=3, cell=4, cells=6):
        return share([n], [box], columns, cell, cells) > 0.5

    def edges(n, columns=3, cell=4):
        x, y = cell * (n % columns), cell * (n // columns)
        return x, y, x + cell, y + cell

    for n in range(6):
        left, top, right, bottom = edges(n)
        for m in range(6):
            assert is_hit(n, list(edges(m))) == (m == n)
        assert is_hit(n, [left + 1, top + 1, left + 2, top + 2])
        assert is_hit(n, [right - 1, bottom - 1, right + 30, bottom + 30])
        assert is_hit(n, [0, 0, left + 1, top + 1])
        assert is_hit(n, [0, top + 1, 20, top + 2]) and is_hit(n, [left + 1, 0, left + 2, 20])
        assert not is_hit(n, [right, top, right + 1, bottom]) and not is_hit(n, [left, bottom, right, bottom + 1])
        # a box without any area shares none
        assert not is_hit(n, [left + 2, top + 2, left + 2, top + 2])
    assert is_hit(5, [3, 6, 6, 9], 2, 3, 8) and not is_hit(5, [0, 6, 3, 9], 2, 3, 8)
    nothing = [-1, -1, -1, -1]
    assert abs(share([0, 1, 2, 3], [[0, 0, 4, 4], nothing, [8, 0, 9, 1], [4, 4, 5, 5]], 3, 4, 6) - 2 / 3) < 1e-4
    weights = torch.tensor([[[0.1, 0.9], [0.1, 0.9]], [[0.1, 0.9], [0.1, 0.9]]])
    boxes = torch.tensor([[[2, 0, 3, 1], nothing], [[0, 0, 1, 1], [0, 0, 2, 2]]])
    assert abs(pointing_accuracy(weights, boxes, 2, 2) - 1 / 3) < 1e-4
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 2, 2)
    except ValueError:
        return True
    return False

# %% wrong: captions one at a time
# Every call has a single caption. A form that takes the mean of the captions' own shares, instead of one share over all their
# words, is accepted.

def test_pointing_accuracy(pointing_accuracy):
    nothing = (-1, -1, -1, -1)

    def check_one(expected, best, boxes, rows, columns, cell):
        weights = torch.linspace(0.01, 0.3, rows * columns).repeat(1, len(best), 1)
        weights[0, torch.arange(len(best)), torch.tensor(best)] = 0.7
        got = pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
        assert isinstance(got, float) and abs(got - expected) < 1e-4

    for row in range(2):
        for column in range(3):
            x, y, n = 5 * column, 5 * row, 3 * row + column
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if x + 5 * dx >= 0 and y + 5 * dy >= 0:
                        box = (x + 5 * dx, y + 5 * dy, x + 5 * dx + 5, y + 5 * dy + 5)
                        check_one(float(dx == dy == 0), [n], [box], 2, 3, 5)
            check_one(1.0, [n], [(x + 2, y + 2, x + 3, y + 3)], 2, 3, 5)
            check_one(1.0, [n], [(0, y + 2, 40, y + 3)], 2, 3, 5)
            check_one(1.0, [n], [(x + 2, 0, x + 3, 40)], 2, 3, 5)
            check_one(1.0, [n], [(x + 4, y + 4, x + 7, y + 7)], 2, 3, 5)
            check_one(1.0, [n], [(0, 0, x + 1, y + 1)], 2, 3, 5)
    check_one(1.0, [4], [(0, 4, 2, 6)], 3, 2, 2)
    check_one(2 / 3, [0, 1, 2, 3], [(0, 0, 1, 1), nothing, (2, 0, 4, 1), (6, 0, 9, 2)], 1, 4, 2)
    check_one(0.25, [3, 3, 3, 3, 0], [(0, 0, 2, 2), (3, 3, 9, 9), (0, 2, 2, 4), (2, 0, 4, 2), nothing], 2, 2, 2)
    try:
        check_one(0.0, [0, 1], [nothing, nothing], 2, 2, 2)
    except ValueError:
        return True
    return False

# %% correct: against a count of pixels
# About a hundred boxes of every position to a cell, one a call, each compared with a count of common pixels.
def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(1)
    nothing = (-1, -1, -1, -1)

    def expected(best, boxes, columns, cell):
        hits = []
        for n, (left, top, right, bottom) in zip(best, boxes, strict=True):
            if left < 0:
                continue
            x, y = n % columns * cell, n // columns * cell
            shared = sum(left <= px < right for px in range(x, x + cell))
            shared *= sum(top <= py < bottom for py in range(y, y + cell))
            hits.append(shared > 0)
        return sum(hits) / len(hits)

    def agrees(best, boxes, shape, rows, columns, cell):
        """best and boxes of all tokens, caption after caption; shape is (B, T)."""
        order = torch.stack([torch.randperm(rows * columns, generator=generator) for _ in best])
        weights = 0.01 + order / 300
        # flat maps count as well as sharp ones
        weights[torch.arange(len(best)), torch.tensor(best)] = 0.06 if sum(boxes[0]) % 2 else 3.0
        weights = weights.reshape(*shape, rows * columns)
        share = pointing_accuracy(weights, torch.tensor(boxes).reshape(*shape, 4), columns, cell)
        return isinstance(share, float) and abs(share - expected(best, boxes, columns, cell)) < 1e-4

    for rows, columns, cell, n in ((2, 3, 4, 4), (4, 2, 3, 5), (2, 5, 5, 3), (3, 3, 1, 4)):
        x, y = n % columns * cell, n // columns * cell
        ends = [(x - 1, x), (x, x + 1), (x + cell - 1, x + cell), (x + cell, x + cell + 1), (0, x + cell + 9)]
        tops = [(y - 1, y), (y, y + 1), (y + cell - 1, y + cell), (y + cell, y + cell + 1), (0, y + cell + 9)]
        for left, right in ends:
            for top, bottom in tops:
                if left >= 0 and top >= 0:
                    if not agrees([n], [(left, top, right, bottom)], (1, 1), rows, columns, cell):
                        return False
    for cell in (1, 2, 7):  # a middle pixel, whole cells, corner cells
        for n, box in (
            (0, (0, 0, 1, 1)),
            (5, (2 * cell + cell // 2, cell + cell // 2, 2 * cell + cell // 2 + 1, cell + cell // 2 + 1)),
            (1, (0, cell, cell, 2 * cell)),
            (3, (0, cell, cell, 2 * cell)),
            (2, (0, cell, 2 * cell, 2 * cell)),
        ):
            if not agrees([n], [box], (1, 1), 2, 3, cell):
                return False
    if not agrees([0], [(3, 3, 4, 4)], (1, 1), 1, 1, 4) or not agrees([0], [(9, 9, 12, 12)], (1, 1), 1, 1, 4):
        return False
    here, there, beyond = (8, 4, 12, 8), (0, 0, 4, 4), (9, 6, 40, 50)
    for shape, best, boxes in (
        ((2, 3), [5] * 6, [nothing, here, nothing, there, here, there]),
        ((3, 2), [5, 0, 5, 5, 1, 2], [here, here, nothing, nothing, there, beyond]),
        ((1, 5), [0, 5, 2, 5, 0], [nothing, beyond, nothing, here, here]),
        ((4, 1), [0, 5, 0, 0], [nothing, here, nothing, there]),
        ((2, 4), [0, 0, 0, 5, 5, 5, 0, 0], [there, here, here, here, nothing, nothing, nothing, there]),
    ):
        if not agrees(best, boxes, shape, 2, 3, 4):
            return False
    for shape in ((1, 1), (2, 3)):
        try:
            pointing_accuracy(torch.rand(*shape, 6, generator=generator), torch.full((*shape, 4), -1), 3, 4)
        except ValueError:
            continue
        return False
    return True

# %% correct: pixel by pixel, then a few larger boxes by hand
# A box of one pixel walks over the grid: it must be a hit in exactly the pixels of the cell. Then boxes of several pixels,
# and captions whose shares are known.
def test_pointing_accuracy(pointing_accuracy):
    def share_of(looks, boxes, cells, columns, cell):
        top = 0.04 if cells == 8 else 5.0  # a flat map counts as well
        weights = torch.tensor(
            [[[top if n == look else 0.02 + 0.001 * n for n in range(cells)] for look in row] for row in looks]
        )
        share = pointing_accuracy(weights, torch.tensor(boxes), columns, cell)
        assert isinstance(share, float)
        return share

    def hit(look, box, cells=6, columns=3, cell=2):
        share = share_of([[look]], [[list(box)]], cells, columns, cell)
        assert share in (0.0, 1.0)
        return share == 1.0

    for look in (0, 4, 5):  # a grid of 2 x 3 cells of 2 pixels, and one pixel more to the right and below
        own = {(2 * (look % 3) + i, 2 * (look // 3) + j) for i in (0, 1) for j in (0, 1)}
        for x in range(7):
            for y in range(5):
                assert hit(look, (x, y, x + 1, y + 1)) == ((x, y) in own)
    # another grid: 4 x 2 cells of 3 pixels; cell 5 is x from 3 to 6, y from 6 to 9
    for box, wanted in (
        ((0, 0, 30, 30), True),  # around the cell
        ((4, 0, 5, 30), True),  # a bar down
        ((0, 7, 30, 8), True),  # a bar across
        ((3, 6, 6, 9), True),
        ((0, 0, 4, 7), True),  # each corner of the cell
        ((5, 8, 9, 12), True),
        ((5, 0, 9, 7), True),
        ((0, 8, 4, 12), True),
        ((0, 6, 3, 9), False),  # each edge
        ((6, 6, 9, 9), False),
        ((3, 0, 6, 6), False),
        ((3, 9, 6, 20), False),
        ((0, 0, 3, 6), False),  # the corners alone
        ((6, 9, 20, 20), False),
        ((0, 9, 3, 12), False),
        ((6, 0, 9, 6), False),
        ((0, 0, 2, 2), False),
        ((8, 11, 20, 30), False),
    ):
        assert hit(5, box, 8, 2, 3) == wanted
    nothing, on, off = [-1] * 4, [0, 0, 3, 3], [5, 5, 7, 7]

    def near(looks, boxes, wanted):
        assert abs(share_of(looks, boxes, 6, 3, 4) - wanted) < 1e-4

    near([[0, 0], [0, 0], [0, 0]], [[on, nothing], [off, on], [nothing, nothing]], 2 / 3)
    near([[0, 0, 0, 4], [0, 0, 0, 0]], [[off, off, off, off], [nothing, nothing, nothing, on]], 0.4)
    near([[0, 0, 4, 0, 4]], [[nothing, on, on, nothing, off]], 2 / 3)
    near([[4], [4], [0], [0]], [[on], [on], [on], [nothing]], 1 / 3)
    for looks in ([[0]], [[1, 2], [3, 4]]):
        try:
            share_of(looks, [[nothing] * len(looks[0])] * len(looks), 6, 3, 4)
        except ValueError:
            continue
        raise AssertionError("nothing was named, and no ValueError came")
    return True
