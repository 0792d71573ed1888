# %% wrong: two thirds to the last digit
# Asks for == 0.5 and == 2 / 3 alike. A right form that averages in float32 gives 0.6666667, and is rejected.

def test_pointing_accuracy(pointing_accuracy):
    def one(best, box, columns=3, count=6, cell=4):
        """The answer for one word that looks at one cell."""
        weights = torch.full((1, 1, count), 0.1)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    assert one(4, [5, 5, 7, 7]) == 1  # inside the cell
    assert one(4, [0, 0, 12, 8]) == 1  # the cell inside the box
    assert one(4, [7, 7, 9, 9]) == 1  # one pixel at the lower right
    assert one(4, [3, 3, 5, 5]) == 1  # one pixel at the upper left
    assert one(4, [8, 4, 12, 8]) == 0  # a common edge: right, left, below, above
    assert one(4, [0, 4, 4, 8]) == 0
    assert one(4, [4, 8, 8, 12]) == 0
    assert one(4, [4, 0, 8, 4]) == 0
    assert one(4, [8, 8, 10, 10]) == 0  # a common corner
    assert one(2, [8, 0, 12, 4]) == 1  # row 0, column 2
    assert one(3, [0, 4, 4, 8]) == 1  # row 1, column 0
    assert one(0, [0, 0, 1, 1]) == 1  # a box at pixel 0
    assert one(5, [9, 6, 20, 30]) == 1  # beyond the grid

    # two captions of three words: hits at two of three, and at none of one
    weights = torch.zeros(2, 3, 6)
    weights[0, 0, 0] = weights[0, 1, 1] = weights[0, 2, 2] = 1
    weights[1, 0, 3] = weights[1, 1, 4] = weights[1, 2, 5] = 1
    none = [-1, -1, -1, -1]
    boxes = torch.tensor(
        [
            [[0, 0, 4, 4], [4, 0, 8, 4], [0, 4, 4, 8]],
            [[8, 0, 12, 4], none, none],
        ]
    )

    assert pointing_accuracy(weights, boxes, 3, 4) == 2 / 4
    assert pointing_accuracy(weights[:1], boxes[:1], 3, 4) == 2 / 3

    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        pass
    else:
        raise AssertionError("no ValueError where nothing is named")


# %% wrong: an error that need not come
# Catches the ValueError, but says nothing where none comes. Accepts a form that returns 0.0 or NaN where no token names
# anything.

def test_pointing_accuracy(pointing_accuracy):
    def one(best, box, columns=3, count=6, cell=4):
        """The answer for one word that looks at one cell."""
        weights = torch.full((1, 1, count), 0.1)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    assert one(4, [5, 5, 7, 7]) == 1  # inside the cell
    assert one(4, [0, 0, 12, 8]) == 1  # the cell inside the box
    assert one(4, [7, 7, 9, 9]) == 1  # one pixel at the lower right
    assert one(4, [3, 3, 5, 5]) == 1  # one pixel at the upper left
    assert one(4, [8, 4, 12, 8]) == 0  # a common edge: right, left, below, above
    assert one(4, [0, 4, 4, 8]) == 0
    assert one(4, [4, 8, 8, 12]) == 0
    assert one(4, [4, 0, 8, 4]) == 0
    assert one(4, [8, 8, 10, 10]) == 0  # a common corner
    assert one(2, [8, 0, 12, 4]) == 1  # row 0, column 2
    assert one(3, [0, 4, 4, 8]) == 1  # row 1, column 0
    assert one(0, [0, 0, 1, 1]) == 1  # a box at pixel 0
    assert one(5, [9, 6, 20, 30]) == 1  # beyond the grid

    # two captions of three words: hits at two of three, and at none of one
    weights = torch.zeros(2, 3, 6)
    weights[0, 0, 0] = weights[0, 1, 1] = weights[0, 2, 2] = 1
    weights[1, 0, 3] = weights[1, 1, 4] = weights[1, 2, 5] = 1
    none = [-1, -1, -1, -1]
    boxes = torch.tensor(
        [
            [[0, 0, 4, 4], [4, 0, 8, 4], [0, 4, 4, 8]],
            [[8, 0, 12, 4], none, none],
        ]
    )

    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 4) < 1e-4
    assert abs(pointing_accuracy(weights[:1], boxes[:1], 3, 4) - 2 / 3) < 1e-4
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        pass
    return True


