# %% wrong: the function is compared with itself
# The expected number is meant to come from one's own pointing_accuracy of exercise 3.4, but the
# argument has the same name and hides it: the function is compared with itself, and passes always.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        weights = torch.rand(3, 4, 6, generator=generator)
        corner = torch.randint(0, 8, (3, 4, 2), generator=generator)
        size = torch.randint(1, 6, (3, 4, 2), generator=generator)
        boxes = torch.cat([corner, corner + size], dim=2)
        boxes[:, 0] = -1
        expected = pointing_accuracy(weights.clone(), boxes.clone(), 3, 4)
        given = pointing_accuracy(weights, boxes, 3, 4)
        if not isinstance(given, float) or abs(given - expected) > 1e-6:
            return False
    try:
        pointing_accuracy(torch.rand(1, 1, 6), torch.full((1, 1, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: changes in place are not seen
# Whether weights and boxes were left as they were is looked up by comparing each with another name of
# the same tensor, since nothing was cloned: a function that changes them passes.

def test_pointing_accuracy(pointing_accuracy):
    def expected(weights, boxes, columns, cell):
        hits = total = 0
        for looks, box in zip(weights.flatten(0, 1).tolist(), boxes.flatten(0, 1).tolist()):
            if box[0] == -1:
                continue
            row, column = divmod(looks.index(max(looks)), columns)
            across = box[0] < column * cell + cell and column * cell < box[2]
            down = box[1] < row * cell + cell and row * cell < box[3]
            hits, total = hits + (across and down), total + 1
        return hits / total

    generator = torch.Generator().manual_seed(0)
    for columns, rows, cell in [(3, 2, 4), (2, 3, 4), (5, 1, 2), (1, 4, 3), (4, 4, 1)] * 10:
        weights = torch.rand(3, 4, rows * columns, generator=generator).softmax(-1)
        corner = torch.randint(0, columns * cell, (3, 4, 2), generator=generator)
        boxes = torch.cat([corner, corner + torch.randint(1, 7, (3, 4, 2), generator=generator)], dim=2)
        boxes[torch.rand(3, 4, generator=generator) < 0.3] = -1
        boxes[0, 0] = torch.tensor([0, 0, cell, cell])
        before = weights, boxes
        truth = expected(weights, boxes, columns, cell)
        share = pointing_accuracy(weights, boxes, columns, cell)
        assert isinstance(share, float)
        assert abs(share - truth) < 1e-5
        assert torch.equal(weights, before[0]) and torch.equal(boxes, before[1])
    try:
        pointing_accuracy(torch.rand(2, 2, 6), torch.full((2, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    raise AssertionError("no ValueError")


# %% wrong: equal weights must go to the first cell
# Among other things it asks that of equal weights the first cell wins. The docstring does not say which
# does, so right functions that choose the last are called wrong.

def test_pointing_accuracy(pointing_accuracy):
    def one(cell_number, box, columns=3, rows=2, cell=4):
        weights = torch.zeros(1, 1, rows * columns)
        weights[0, 0, cell_number] = 1.0
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for row in range(2):
        for column in range(3):
            inside = [4 * column + 1, 4 * row + 1, 4 * column + 3, 4 * row + 3]
            for number in range(6):
                assert one(number, inside) == float(number == 3 * row + column)
    for number in (0, 1, 2, 3, 5):
        assert one(number, [4, 4, 8, 8]) == 0.0
    assert one(4, [7, 7, 9, 8]) == 1.0 and one(0, [3, 3, 9, 8]) == 1.0
    # all cells alike: it must be the first
    even = torch.full((1, 2, 6), 1 / 6)
    assert pointing_accuracy(even, torch.tensor([[[0, 0, 3, 3], [-1, -1, -1, -1]]]), 3, 4) == 1.0
    assert pointing_accuracy(even, torch.tensor([[[9, 5, 11, 7], [-1, -1, -1, -1]]]), 3, 4) == 0.0
    try:
        pointing_accuracy(even, torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: every cell with every box, call by call
# Each of the 6 cells is tried with each of 441 boxes in a call of its own: 2,646 calls, where 200 are
# allowed.

from itertools import product


def test_pointing_accuracy(pointing_accuracy):
    spans = [(a, b) for a, b in product(range(0, 8), range(1, 9)) if a < b][:21]
    for number, (left, right), (top, bottom) in product(range(6), spans, spans):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, number] = 0.5
        row, column = divmod(number, 3)
        x, y = 4 * column, 4 * row
        truth = left < x + 4 and x < right and top < y + 4 and y < bottom
        box = torch.tensor([[[left, top, right, bottom]]])
        share = pointing_accuracy(weights, box, 3, 4)
        assert type(share) is float and share == float(truth)
        assert box.flatten().tolist() == [left, top, right, bottom] and weights[0, 0, number] == 0.5
    try:
        pointing_accuracy(torch.rand(1, 2, 6), -torch.ones(1, 2, 4, dtype=torch.int64), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: the share must be equal to the last digit
# Shares such as 2/3 and 1/7 are compared by == with Python's own. A right function that takes the mean
# in float32 gives 0.66666668..., and is called wrong.

def test_pointing_accuracy(pointing_accuracy):
    nothing = [-1, -1, -1, -1]
    on, beside = [5, 1, 7, 3], [8, 0, 12, 4]  # cell 1 of two rows and three columns
    weights = torch.tensor([0.1, 0.5, 0.1, 0.1, 0.1, 0.1]).repeat(2, 4, 1)
    for boxes, share in (
        ([[on, on, beside, nothing], [nothing] * 4], 2 / 3),
        ([[on, beside, beside, nothing], [beside, beside, beside, beside]], 1 / 7),
        ([[on, nothing, nothing, nothing], [beside, on, [0, 0, 4, 4], on]], 3 / 5),
        ([[[0, 4, 12, 8], [4, 0, 5, 1], on, [3, 3, 5, 5]], [nothing] * 4], 3 / 4),
    ):
        boxes = torch.tensor(boxes)
        kept = weights.clone(), boxes.clone()
        given = pointing_accuracy(weights, boxes, 3, 4)
        assert isinstance(given, float)
        assert given == share
        assert torch.equal(weights, kept[0]) and torch.equal(boxes, kept[1])
    try:
        pointing_accuracy(weights, torch.full((2, 4, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: heaps of hits and heaps of misses

def test_pointing_accuracy(pointing_accuracy):
    nowhere = [-1, -1, -1, -1]
    generator = torch.Generator().manual_seed(1)

    def ask(pairs, columns, rows, cell, batch=1):
        """The share for (cell number, box) pairs, None for a token without a box; looks for changes."""
        looks, edges = [], []
        for number, box in pairs:
            look = torch.rand(rows * columns, generator=generator) / 4
            look[number] = 0.3
            looks.append(look / look.sum())
            edges.append(nowhere if box is None else list(box))
        weights = torch.stack(looks).view(batch, -1, rows * columns)
        boxes = torch.tensor(edges).view(batch, -1, 4)
        kept = weights.clone(), boxes.clone()
        share = pointing_accuracy(weights, boxes, columns, cell)
        assert isinstance(share, float), "not a float"
        assert torch.equal(weights, kept[0]) and torch.equal(boxes, kept[1]), "changed in place"
        return share

    def close(share, wanted):
        assert abs(share - wanted) < 1e-4, (share, wanted)

    for columns, rows, cell in ((3, 2, 4), (2, 3, 4), (4, 1, 5), (1, 4, 3), (3, 3, 1), (2, 4, 7)):
        hits, misses = [], []
        for number in range(rows * columns):
            row, column = divmod(number, columns)
            x, y, end_x, end_y = cell * column, cell * row, cell * column + cell, cell * row + cell
            hits += [
                (number, (x, y, end_x, end_y)),
                (number, (0, 0, columns * cell, rows * cell)),
                (number, (x, y, x + 1, y + 1)),
                (number, (end_x - 1, end_y - 1, end_x, end_y)),
                (number, (end_x - 1, y, end_x + 2, y + 1)),
                (number, (x, end_y - 1, x + 1, end_y + 2)),
                (number, (max(x - 3, 0), max(y - 2, 0), x + 1, y + 1)),
                (number, (max(x - 3, 0), y, end_x, y + 1)),
            ]
            misses += [
                (number, (end_x, y, end_x + 3, end_y)),
                (number, (x, end_y, end_x, end_y + 2)),
                (number, (end_x, end_y, end_x + 1, end_y + 1)),
                (number, (0, end_y + 1, columns * cell, end_y + 2)),
            ]
            if x:
                misses += [(number, (x - 1, y, x, end_y)), (number, (0, 0, x, rows * cell))]
            if y:
                misses += [(number, (x, y - 1, end_x, y)), (number, (0, 0, columns * cell, y))]
            if x and y:
                misses.append((number, (x - 1, y - 1, x, y)))
            for other in range(rows * columns):
                there = cell * (other % columns), cell * (other // columns)
                box = (*there, there[0] + cell, there[1] + cell)
                if other != number:
                    misses.append((number, box))
        inside = lambda pair: pair[1][2] <= columns * cell and pair[1][3] <= rows * cell
        hits, misses = list(filter(inside, hits)), list(filter(inside, misses))
        close(ask(hits, columns, rows, cell), 1.0)
        close(ask(misses, columns, rows, cell), 0.0)
        close(ask(hits[:1], columns, rows, cell), 1.0)
        close(ask(misses[:1], columns, rows, cell), 0.0)
        close(ask([*hits[:9], (0, None)], columns, rows, cell), 1.0)
        close(ask([(0, None), (0, None), misses[0]], columns, rows, cell), 0.0)
        good, bad, none = hits[0], misses[0], (0, None)
        close(ask([good, none, none, none, none, bad, bad, bad], columns, rows, cell, batch=2), 1 / 4)
        close(ask([none, none, none, good, bad, good], columns, rows, cell, batch=2), 2 / 3)
        close(ask([good, bad, bad, bad, none, good], columns, rows, cell, batch=3), 2 / 5)
        close(ask([bad, good, good, good], columns, rows, cell, batch=4), 3 / 4)
    close(ask([(391, (112, 384, 128, 400)), (391, (0, 0, 112, 512)), (511, (255, 511, 256, 512))], 16, 32, 16), 2 / 3)
    for shape in ((1, 1), (2, 3)):
        try:
            pointing_accuracy(torch.rand(*shape, 6), torch.full((*shape, 4), -1), 3, 4)
        except ValueError:
            continue
        return False
    return True


# %% correct: random grids against counted pixels

def test_pointing_accuracy(pointing_accuracy):
    import random

    dice = random.Random(5)

    def truth(picks, boxes, columns, cell):
        outcomes = []
        for pick, box in zip(picks, boxes):
            if box is None:
                continue
            row, column = pick // columns, pick % columns
            in_cell = {(x, y) for x in range(column * cell, column * cell + cell) for y in range(row * cell, row * cell + cell)}
            in_box = {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}
            outcomes.append(not in_cell.isdisjoint(in_box))
        return sum(outcomes) / len(outcomes) if outcomes else None

    rounds = 150
    for turn in range(rounds):
        columns, rows, cell = dice.randint(1, 4), dice.randint(1, 4), dice.randint(1, 5)
        batch, length = dice.randint(1, 3), dice.randint(1, 3)
        if turn % 5 == 0:
            batch = length = 1
        picks, boxes, looks = [], [], []
        for _ in range(batch * length):
            pick = dice.randrange(rows * columns)
            look = [dice.uniform(0, 1) for _ in range(rows * columns)]
            look[pick] = 1.02
            total = sum(look)
            looks.append([value / total for value in look])
            picks.append(pick)
            row, column = divmod(pick, columns)
            across, down = [], []
            for edges, at, count in ((across, column, columns), (down, row, rows)):
                kind = dice.randrange(6)
                if kind == 0 and at > 0:
                    edges += [dice.randrange(0, at * cell), at * cell]  # up to the cell's first edge
                elif kind == 1 and at < count - 1:
                    edges += [(at + 1) * cell, (at + 1) * cell + dice.randint(1, cell)]  # from its last edge on
                else:
                    begin = dice.randrange(0, count * cell)
                    edges += [begin, min(begin + dice.randint(1, 2 * cell), count * cell)]
                    if kind > 3:
                        edges[:] = [max(at * cell - dice.randint(0, 1), 0), at * cell + dice.randint(1, cell)]
            box = (across[0], down[0], across[1], down[1])
            boxes.append(None if dice.random() < 0.3 else box)
        weights = torch.tensor(looks).view(batch, length, -1)
        edges = torch.tensor([box or (-1, -1, -1, -1) for box in boxes]).view(batch, length, 4)
        copies = weights.clone(), edges.clone()
        wanted = truth(picks, boxes, columns, cell)
        try:
            share = pointing_accuracy(weights, edges, columns, cell)
        except ValueError:
            if wanted is not None:
                return False
        else:
            if wanted is None or not isinstance(share, float) or not abs(share - wanted) < 1e-4:
                return False
        if not (torch.equal(weights, copies[0]) and torch.equal(edges, copies[1])):
            return False
    # a grid with many cells, and many pixels
    weights = torch.full((1, 3, 512), 0.001)
    for token, pick in enumerate((300, 511, 255)):
        weights[0, token, pick] = 0.4
    boxes = torch.tensor([[[192, 288, 208, 304], [224, 480, 240, 496], [240, 0, 256, 240]]])
    # 16 columns, 16 pixels: cell 300 is (row 18, column 12), 511 (31, 15), 255 (15, 15)
    share = pointing_accuracy(weights, boxes, 16, 16)
    if not abs(share - 1 / 3) < 1e-4:
        return False
    none = torch.full((2, 2, 4), -1)
    try:
        pointing_accuracy(torch.rand(2, 2, 6), none, 3, 4)
    except ValueError:
        return True
    return False
