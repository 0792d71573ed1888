# %% wrong: it never calls the function
# The function was never called, so every form passes. Call it on small inputs of which you know the answer.

def test_pointing_accuracy(pointing_accuracy):
    return True

# %% wrong: a single hit on the diagonal
# Row 1 and column 1: a place where rows and columns may be swapped unseen, and a box that is the cell. Look at other
# cells, and at boxes that only just overlap or only just do not.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    return share([[4]], [[[4, 4, 8, 8]]]) == 1.0

# %% wrong: what was found is not returned
# Two causes are likely. A test that returns nothing, and in which no assert fails, says that all is well: return what
# you worked out. Or all its looks and boxes are clear cases: try some that only just overlap, and cells off the
# diagonal.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    nothing = [-1, -1, -1, -1]
    right = all(share([[5]], [[box]]) == 1.0 for box in ([8, 4, 12, 8], [11, 7, 13, 9], [0, 0, 9, 5]))
    right = right and all(share([[n]], [[[12, 4, 16, 8]]]) == 0.0 for n in (5, 2, 4))
    right = right and share([[6]], [[[20, 9, 21, 10]]], columns=4, N=8, cell=8) == 1.0
    right = right and share([[5, 1]], [[[8, 4, 12, 8], nothing]]) == 1.0

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
# Every look is right on the object or far from it, so a form that asks for the cell's center, or is content with an
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
# It wants a hit where the cell only touches the box. The docstring says that a common edge is not enough.

def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)

    assert share([[5, 1]], [[[8, 4, 12, 8], [4, 0, 8, 4]]]) == 1.0
    assert share([[5]], [[[12, 4, 16, 8]]]) == 1.0

# %% wrong: it compares the function with itself
# Both calls go to the same function, so a mistake is made twice and nothing is seen: wrong forms pass such a comparison
# too. Compare with answers that you worked out yourself.

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

# %% correct: asserts
# --- before
    if any(share([[(5, box)]]) != 1.0 for box in hits) or any(
        share([[(5, box)]]) != 0.0 for box in misses
    ):
        return False
# --- after
    for box in hits:
        assert share([[(5, box)]]) == 1.0, box
    for box in misses:
        assert share([[(5, box)]]) == 0.0, box

# %% correct: one caption of all the boxes
# --- before
    if any(share([[(5, box)]]) != 1.0 for box in hits) or any(
        share([[(5, box)]]) != 0.0 for box in misses
    ):
# --- after
    if share([[(5, box) for box in hits]]) != 1.0 or share([[(5, box) for box in misses]]) != 0.0:

# %% correct: the error is caught first, and None says that all is well
# --- before
    try:
        share([[silent, silent]])
    except ValueError:
        return True
    return False
# --- after
    raised = False
    try:
        share([[silent, silent]])
    except ValueError:
        raised = True
    assert raised
