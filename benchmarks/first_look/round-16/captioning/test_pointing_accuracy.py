# %% wrong: takes a missing ValueError for granted
# `try ... except ValueError: pass` passes where nothing is raised, too: a form that returns 0.0 or nan where no token
# names anything is accepted.

def test_pointing_accuracy(pointing_accuracy):
    def look(*cells, n=6):  # one caption: the most weighted cells of its tokens
        return 0.1 + F.one_hot(torch.tensor([cells]), n).float()

    def told(weights, boxes, columns=3, cell=4):
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    try:
        told(look(0), [[nothing]])
    except ValueError:
        pass
    assert type(told(look(0), [[[0, 0, 4, 4]]])) is float
    for box, hits in (([0, 0, 4, 4], {0}), ([4, 4, 8, 8], {4}), ([5, 1, 7, 3], {1}), ([3, 3, 9, 5], {0, 1, 2, 3, 4, 5}),
                      ([8, 4, 30, 30], {5})):
        for n in range(6):
            assert abs(told(look(n), [[box]]) - (n in hits)) < 1e-4
    boxes = [[[0, 0, 4, 4], [8, 0, 12, 4], nothing], [[0, 4, 4, 8], nothing, nothing]]
    assert abs(told(torch.cat([look(0, 1, 2), look(3, 3, 3)]), boxes) - 2 / 3) < 1e-4
    return True


# %% wrong: compares a share exactly
# share == 2/3 in double precision rejects a right form that takes its mean in float32 (0.6666666865).

def test_pointing_accuracy(pointing_accuracy):
    def look(*cells, n=6):  # one caption: the most weighted cells of its tokens
        return 0.1 + F.one_hot(torch.tensor([cells]), n).float()

    def told(weights, boxes, columns=3, cell=4):
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    for box, hits in (([0, 0, 4, 4], {0}), ([4, 4, 8, 8], {4}), ([5, 1, 7, 3], {1}), ([3, 3, 9, 5], {0, 1, 2, 3, 4, 5}),
                      ([8, 4, 30, 30], {5})):
        for n in range(6):
            if told(look(n), [[box]]) != (n in hits):
                return False
    boxes = [[[0, 0, 4, 4], [8, 0, 12, 4], nothing], [[0, 4, 4, 8], nothing, nothing]]
    if told(torch.cat([look(0, 1, 2), look(3, 3, 3)]), boxes) != 2 / 3:
        return False
    try:
        told(look(0), [[nothing]])
    except ValueError:
        return True
    return False


# %% wrong: one caption at a time
# Every input has B = 1 and a single word that names something: a form that takes the mean of the captions' shares, or
# counts words that name nothing as misses, is accepted.

def test_pointing_accuracy(pointing_accuracy):
    def look(*cells, n=6):  # one caption: the most weighted cells of its tokens
        return 0.1 + F.one_hot(torch.tensor([cells]), n).float()

    def told(weights, boxes, columns=3, cell=4):
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    for box, hits in (([0, 0, 4, 4], {0}), ([4, 4, 8, 8], {4}), ([5, 1, 7, 3], {1}), ([3, 3, 9, 5], {0, 1, 2, 3, 4, 5}),
                      ([8, 4, 30, 30], {5})):
        for n in range(6):
            share = told(look(n), [[box]])
            if not isinstance(share, float) or abs(share - (n in hits)) > 1e-4:
                return False
    try:
        told(look(0), [[nothing]])
    except ValueError:
        return True
    return False


# %% wrong: a cell counts only if its center is on the box
# The tester expects a miss where box and cell share a strip or a corner's pixel; the docstring says "however little".
# Rejects every right form.

def test_pointing_accuracy(pointing_accuracy):
    def look(*cells, n=6):  # one caption: the most weighted cells of its tokens
        return 0.1 + F.one_hot(torch.tensor([cells]), n).float()

    def told(weights, boxes, columns=3, cell=4):
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    for box, hits in (([0, 0, 4, 4], {0}), ([4, 4, 8, 8], {4}), ([3, 0, 8, 4], {1}), ([0, 0, 9, 8], {0, 1, 3, 4})):
        for n in range(6):
            if abs(told(look(n), [[box]]) - (n in hits)) > 1e-4:
                return False
    boxes = [[[0, 0, 4, 4], [8, 0, 12, 4], nothing], [[0, 4, 4, 8], nothing, nothing]]
    if abs(told(torch.cat([look(0, 1, 2), look(3, 3, 3)]), boxes) - 2 / 3) > 1e-4:
        return False
    try:
        told(look(0), [[nothing]])
    except ValueError:
        return True
    return False


