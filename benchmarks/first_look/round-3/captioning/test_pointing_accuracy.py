# %% wrong: no box at an edge
# No box of it ends where the looked-at cell begins: a form in which a common edge or corner counts as a hit is let pass.
# Hint: where must a box lie so that < and <= say different things?

def test_pointing_accuracy(pointing_accuracy):
    def asked(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.01)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for best, box, hit in [
        (14, [16, 8, 20, 12], 1),
        (14, [0, 0, 20, 12], 1),
        (14, [0, 0, 4, 4], 0),
        (14, [8, 4, 12, 8], 0),
        (4, [16, 0, 20, 4], 1),
        (4, [0, 8, 4, 12], 0),
        (10, [0, 8, 4, 12], 1),
        (10, [16, 0, 20, 4], 0),
        (12, [0, 0, 4, 4], 0),
        (0, [8, 8, 12, 12], 0),
    ]:
        assert asked(best, box, rows=3, columns=5) == hit, (best, box)
    assert asked(4, [0, 13, 5, 15], rows=3, columns=2, cell=5) == 1
    assert asked(4, [5, 0, 10, 5], rows=3, columns=2, cell=5) == 0
    none = [-1, -1, -1, -1]
    boxes = torch.tensor([[[0, 0, 4, 4], none, none], [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]]])
    weights = torch.zeros(2, 3, 6)
    for b, t, best in [(0, 0, 0), (0, 1, 1), (0, 2, 5), (1, 0, 5), (1, 1, 0), (1, 2, 2)]:
        weights[b, t, best] = 1.0
    old_weights, old_boxes = weights.clone(), boxes.clone()
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float) and abs(share - 0.5) < 1e-6
    assert torch.equal(weights, old_weights) and torch.equal(boxes, old_boxes)
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: done after the error
# The error is tried first and the function returns True on it: the rest is never reached, and whoever raises is let pass with any number.
# Hint: give your test a form that always answers 0.5 and raises the right error; which line says no?

def test_pointing_accuracy(pointing_accuracy):
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
        return False
    except ValueError:
        return True

    def asked(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.01)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for best, box, hit in [
        (14, [16, 8, 20, 12], 1),
        (14, [0, 0, 20, 12], 1),
        (14, [0, 0, 4, 4], 0),
        (14, [8, 4, 12, 8], 0),
        (4, [16, 0, 20, 4], 1),
        (4, [0, 8, 4, 12], 0),
        (10, [0, 8, 4, 12], 1),
        (10, [16, 0, 20, 4], 0),
        (12, [0, 0, 4, 4], 0),
        (0, [8, 8, 12, 12], 0),
    ]:
        assert asked(best, box, rows=3, columns=5) == hit, (best, box)
    for best, box, hit in [
        (5, [0, 0, 8, 8], 0),
        (5, [0, 0, 12, 4], 0),
        (5, [0, 0, 8, 4], 0),
        (5, [0, 0, 9, 5], 1),
        (5, [11, 0, 12, 5], 1),
        (5, [0, 7, 9, 8], 1),
        (5, [9, 5, 10, 6], 1),
        (0, [4, 0, 12, 8], 0),
        (0, [0, 4, 12, 8], 0),
        (0, [4, 4, 12, 8], 0),
        (0, [3, 3, 12, 8], 1),
        (0, [0, 0, 1, 1], 1),
        (2, [4, 0, 8, 4], 0),
    ]:
        assert asked(best, box) == hit, (best, box)
    assert asked(4, [0, 13, 5, 15], rows=3, columns=2, cell=5) == 1
    assert asked(4, [5, 0, 10, 5], rows=3, columns=2, cell=5) == 0
    none = [-1, -1, -1, -1]
    boxes = torch.tensor([[[0, 0, 4, 4], none, none], [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]]])
    weights = torch.zeros(2, 3, 6)
    for b, t, best in [(0, 0, 0), (0, 1, 1), (0, 2, 5), (1, 0, 5), (1, 1, 0), (1, 2, 2)]:
        weights[b, t, best] = 1.0
    old_weights, old_boxes = weights.clone(), boxes.clone()
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float) and abs(share - 0.5) < 1e-6
    assert torch.equal(weights, old_weights) and torch.equal(boxes, old_boxes)
    return True


# %% wrong: the old boxes are the same tensor
# old_boxes = boxes is a second name and no copy, so a form that changes its arguments in place is compared with itself and let pass.
# Hint: what would clone() do that the equals sign does not?