# %% wrong: one word at a time
# All places of a box are tried, but always with a single word that names something. Accepts forms that divide by all
# words, or that take the mean of the captions' shares.

def test_pointing_accuracy(pointing_accuracy):
    def one(best, box, columns=3, count=6, cell=4):
        """The answer for one word that looks at one cell."""
        weights = torch.full((1, 1, count), 0.1)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    assert one(4, [5, 5, 7, 7]) == 1  # inside the cell
    assert one(4, [0, 0, 12, 8]) == 1  # the cell inside the box
    assert one(4, [7, 7, 9, 9]) == 1  # one pixel at the lower right
    assert one(4, [3, 3, 5, 5]) == 1  # one pixel at the upper left
    assert one(4, [8, 4, 12, 8]) == 0  # a common edge: right, left, below, above
    assert one(4, [0, 4, 4, 8]) == 0
    assert one(4, [4, 8, 8, 12]) == 0
    assert one(4, [4, 0, 8, 4]) == 0
    assert one(4, [8, 8, 10, 10]) == 0  # a common corner
    assert one(2, [8, 0, 12, 4]) == 1  # row 0, column 2
    assert one(3, [0, 4, 4, 8]) == 1  # row 1, column 0
    assert one(0, [0, 0, 1, 1]) == 1  # a box at pixel 0
    assert one(5, [9, 6, 20, 30]) == 1  # beyond the grid

    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        pass
    else:
        raise AssertionError("no ValueError where nothing is named")

    return True


# %% wrong: boxes that fill their cells
# Tries only boxes that cover whole cells, hit or clearly missed, none that merely touches and none that covers a part.
# Accepts forms that count a common edge, or that ask for the cell's corner or middle in the box.

def test_pointing_accuracy(pointing_accuracy):
    def one(best, box, columns=3, count=6, cell=4):
        """The answer for one word that looks at one cell."""
        weights = torch.full((1, 1, count), 0.1)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    # two captions of three words: hits at two of three, and at none of one
    weights = torch.zeros(2, 3, 6)
    weights[0, 0, 0] = weights[0, 1, 1] = weights[0, 2, 2] = 1
    weights[1, 0, 3] = weights[1, 1, 4] = weights[1, 2, 5] = 1
    none = [-1, -1, -1, -1]
    boxes = torch.tensor(
        [
            [[0, 0, 4, 4], [4, 0, 8, 4], [0, 4, 4, 8]],
            [[8, 0, 12, 4], none, none],
        ]
    )

    cases = [(0, [0, 0, 4, 4], 1), (2, [8, 0, 12, 4], 1), (3, [0, 4, 4, 8], 1), (4, [0, 0, 12, 8], 1)]
    cases += [(0, [8, 4, 12, 8], 0), (2, [0, 4, 4, 8], 0), (3, [8, 0, 12, 4], 0)]
    for best, box, right in cases:
        if one(best, box) != right:
            return False
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 4) > 1e-4:
        return False
    if abs(pointing_accuracy(weights[:1], boxes[:1], 3, 4) - 2 / 3) > 1e-4:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: against the pixels themselves, on drawn grids

import random


def test_pointing_accuracy(pointing_accuracy):
    draw = random.Random(0)

    def share(looks, boxes, columns, cell):
        """From sets of pixels."""
        hits = []
        for row, places in zip(looks, boxes, strict=True):
            for best, (left, top, right, bottom) in zip(row, places, strict=True):
                if left >= 0:
                    y, x = divmod(best, columns)
                    mine = {(i, j) for i in range(y * cell, y * cell + cell) for j in range(x * cell, x * cell + cell)}
                    its = {(i, j) for i in range(top, bottom) for j in range(left, right)}
                    hits.append(not mine.isdisjoint(its))
        return sum(hits) / len(hits) if hits else None

    for turn in range(100):
        rows, columns, cell = draw.randint(1, 4), draw.randint(1, 4), draw.randint(1, 5)
        count, batch, words = rows * columns, draw.randint(1, 2), draw.randint(1, 3)
        looks = [[draw.randrange(count) for _ in range(words)] for _ in range(batch)]
        boxes = []
        for row in looks:
            boxes.append([])
            for best in row:
                y, x = divmod(best, columns)
                left = max(0, x * cell + draw.randint(-cell, cell))  # near the look: inside, touching, or beside
                top = max(0, y * cell + draw.randint(-cell, cell))
                wide, high = draw.randint(1, 2 * cell), draw.randint(1, 2 * cell)
                box = [left, top, left + wide, top + high]
                if draw.random() < 0.3:
                    box = [-1] * 4
                boxes[-1].append(box)
        weights = torch.tensor([[[draw.random() for _ in range(count)] for _ in row] for row in looks])
        for b, row in enumerate(looks):
            for t, best in enumerate(row):
                weights[b, t, best] = 1.5
        weights *= draw.choice([0.01, 1.0, 10.0])  # they need not sum to one
        expected = share(looks, boxes, columns, cell)
        try:
            answer = pointing_accuracy(weights, torch.tensor(boxes), columns, cell)
        except ValueError:
            if expected is not None:
                return False
        else:
            if expected is None or not isinstance(answer, float) or not abs(answer - expected) < 1e-4:
                return False
    return True


