# %% wrong: no box that only touches
# Every box lies well on the cell or well away from it; a common edge or corner is never tried.
# Shows for a pointing_accuracy with <= in place of <: it is let pass.

def test_pointing_accuracy(pointing_accuracy):
    def one(n, box, columns=3, places=6, cell=4):
        weights = torch.full((1, 1, places), 0.1)
        weights[0, 0, n] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for n in range(6):
        row, column = divmod(n, 3)
        left, top = 4 * column, 4 * row
        assert one(n, [left + 1, top + 1, left + 3, top + 3]) == 1.0  # inside the cell
        assert one(n, [left + 3, top + 3, left + 6, top + 6]) == 1.0  # one pixel of it
        assert one(n, [left + 6, top, left + 9, top + 4]) == 0.0  # right of it, with a gap
        assert one(n, [left, top + 6, left + 4, top + 9]) == 0.0  # below it, with a gap
    assert isinstance(one(0, [1, 1, 3, 3]), float)

    weights = torch.eye(6)[[0, 0, 5, 5]].view(2, 2, 6)
    boxes = torch.tensor([[[0, 0, 3, 3], [-1] * 4], [[1, 1, 3, 3], [9, 5, 11, 7]]])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 3) < 1e-5
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: two thirds to the last digit
# The share 2/3 is asked for with ==, so a right function that takes the mean in float32 is called wrong.
# Shows for a pointing_accuracy that returns hits.float().mean().item().

def test_pointing_accuracy(pointing_accuracy):
    def pointed(cells, boxes, columns=3, places=6, cell=4):
        weights = F.one_hot(torch.tensor(cells), places).float()
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    for box, wanted in (
        ([5, 1, 7, 3], 1.0),
        ([0, 0, 4, 4], 0.0),
        ([8, 0, 12, 4], 0.0),
        ([4, 4, 8, 8], 0.0),
        ([0, 0, 5, 1], 1.0),
        ([7, 3, 12, 8], 1.0),
        ([0, 4, 4, 8], 0.0),
    ):
        if pointed([[1]], [[box]]) != wanted:
            return False
    if pointed([[5]], [[[9, 5, 10, 6]]]) != 1.0 or pointed([[3]], [[[9, 1, 10, 2]]]) != 0.0:
        return False
    if pointed([[0, 1, 2], [3, 4, 5]], [[[0, 0, 2, 2], nothing, nothing], [[0, 0, 2, 2], [5, 5, 6, 6], nothing]]) != 2 / 3:
        return False
    try:
        pointed([[0, 1]], [[nothing, nothing]])
    except ValueError:
        return True
    return False


# %% wrong: a square grid, and the cells of its diagonal
# The grid is 3 x 3 and the most weighted cells lie on its diagonal, where row and column are one number.
# Shows for a pointing_accuracy that takes n % columns for the row: it is let pass.

def test_pointing_accuracy(pointing_accuracy):
    def one(n, *box):
        weights = torch.rand(1, 1, 9, generator=torch.Generator().manual_seed(n))
        weights[0, 0, n] = 2.0
        return pointing_accuracy(weights, torch.tensor([[list(box)]]), 3, 4)

    for place in range(3):
        n, a, b = 4 * place, 4 * place, 4 * place + 4
        if one(n, a, a, b, b) != 1.0 or one(n, a + 1, a + 1, b - 1, b - 1) != 1.0:
            return False
        if one(n, a - 2, a - 2, a + 1, a + 1) != 1.0 or one(n, b - 1, b - 1, b + 3, b + 3) != 1.0:
            return False
        if one(n, b, a, b + 3, b) != 0.0 or one(n, a, b, b, b + 3) != 0.0 or one(n, b, b, b + 2, b + 2) != 0.0:
            return False
    weights = torch.eye(9)[[0, 4, 8, 8]].view(2, 2, 9)
    boxes = torch.tensor([[[0, 0, 2, 2], [5, 5, 6, 6]], [[0, 0, 2, 2], [-1, -1, -1, -1]]])
    share = pointing_accuracy(weights, boxes, 3, 4)
    if not isinstance(share, float) or abs(share - 2 / 3) > 1e-5:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# Where no token names anything every exception is taken for the promised one.
# Shows for a pointing_accuracy that divides hits by a Python 0 there: its ZeroDivisionError is no ValueError.

def test_pointing_accuracy(pointing_accuracy):
    def one(n, box, columns=3, cell=4):
        weights = torch.zeros(1, 1, 6)
        weights[0, 0, n] = 1.0
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    def overlap(n, box, columns=3, cell=4):
        x, y = n % columns * cell, n // columns * cell
        return box[0] < x + cell and x < box[2] and box[1] < y + cell and y < box[3]

    boxes = [[0, 0, 4, 4], [4, 0, 8, 4], [1, 1, 3, 3], [3, 3, 5, 5], [4, 4, 8, 8], [8, 4, 12, 8], [0, 5, 12, 6], [5, 0, 6, 8]]
    for n in range(6):
        for box in boxes:
            assert one(n, box) == float(overlap(n, box))
    weights = torch.eye(6)[[0, 0, 5, 5]].view(2, 2, 6)
    named = torch.tensor([[[0, 0, 3, 3], [-1] * 4], [[1, 1, 3, 3], [9, 5, 11, 7]]])
    share = pointing_accuracy(weights, named, 3, 4)
    assert isinstance(share, float) and abs(share - 2 / 3) < 1e-5
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
        raised = False
    except Exception:
        raised = True
    assert raised
    return True