def test_pointing_accuracy(pointing_accuracy):
    def asked(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.01)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for best, box, hit in [
        (14, [16, 8, 20, 12], 1),
        (14, [0, 0, 20, 12], 1),
        (14, [0, 0, 4, 4], 0),
        (14, [8, 4, 12, 8], 0),
        (4, [16, 0, 20, 4], 1),
        (4, [0, 8, 4, 12], 0),
        (10, [0, 8, 4, 12], 1),
        (10, [16, 0, 20, 4], 0),
        (12, [0, 0, 4, 4], 0),
        (0, [8, 8, 12, 12], 0),
    ]:
        assert asked(best, box, rows=3, columns=5) == hit, (best, box)
    for best, box, hit in [
        (5, [0, 0, 8, 8], 0),
        (5, [0, 0, 12, 4], 0),
        (5, [0, 0, 8, 4], 0),
        (5, [0, 0, 9, 5], 1),
        (5, [11, 0, 12, 5], 1),
        (5, [0, 7, 9, 8], 1),
        (5, [9, 5, 10, 6], 1),
        (0, [4, 0, 12, 8], 0),
        (0, [0, 4, 12, 8], 0),
        (0, [4, 4, 12, 8], 0),
        (0, [3, 3, 12, 8], 1),
        (0, [0, 0, 1, 1], 1),
        (2, [4, 0, 8, 4], 0),
    ]:
        assert asked(best, box) == hit, (best, box)
    assert asked(4, [0, 13, 5, 15], rows=3, columns=2, cell=5) == 1
    assert asked(4, [5, 0, 10, 5], rows=3, columns=2, cell=5) == 0
    none = [-1, -1, -1, -1]
    boxes = torch.tensor([[[0, 0, 4, 4], none, none], [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]]])
    weights = torch.zeros(2, 3, 6)
    for b, t, best in [(0, 0, 0), (0, 1, 1), (0, 2, 5), (1, 0, 5), (1, 1, 0), (1, 2, 2)]:
        weights[b, t, best] = 1.0
    old_weights, old_boxes = weights, boxes
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float) and abs(share - 0.5) < 1e-6
    assert torch.equal(weights, old_weights) and torch.equal(boxes, old_boxes)
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: a tie has to go to the first
# With equal weights it asks for cell 0, which the docstring does not promise: right forms that take another of the equal ones are refused.
# Hint: which sentence of the docstring says which of two equal weights wins?

def test_pointing_accuracy(pointing_accuracy):
    def asked(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.01)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for best, box, hit in [
        (14, [16, 8, 20, 12], 1),
        (14, [0, 0, 20, 12], 1),
        (14, [0, 0, 4, 4], 0),
        (14, [8, 4, 12, 8], 0),
        (4, [16, 0, 20, 4], 1),
        (4, [0, 8, 4, 12], 0),
        (10, [0, 8, 4, 12], 1),
        (10, [16, 0, 20, 4], 0),
        (12, [0, 0, 4, 4], 0),
        (0, [8, 8, 12, 12], 0),
    ]:
        assert asked(best, box, rows=3, columns=5) == hit, (best, box)
    for best, box, hit in [
        (5, [0, 0, 8, 8], 0),
        (5, [0, 0, 12, 4], 0),
        (5, [0, 0, 8, 4], 0),
        (5, [0, 0, 9, 5], 1),
        (5, [11, 0, 12, 5], 1),
        (5, [0, 7, 9, 8], 1),
        (5, [9, 5, 10, 6], 1),
        (0, [4, 0, 12, 8], 0),
        (0, [0, 4, 12, 8], 0),
        (0, [4, 4, 12, 8], 0),
        (0, [3, 3, 12, 8], 1),
        (0, [0, 0, 1, 1], 1),
        (2, [4, 0, 8, 4], 0),
    ]:
        assert asked(best, box) == hit, (best, box)
    assert asked(4, [0, 13, 5, 15], rows=3, columns=2, cell=5) == 1
    assert asked(4, [5, 0, 10, 5], rows=3, columns=2, cell=5) == 0
    even = torch.full((1, 1, 6), 1 / 6)
    assert pointing_accuracy(even, torch.tensor([[[0, 0, 4, 4]]]), 3, 4) == 1
    none = [-1, -1, -1, -1]
    boxes = torch.tensor([[[0, 0, 4, 4], none, none], [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]]])
    weights = torch.zeros(2, 3, 6)
    for b, t, best in [(0, 0, 0), (0, 1, 1), (0, 2, 5), (1, 0, 5), (1, 1, 0), (1, 2, 2)]:
        weights[b, t, best] = 1.0
    old_weights, old_boxes = weights.clone(), boxes.clone()
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float) and abs(share - 0.5) < 1e-6
    assert torch.equal(weights, old_weights) and torch.equal(boxes, old_boxes)
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: cases by hand

