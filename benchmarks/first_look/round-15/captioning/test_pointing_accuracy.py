# %% wrong: a square grid, and boxes that fill whole cells
# Two rows and two columns, boxes that are exactly one cell, the same count of words in both captions. It accepts functions
# that mix up `columns` with rows, that ask whether the cell's middle is in the box, or that average captions.

def test_pointing_accuracy(pointing_accuracy):
    weights = torch.tensor([[[0.7, 0.1, 0.1, 0.1]], [[0.1, 0.1, 0.1, 0.7]]])
    on = torch.tensor([[[0, 0, 4, 4]], [[4, 4, 8, 8]]])
    off = torch.tensor([[[4, 4, 8, 8]], [[0, 0, 4, 4]]])
    assert abs(pointing_accuracy(weights, on, 2, 4) - 1) < 1e-4
    assert abs(pointing_accuracy(weights, off, 2, 4)) < 1e-4
    try:
        pointing_accuracy(weights, torch.full_like(on, -1), 2, 4)
    except ValueError:
        return True
    return False


# %% wrong: of equal weights the first must win
# Many good cases, and one that asks too much: where all weights are equal, it wants the hit on cell 0. The docstring lets any
# of them win, so a right function that takes the last one is rejected.

def test_pointing_accuracy(pointing_accuracy):
    def share(best, box):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), 3, 4)

    cases = [
        (0, [1, 1, 3, 3], 1), (0, [3, 3, 5, 5], 1), (0, [4, 0, 8, 4], 0), (0, [0, 4, 4, 8], 0),
        (5, [0, 0, 4, 4], 0), (5, [8, 4, 14, 9], 1), (5, [11, 7, 12, 8], 1), (3, [0, 4, 4, 8], 1),
        (1, [0, 4, 4, 8], 0), (4, [0, 3, 12, 5], 1), (2, [0, 0, 9, 1], 1), (2, [0, 0, 8, 4], 0),
    ]  # fmt: skip
    for best, box, expected in cases:
        if abs(share(best, box) - expected) > 1e-4:
            return False
    weights = torch.zeros(2, 2, 6)
    weights[:, :, 0] = 1
    boxes = torch.tensor([[[0, 0, 4, 4], [0, 0, 1, 1]], [[8, 4, 9, 5], [-1, -1, -1, -1]]])
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 3) > 1e-4:
        return False
    if pointing_accuracy(torch.full((1, 1, 6), 1 / 6), torch.tensor([[[0, 0, 4, 4]]]), 3, 4) != 1:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# Where no token names anything it catches every exception, and does not ask for one at all. A function that divides by zero,
# or that returns 0.0 or NaN there, is accepted.

def test_pointing_accuracy(pointing_accuracy):
    def share(best, box):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), 3, 4)

    cases = [
        (0, [1, 1, 3, 3], 1), (0, [3, 3, 5, 5], 1), (0, [4, 0, 8, 4], 0), (0, [0, 4, 4, 8], 0),
        (5, [0, 0, 4, 4], 0), (5, [8, 4, 14, 9], 1), (5, [11, 7, 12, 8], 1), (3, [0, 4, 4, 8], 1),
        (1, [0, 4, 4, 8], 0), (4, [0, 3, 12, 5], 1), (2, [0, 0, 9, 1], 1), (2, [0, 0, 8, 4], 0),
    ]  # fmt: skip
    for best, box, expected in cases:
        assert abs(share(best, box) - expected) < 1e-4
    weights = torch.zeros(2, 2, 6)
    weights[:, :, 0] = 1
    boxes = torch.tensor([[[0, 0, 4, 4], [0, 0, 1, 1]], [[8, 4, 9, 5], [-1, -1, -1, -1]]])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 2 / 3) < 1e-4
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except Exception:
        pass
    return True


# %% wrong: the test's own answer counts a common edge
# The expected shares come from a loop that uses <= at the edges. On random boxes, which often end at the border of two cells,
# it disagrees with every right function, and rejects it.

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)
    for cell in (1, 2, 3):
        for _ in range(10):
            weights = torch.rand(2, 3, 6, generator=generator)
            corner = torch.randint(0, 2 * cell, (2, 3, 2), generator=generator)
            size = torch.randint(1, 2 * cell + 1, (2, 3, 2), generator=generator)
            boxes = torch.cat([corner, corner + size], dim=2)
            hits = 0
            for b in range(2):
                for t in range(3):
                    best = int(weights[b, t].argmax())
                    x, y = best % 3 * cell, best // 3 * cell
                    left, top, right, bottom = boxes[b, t].tolist()
                    hits += left <= x + cell and x <= right and top <= y + cell and y <= bottom
            if abs(pointing_accuracy(weights, boxes, 3, cell) - hits / 6) > 1e-4:
                return False
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 1)
    except ValueError:
        return True
    return False