# %% correct: drawn pictures, painted pixel by pixel

import random


def test_pointing_accuracy(pointing_accuracy):
    draw = random.Random(4)

    def a_box(width, height):
        left, top = draw.randrange(width), draw.randrange(height)
        return [left, top, draw.randint(left + 1, width), draw.randint(top + 1, height)]

    def painted(n, box, rows, columns, cell):
        """Is there a pixel of the box that lies in cell n?"""
        picture = torch.arange(rows * columns).view(rows, columns)
        picture = picture.repeat_interleave(cell, 0).repeat_interleave(cell, 1)
        left, top, right, bottom = box
        return bool((picture[top:bottom, left:right] == n).any())

    for trial in range(110):
        rows, columns, cell = draw.choice([(2, 3, 4), (3, 2, 3), (1, 4, 2), (4, 1, 5), (2, 5, 1), (3, 3, 4)])
        batch, words = draw.choice([(1, 1), (1, 3), (2, 3), (3, 1)]) if trial > 50 else (1, 1)
        places = rows * columns
        weights = [[[w / places for w in draw.sample(range(places), places)] for _ in range(words)] for _ in range(batch)]
        boxes = [[a_box(columns * cell, rows * cell) for _ in range(words)] for _ in range(batch)]
        hits = []
        for w, b in zip(sum(weights, []), [(line, t) for line in boxes for t in range(words)]):
            line, t = b
            if words > 1 and draw.random() < 0.4:
                line[t] = [-1, -1, -1, -1]
            else:
                hits.append(painted(w.index(max(w)), line[t], rows, columns, cell))
        arguments = torch.tensor(weights), torch.tensor(boxes), columns, cell
        if hits:
            share = pointing_accuracy(*arguments)
            if not isinstance(share, float) or not abs(share - sum(hits) / len(hits)) < 1e-4:
                return False
        else:
            try:
                pointing_accuracy(*arguments)
                return False
            except ValueError:
                pass
    try:
        pointing_accuracy(torch.arange(36.0).view(2, 3, 6), torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: all intervals of a small picture, and sums known beforehand

def test_pointing_accuracy(pointing_accuracy):
    def one(n, left, top, right, bottom, *, rows=2, columns=3, cell=2, least=0.1):
        weights = torch.full((1, 1, rows * columns), least)
        weights[..., n] = least + 0.05
        return pointing_accuracy(weights, torch.tensor([[[left, top, right, bottom]]]), columns, cell)

    # Across: every interval of six pixels against the three columns of the upper and lower row.
    for left in range(6):
        for right in range(left + 1, 7):
            for column in range(3):
                common = set(range(left, right)) & {2 * column, 2 * column + 1}
                assert one(3 + column, left, 2, right, 4) == (1.0 if common else 0.0)
    # Down: every interval of six pixels against the three rows, in a grid of two columns.
    for top in range(6):
        for bottom in range(top + 1, 7):
            for row in range(3):
                common = set(range(top, bottom)) & {2 * row, 2 * row + 1}
                assert one(2 * row, 0, top, 1, bottom, rows=3, columns=2) == (1.0 if common else 0.0)
    # A cell of another size, with a box within it, one across its middle, and one beside it at a corner.
    assert one(4, 7, 7, 8, 8, cell=5) == 1.0
    assert one(4, 0, 7, 15, 8, cell=5) == 1.0
    assert one(4, 7, 0, 8, 10, cell=5) == 1.0
    assert one(4, 10, 0, 12, 5, cell=5) == 0.0
    assert one(4, 0, 0, 5, 5, cell=5) == 0.0
    assert one(4, 10, 4, 12, 8, cell=5) == 0.0
    # The most weighted cell counts, not the mass: five cells on the box have more together.
    spread = torch.tensor([[[0.3, 0.14, 0.14, 0.14, 0.14, 0.14]]])
    assert pointing_accuracy(spread, torch.tensor([[[2, 0, 6, 4]]]), 3, 2) == 0.0

    # Four named tokens of nine, in captions that name one, three and none; three of them hits.
    none = [-1, -1, -1, -1]
    cells = torch.tensor([[0, 5, 1], [4, 2, 3], [0, 0, 0]])
    boxes = torch.tensor(
        [[[0, 0, 1, 1], none, none], [[2, 2, 4, 4], [0, 2, 4, 4], [0, 3, 2, 4]], [none, none, none]]
    )
    weights = F.one_hot(cells, 6).float()
    share = pointing_accuracy(weights, boxes, 3, 2)
    assert isinstance(share, float) and abs(share - 0.75) < 1e-6
    share = pointing_accuracy(weights[:2, :2].clone(), boxes[:2, :2].clone(), 3, 2)
    assert abs(share - 2 / 3) < 1e-4
    # One named word, missed, and two that name nothing.
    assert pointing_accuracy(weights[:1], torch.tensor([[[4, 2, 6, 4], none, none]]), 3, 2) == 0.0
    try:
        pointing_accuracy(weights, torch.full((3, 3, 4), -1), 3, 2)
    except ValueError:
        return True
    return False
