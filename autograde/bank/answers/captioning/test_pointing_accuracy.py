# %% wrong: it never calls the function
# The function was never called, so every form passes. Call it on small inputs of which you know the answer.

def test_pointing_accuracy(pointing_accuracy):
    return True

# %% wrong: the other way round
# It says False of a right form. Return True where everything is as promised.

def test_pointing_accuracy(pointing_accuracy):
    weights = torch.zeros(1, 1, 6)
    weights[0, 0, 5] = 1.0
    return pointing_accuracy(weights, torch.tensor([[[8, 4, 12, 8]]]), 3, 4) != 1.0

# %% wrong: only that it is a share
# Any number from 0 to 1 passes, and a wrong share is one too. Choose looks and boxes of which you know whether they
# are hits.

def test_pointing_accuracy(pointing_accuracy):
    weights = torch.softmax(torch.randn(2, 5, 6), dim=2)
    first = torch.randint(0, 6, (2, 5, 2))
    share = pointing_accuracy(weights, torch.cat([first, first + 3], dim=2), 3, 4)
    return 0.0 <= share <= 1.0

# %% wrong: a single hit on the diagonal
# Row 1 and column 1: a place where rows and columns may be swapped unseen, and a box that is the cell. Look at other
# cells, and at boxes that only just overlap or only just do not.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    return share([[4]], [[[4, 4, 8, 8]]]) == 1.0

# %% wrong: what was found is not returned
# Two causes are likely. Where a test returns nothing and no assert fails, all is taken to be well: the answer that was
# worked out must come back. Or all its looks and boxes are clear cases: try some that only just overlap, and cells off
# the diagonal.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    right = all(share([[5]], [[box]]) == 1.0 for box in ([8, 4, 12, 8], [11, 7, 13, 9], [0, 0, 9, 5]))
    right = right and all(share([[n]], [[[12, 4, 16, 8]]]) == 0.0 for n in (5, 2, 4))
    right = right and share([[6]], [[[20, 9, 21, 10]]], columns=4, N=8, cell=8) == 1.0
    right = right and share([[5, 1]], [[[8, 4, 12, 8], nothing]]) == 1.0

# %% wrong: a square grid, clear hits and clear misses
# All cells looked at lie on the diagonal of a square grid. Take a grid with more columns than rows, and boxes near the
# edge of being hit.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    hit = share([[0, 4]], [[[0, 0, 4, 4], [4, 4, 8, 8]]], 3, 9) == 1.0
    miss = share([[0, 8]], [[[8, 8, 12, 12], [0, 0, 4, 4]]], 3, 9) == 0.0
    return hit and miss and share([[0]], [[[0, 0, 4, 4]]], 3, 9) == 1.0

# %% wrong: every word names something
# Edges and places are tried well, and in every caption each word names something. Add words with -1 four times,
# unevenly.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    for cell_number, (x, y) in {5: (8, 4), 1: (4, 0), 3: (0, 4)}.items():
        for dx, dy, hit in ((3, 0, 1.0), (-3, 0, 1.0), (0, 3, 1.0), (0, -3, 1.0), (4, 0, 0.0), (0, 4, 0.0)):
            box = [x + dx, y + dy, x + dx + 4, y + dy + 4]
            if min(box) >= 0 and share([[cell_number]], [[box]]) != hit:
                return False
    return share([[5, 5]], [[[8, 4, 12, 8], [0, 0, 4, 4]]]) == 0.5

# %% wrong: words that name nothing, and clear hits alone
# Every look is right on the object or far from it, so a form that asks for the cell's centre, or is content with an
# edge, passes. Add boxes that share one pixel with the cell, and one edge.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    boxes = [[[8, 4, 12, 8], nothing, nothing], [[4, 0, 8, 4], [0, 0, 4, 4], nothing]]
    return abs(share([[5, 2, 1], [1, 5, 0]], boxes) - 2 / 3) < 1e-6

# %% wrong: too strict about the error's words
# The docstring promises a ValueError, and not its words. What it does not promise, a test must not ask for.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    try:
        share([[5]], [[[-1, -1, -1, -1]]])
    except ValueError as error:
        return "no word names an object" in str(error) and share([[5]], [[[8, 4, 12, 8]]]) == 1.0
    return False

# %% wrong: a common edge is asked to count
# It asks that a cell count which only touches the box. The docstring says that a common edge is not enough.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    assert share([[5, 1]], [[[8, 4, 12, 8], [4, 0, 8, 4]]]) == 1.0
    assert share([[5]], [[[12, 4, 16, 8]]]) == 1.0