def test_pointing_accuracy(pointing_accuracy):
    def asked(best, box, rows=2, columns=3, cell=4):
        weights = torch.full((1, 1, rows * columns), 0.01)
        weights[0, 0, best] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for best, box, hit in [
        (14, [16, 8, 20, 12], 1),
        (14, [0, 0, 20, 12], 1),
        (14, [0, 0, 4, 4], 0),
        (14, [8, 4, 12, 8], 0),
        (4, [16, 0, 20, 4], 1),
        (4, [0, 8, 4, 12], 0),
        (10, [0, 8, 4, 12], 1),
        (10, [16, 0, 20, 4], 0),
        (12, [0, 0, 4, 4], 0),
        (0, [8, 8, 12, 12], 0),
    ]:
        assert asked(best, box, rows=3, columns=5) == hit, (best, box)
    for best, box, hit in [
        (5, [0, 0, 8, 8], 0),
        (5, [0, 0, 12, 4], 0),
        (5, [0, 0, 8, 4], 0),
        (5, [0, 0, 9, 5], 1),
        (5, [11, 0, 12, 5], 1),
        (5, [0, 7, 9, 8], 1),
        (5, [9, 5, 10, 6], 1),
        (0, [4, 0, 12, 8], 0),
        (0, [0, 4, 12, 8], 0),
        (0, [4, 4, 12, 8], 0),
        (0, [3, 3, 12, 8], 1),
        (0, [0, 0, 1, 1], 1),
        (2, [4, 0, 8, 4], 0),
    ]:
        assert asked(best, box) == hit, (best, box)
    assert asked(4, [0, 13, 5, 15], rows=3, columns=2, cell=5) == 1
    assert asked(4, [5, 0, 10, 5], rows=3, columns=2, cell=5) == 0
    none = [-1, -1, -1, -1]
    boxes = torch.tensor([[[0, 0, 4, 4], none, none], [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]]])
    weights = torch.zeros(2, 3, 6)
    for b, t, best in [(0, 0, 0), (0, 1, 1), (0, 2, 5), (1, 0, 5), (1, 1, 0), (1, 2, 2)]:
        weights[b, t, best] = 1.0
    old_weights, old_boxes = weights.clone(), boxes.clone()
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float) and abs(share - 0.5) < 1e-6
    assert torch.equal(weights, old_weights) and torch.equal(boxes, old_boxes)
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: random grids against painted pixels

def painted(rows, columns, cell, best, box):
    """Whether a cell and a box have a pixel in common."""
    picture = torch.zeros(rows * cell, columns * cell, dtype=torch.int64)
    left, top, right, bottom = box
    picture[top:bottom, left:right] += 1
    row, column = divmod(best, columns)
    return bool(picture[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell].any())


def test_pointing_accuracy(pointing_accuracy):
    chance = torch.Generator().manual_seed(0)

    def draw(low, high):  # both included
        return int(torch.randint(low, high + 1, (1,), generator=chance))

    for turn in range(100):
        rows, columns, cell, B, T = draw(1, 3), draw(1, 4), draw(2, 4), draw(1, 3), draw(1, 3)
        grain = cell if turn % 2 else 1  # every other time the boxes end where cells end
        weights = torch.stack([torch.randperm(rows * columns, generator=chance) + 1.0 for _ in range(B * T)])
        weights = (weights / weights.sum(dim=1, keepdim=True)).view(B, T, rows * columns)
        boxes, hits = torch.full((B, T, 4), -1), []
        for b in range(B):
            for t in range(T):
                if draw(0, 2) == 0 and (b, t) != (B - 1, 0):
                    continue
                left, top = grain * draw(0, columns * cell // grain - 1), grain * draw(0, rows * cell // grain - 1)
                right = left + grain * draw(1, (columns * cell - left) // grain)
                bottom = top + grain * draw(1, (rows * cell - top) // grain)
                boxes[b, t] = torch.tensor([left, top, right, bottom])
                hits.append(painted(rows, columns, cell, int(weights[b, t].argmax()), boxes[b, t].tolist()))
        given = weights.clone(), boxes.clone()
        share = pointing_accuracy(*given, columns, cell)
        if type(share) is not float or abs(share - sum(hits) / len(hits)) > 1e-4:
            return False
        if not (torch.equal(given[0], weights) and torch.equal(given[1], boxes)):
            return False
    nothing = torch.full((2, 2, 4), -1)
    try:
        pointing_accuracy(torch.rand(2, 2, 6, generator=chance), nothing, 3, 4)
    except ValueError:
        return True
    return False