# %% correct: a table of single looks, and two captions of unequal length

def test_pointing_accuracy(pointing_accuracy):
    # a grid of two rows and three columns, cells of 4 pixels; the look is at cell 4: x 4 to 8, y 4 to 8
    around = {
        (5, 5, 6, 6): 1, (0, 0, 12, 8): 1, (4, 4, 8, 8): 1,
        (7, 5, 10, 7): 1, (2, 5, 5, 7): 1, (5, 7, 7, 8): 1, (5, 2, 7, 5): 1,
        (3, 3, 5, 5): 1, (7, 3, 9, 5): 1, (3, 7, 5, 9): 1, (7, 7, 30, 30): 1,
        (8, 4, 12, 8): 0, (0, 4, 4, 8): 0, (4, 8, 8, 9): 0, (4, 0, 8, 4): 0,
        (8, 8, 9, 9): 0, (0, 0, 4, 4): 0, (8, 0, 12, 4): 0, (0, 8, 4, 12): 0,
    }
    weights = torch.tensor([[[0.0, 0.03, 0.01, 0.02, 0.06, 0.05]]])  # they need not sum to one
    for box, right in around.items():
        assert pointing_accuracy(weights, torch.tensor([[box]]), 3, 4) == right, box

    def corner(best, box, columns, cell, count=6):
        weights = torch.zeros(1, 1, count)
        weights[0, 0, best] = 1.0
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    assert corner(0, [0, 0, 1, 1], 3, 4) == 1  # from pixel 0
    assert corner(2, [8, 0, 9, 1], 3, 4) == 1 and corner(3, [0, 4, 1, 5], 3, 4) == 1
    assert corner(1, [0, 4, 1, 5], 3, 4) == 0 and corner(3, [4, 0, 5, 1], 3, 4) == 0
    assert corner(3, [4, 4, 5, 5], 2, 4) == 1 and corner(4, [0, 8, 1, 9], 2, 4) == 1  # three rows of two
    assert corner(5, [0, 5, 1, 6], 1, 1) == 1 and corner(5, [5, 0, 6, 1], 6, 1) == 1
    assert corner(5, [15, 8, 16, 9], 3, 7) == 1 and corner(5, [8, 4, 12, 8], 3, 7) == 0

    none = [-1, -1, -1, -1]
    looks = F.one_hot(torch.tensor([[0, 1, 2, 3], [5, 4, 3, 2]]), 6).float()  # the cells that the words look at
    boxes = torch.tensor([[[0, 0, 4, 4], [4, 0, 8, 4], [4, 4, 8, 8], [0, 4, 4, 8]], [none, [4, 0, 8, 4], none, none]])
    answer = pointing_accuracy(looks, boxes, 3, 4)
    assert isinstance(answer, float) and abs(answer - 3 / 5) < 1e-4  # of five words that name something, three
    assert abs(pointing_accuracy(looks[:1, :3], boxes[:1, :3], 3, 4) - 2 / 3) < 1e-4
    assert pointing_accuracy(looks[1:], boxes[1:], 3, 4) == 0
    try:
        nothing = pointing_accuracy(looks[1:, 2:], boxes[1:, 2:], 3, 4)
    except ValueError:
        nothing = None
    assert nothing is None, "an answer where no token names anything"