# %% wrong: it compares the function with itself
# Both calls go to the same function, so a mistake is made twice and nothing is seen. That doubling changes nothing is
# true, and wrong forms keep it too.

def test_pointing_accuracy(pointing_accuracy):
    weights = torch.softmax(torch.randn(1, 4, 6), dim=2)
    boxes = torch.tensor([[[0, 0, 4, 4], [4, 4, 9, 9], [2, 3, 8, 8], [8, 4, 12, 8]]])
    return pointing_accuracy(weights, boxes, 3, 4) == pointing_accuracy(2 * weights, boxes, 3, 4)

# %% correct: an own loop, compared on drawn inputs and on edges

def test_pointing_accuracy(pointing_accuracy):
    def expected(weights, boxes, columns, cell):
        hits, named = 0, 0
        for look, box in zip(weights.flatten(0, 1), boxes.flatten(0, 1).tolist()):
            if box[0] < 0:
                continue
            named += 1
            n = look.argmax().item()
            x, y = n % columns * cell, n // columns * cell
            hits += x < box[2] and box[0] < x + cell and y < box[3] and box[1] < y + cell
        return hits / named

    for columns, rows, cell in ((5, 2, 4), (3, 4, 8)):
        for _ in range(12):
            weights = torch.rand(3, 40, rows * columns)
            top = weights.argmax(2)
            left = (top % columns * cell + torch.randint(-2 * cell, 2 * cell + 1, (3, 40))).clamp(min=0)
            upper = (top // columns * cell + torch.randint(-2 * cell, 2 * cell + 1, (3, 40))).clamp(min=0)
            wide, high = torch.randint(1, 4 * cell, (2, 3, 40))
            boxes = torch.stack([left, upper, left + wide, upper + high], 2)
            boxes[0, ::2] = boxes[1, 5:] = -1
            share = pointing_accuracy(weights, boxes, columns, cell)
            if not isinstance(share, float) or abs(share - expected(weights, boxes, columns, cell)) > 1e-5:
                return False
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 8)
    except ValueError:
        return True
    return False

# %% correct: asserts on cases worked out by hand

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    on = lambda n, box: share([[n]], [[box]])
    for box in ([8, 4, 12, 8], [11, 7, 13, 9], [0, 0, 9, 5], [11, 1, 12, 5], [7, 7, 9, 9], [9, 5, 11, 7], [0, 0, 16, 9]):
        assert on(5, box) == 1.0
    for box in ([4, 4, 8, 8], [12, 4, 14, 8], [8, 0, 12, 4], [8, 8, 12, 12], [4, 8, 8, 12], [0, 0, 6, 3]):
        assert on(5, box) == 0.0
    assert on(0, [0, 0, 1, 1]) == 1.0 and on(1, [0, 0, 5, 4]) == 1.0 and on(3, [0, 4, 2, 8]) == 1.0
    assert share([[3]], [[[24, 0, 30, 8]]], columns=4, N=8, cell=8) == 1.0
    assert type(share([[5, 0, 0, 0], [5, 5, 5, 0]], [
        [[8, 4, 12, 8], nothing, nothing, nothing], [[0, 0, 2, 2], [0, 0, 2, 2], [8, 4, 9, 8], nothing]
    ])) is float
    assert share([[5, 0, 0, 0], [5, 5, 5, 0]], [
        [[8, 4, 12, 8], nothing, nothing, nothing], [[0, 0, 2, 2], [0, 0, 2, 2], [8, 4, 9, 8], nothing]
    ]) == 0.5
    assert share([[0, 1, 2, 3]], [[[0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 2], [0, 4, 2, 8]]]) == 0.5
    raised = False
    try:
        on(2, nothing)
    except ValueError:
        raised = True
    assert raised

# %% correct: every cell against every one-pixel box