# %% correct: against a count of shared pixels, on drawn inputs

def test_pointing_accuracy(pointing_accuracy):
    def pixels(left, top, right, bottom):
        return {(x, y) for x in range(left, right) for y in range(top, bottom)}

    draw = torch.Generator().manual_seed(7)

    def number(low, high):
        return int(torch.randint(low, high + 1, (1,), generator=draw))

    for trial in range(60):
        rows, columns, cell = ((2, 3), (3, 2), (1, 4))[trial % 3] + (number(1, 4),)
        B, T = number(1, 3), number(1, 3)
        # distinct weights that do not sum to one
        weights = torch.stack([torch.randperm(rows * columns, generator=draw) for _ in range(B * T)])
        weights = (weights.float() / 10 + 0.05).view(B, T, -1)
        hits, boxes = [], []
        for best in weights.flatten(0, 1).argmax(dim=1).tolist():
            if boxes and number(0, 3) == 0:  # the first token always names something
                boxes.append([-1, -1, -1, -1])
                continue
            left, top = number(0, columns * cell - 1), number(0, rows * cell - 1)
            box = (left, top, left + number(1, 2 * cell), top + number(1, 2 * cell))
            x, y = best % columns * cell, best // columns * cell
            hits.append(bool(pixels(*box) & pixels(x, y, x + cell, y + cell)))
            boxes.append(list(box))
        share = pointing_accuracy(weights, torch.tensor(boxes).view(B, T, 4), columns, cell)
        if not isinstance(share, float) or not abs(share - sum(hits) / len(hits)) < 1e-4:
            return False
    try:
        pointing_accuracy(torch.rand(2, 1, 6, generator=draw), torch.full((2, 1, 4), -1), 3, 2)
    except ValueError:
        return True
    return False


# %% correct: for each cell, all boxes of a small picture in one caption

def test_pointing_accuracy(pointing_accuracy):
    columns, cell = 3, 2  # two rows: a picture of 6 by 4 pixels
    boxes = [
        (left, top, left + width, top + height)
        for left in range(6)
        for top in range(4)
        for width in (1, 3)
        for height in (1, 2)
    ]
    nothing = (-1, -1, -1, -1)
    for n in range(6):
        row, column = divmod(n, columns)
        covered_x, covered_y = (2 * column, 2 * column + 1), (2 * row, 2 * row + 1)
        on, off = [], []
        for box in boxes:
            hit = any(box[0] <= x < box[2] for x in covered_x) and any(box[1] <= y < box[3] for y in covered_y)
            (on if hit else off).append(box)
        look = torch.full((6,), 0.25)
        look[n] = 0.35
        for chosen, expected in ((on, 1.0), (off, 0.0)):
            words = torch.tensor([[nothing, *chosen, nothing]])
            share = pointing_accuracy(look.expand(1, words.shape[1], 6).clone(), words, columns, cell)
            assert isinstance(share, float) and abs(share - expected) < 1e-4
    # four words over two captions of unequal counts, one of them a miss: three quarters, not two thirds
    weights = torch.tensor([0.5, 0.1, 0.2, 0.3, 0.05, 0.4]).expand(2, 3, 6).clone()
    words = torch.tensor([[(0, 0, 2, 2), (0, 0, 9, 9), (1, 1, 2, 2)], [(4, 0, 6, 2), nothing, nothing]])
    assert abs(pointing_accuracy(weights, words, columns, cell) - 3 / 4) < 1e-4
    # larger cells: a box inside one, between its corners and away from its middle
    for box, expected in (((6, 1, 7, 9), 1.0), ((1, 6, 2, 7), 0.0), ((5, 1, 9, 2), 1.0), ((0, 0, 5, 5), 0.0)):
        weights = torch.tensor([[[0.1, 0.3, 0.1, 0.2, 0.1, 0.1]]])
        assert abs(pointing_accuracy(weights, torch.tensor([[box]]), columns, 5) - expected) < 1e-4
    try:
        pointing_accuracy(weights, torch.full((1, 1, 4), -1), columns, cell)
    except ValueError:
        return True
    raise AssertionError("no word, and no ValueError")