# %% correct: a table of boxes and the cells that they meet

def test_pointing_accuracy(pointing_accuracy):
    def look(*cells, n=6):  # one caption: the most weighted cells of its tokens
        return 0.1 + F.one_hot(torch.tensor([cells]), n).float()

    def told(weights, boxes, columns=3, cell=4):
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    table = [
        ((3, 4), [0, 0, 4, 4], {0}), ((3, 4), [4, 4, 8, 8], {4}), ((3, 4), [5, 1, 7, 3], {1}),
        ((3, 4), [3, 3, 9, 5], {0, 1, 2, 3, 4, 5}), ((3, 4), [8, 4, 30, 30], {5}), ((3, 4), [0, 3, 5, 4], {0, 1}),
        ((3, 4), [7, 0, 8, 5], {1, 4}), ((3, 4), [0, 7, 1, 8], {3}), ((3, 4), [9, 5, 10, 6], {5}),
        ((2, 3), [2, 2, 4, 4], {0, 1, 2, 3}), ((2, 3), [3, 6, 6, 9], {5}), ((3, 1), [1, 0, 3, 1], {1, 2}),
        ((6, 2), [4, 0, 7, 2], {2, 3}), ((1, 5), [0, 4, 5, 11], {0, 1, 2}),
    ]
    for (columns, cell), box, hits in table:
        for n in range(6):
            share = told(look(n), [[box]], columns, cell)
            assert type(share) is float and abs(share - (n in hits)) < 1e-4
    # three cells and a middle row: none of the box's corners lies in cell 4
    assert abs(told(look(4, n=9), [[[0, 0, 12, 12]]]) - 1) < 1e-4
    on, off = [0, 0, 4, 4], [8, 4, 12, 8]
    boxes = [[on, off, nothing, nothing], [on, nothing, nothing, nothing], [nothing] * 4]
    weights = torch.cat([look(0, 0, 0, 5), look(0, 5, 5, 5), look(0, 0, 0, 0)])
    assert abs(told(weights, boxes) - 2 / 3) < 1e-4
    assert abs(told(7 * weights, boxes) - 2 / 3) < 1e-4
    assert abs(told(weights[:1], boxes[:1]) - 1 / 2) < 1e-4
    flat = look(3) * 0.0 + torch.tensor([0.10, 0.11, 0.12, 0.13, 0.12, 0.11])  # no weight is large
    assert abs(told(flat, [[[0, 4, 4, 8]]]) - 1) < 1e-4
    for count in (1, 3):
        try:
            told(look(*[0] * count), [[nothing] * count])
        except ValueError:
            continue
        return False
    return True


# %% correct: painted pixels on random inputs

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(11)

    def whole(low, high):
        return int(torch.randint(low, high, (1,), generator=generator))

    for trial in range(150):
        rows, columns, cell = whole(1, 5), whole(1, 5), whole(1, 5)
        size, length = whole(1, 4), whole(1, 5)
        count = rows * columns
        order = torch.stack([torch.randperm(count, generator=generator) for _ in range(size * length)])
        weights = (1.0 + order.view(size, length, count)) / (1 if trial % 2 else count * (count + 1) / 2)
        boxes = torch.full((size, length, 4), -1)
        hits = tokens = 0
        for b in range(size):
            for t in range(length):
                if whole(0, 3) == 0 and (b, t) != (0, 0):
                    continue
                left, upper = whole(0, columns * cell), whole(0, rows * cell)
                right, lower = left + whole(1, 2 * cell + 4), upper + whole(1, 2 * cell + 4)
                boxes[b, t] = torch.tensor([left, upper, right, lower])
                canvas = torch.zeros(rows * cell, columns * cell)
                canvas[upper:lower, left:right] = 1
                row, column = divmod(int(weights[b, t].argmax()), columns)
                tokens += 1
                hits += bool(canvas[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell].any())
        share = pointing_accuracy(weights, boxes, columns, cell)
        if not isinstance(share, float) or not abs(share - hits / tokens) < 1e-4:
            return False
    try:
        pointing_accuracy(torch.rand(2, 3, 6, generator=generator), torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        return True
    return False