def test_pointing_accuracy(pointing_accuracy):
    for columns, rows, cell in ((3, 2, 2), (2, 3, 3)):
        N = columns * rows
        for n in range(N):
            pixels = [(i, j) for j in range(rows * cell) for i in range(columns * cell)]
            boxes = torch.tensor([[[i, j, i + 1, j + 1] for i, j in pixels]])
            weights = torch.full((1, len(pixels), N), 0.1)
            weights[:, :, n] = 0.9
            share = pointing_accuracy(weights, boxes, columns, cell)
            if not isinstance(share, float) or abs(share - cell * cell / len(pixels)) > 1e-6:
                return False
            for t, (i, j) in enumerate(pixels[:: cell + 1]):
                inside = i // cell == n % columns and j // cell == n // columns
                one = boxes[:, t * (cell + 1) : t * (cell + 1) + 1]
                if pointing_accuracy(weights[:, :1], one, columns, cell) != float(inside):
                    return False
    each, corner = torch.eye(6).unsqueeze(0), torch.tensor([[[0, 0, 1, 1]] * 6])
    if abs(pointing_accuracy(each, corner, 3, 2) - 1 / 6) > 1e-6:
        return False
    if pointing_accuracy(each, torch.tensor([[[0, 0, 6, 4]] * 6]), 3, 2) != 1.0:
        return False
    weights = torch.zeros(2, 3, 6)
    weights[:, :, 4] = 1.0
    boxes = torch.tensor([[[2, 2, 5, 5], [-1] * 4, [-1] * 4], [[0, 0, 2, 2], [0, 0, 1, 2], [3, 2, 9, 9]]])
    mixed = pointing_accuracy(weights, boxes, 3, 2) == 0.5
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 2)
    except ValueError:
        return mixed
    return False

# %% correct: a table of cases

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    table = [
        (5, [8, 4, 12, 8], 1), (5, [0, 0, 9, 5], 1), (5, [11, 7, 12, 8], 1), (5, [12, 4, 16, 8], 0),
        (5, [4, 4, 8, 8], 0), (5, [8, 8, 12, 12], 0), (5, [8, 0, 12, 4], 0), (2, [11, 3, 12, 4], 1),
        (3, [0, 7, 1, 8], 1), (3, [0, 0, 4, 4], 0), (2, [8, 4, 12, 8], 0), (0, [0, 0, 12, 8], 1),
        (1, [4, 4, 8, 8], 0), (5, [4, 8, 8, 12], 0), (4, [7, 0, 8, 5], 1), (4, [3, 0, 5, 5], 1),
        (5, [9, 5, 11, 7], 1), (5, [0, 0, 16, 9], 1), (5, [0, 0, 6, 3], 0),
    ]
    right = all(share([[n]], [[box]]) == float(hit) for n, box, hit in table)
    large = share([[6]], [[[20, 9, 21, 10]]], columns=4, N=8, cell=8) == 1.0
    nothing = [-1] * 4
    boxes = [[[8, 4, 12, 8], nothing, nothing], [[0, 0, 1, 1], [0, 0, 1, 1], [8, 4, 12, 8]]]
    half = share([[5, 5, 5], [5, 5, 5]], boxes)
    right = right and share([[0, 1, 2, 3]], [[[0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 2], [0, 4, 2, 8]]]) == 0.5
    try:
        share([[1]], [[nothing]])
        silent = True
    except ValueError:
        silent = False
    return right and large and half == 0.5 and isinstance(half, float) and not silent

# %% correct: shares counted out on a longer caption

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    cells = [5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 3, 0]
    boxes = [
        [8, 4, 9, 5], [11, 7, 12, 8], [12, 4, 16, 8], [8, 8, 12, 12], [8, 2, 12, 4], [5, 4, 8, 8], [7, 3, 9, 5],
        nothing, nothing, [0, 0, 5, 1], [0, 6, 2, 7], [0, 0, 1, 1],
    ]
    try:
        share([[4]], [[nothing]])
        return False
    except ValueError:
        pass
    first = share([cells], [boxes])
    second = share([cells, cells], [boxes, [[0, 0, 4, 4]] * 10 + [nothing, [4, 4, 8, 8]]])
    third = share([[2, 2, 2], [4, 4, 4]], [[[9, 1, 10, 2], nothing, nothing], [[0, 0, 4, 4], [0, 0, 4, 9], nothing]])
    fourth = [share([[5]], [[box]]) for box in ([9, 0, 10, 4], [0, 5, 8, 6], [12, 5, 14, 6], [9, 8, 10, 9])]
    fifth = [share([[5]], [[box]]) for box in ([9, 0, 10, 5], [0, 5, 9, 6], [11, 5, 14, 6], [9, 7, 10, 9])]
    sixth = share([[5]], [[[16, 8, 18, 9]]], cell=8)
    seventh = [share([[5]], [[box]]) for box in ([0, 0, 16, 9], [0, 0, 6, 2])]
    return (
        abs(first - 6 / 10) < 1e-6
        and isinstance(first, float)
        and abs(second - 6 / 21) < 1e-6
        and abs(third - 1 / 3) < 1e-6
        and fourth == [0.0] * 4
        and fifth == [1.0] * 4
        and sixth == 1.0
        and seventh == [1.0, 0.0]
    )
