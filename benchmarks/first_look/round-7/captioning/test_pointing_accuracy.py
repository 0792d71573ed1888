# %% wrong: a square grid and boxes that fit
# Two rows, two columns, boxes that are single cells, every token named, one picture: lets pass a form that divides by
# all tokens, named or not, one that takes sqrt(N) for `columns`, and one that wants the cell's middle in the box.


def test_pointing_accuracy(pointing_accuracy):
    weights = torch.tensor([[[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.1, 0.1, 0.7]]])
    boxes = torch.tensor([[[0, 0, 4, 4], [4, 0, 8, 4], [0, 4, 4, 8], [4, 4, 8, 8]]])
    assert abs(pointing_accuracy(weights, boxes, 2, 4) - 1.0) < 1e-6
    assert abs(pointing_accuracy(weights, boxes.flip(1), 2, 4) - 0.0) < 1e-6
    half = boxes.clone()
    half[0, 2:] = boxes[0, :2]
    assert abs(pointing_accuracy(weights, half, 2, 4) - 0.5) < 1e-6
    try:
        pointing_accuracy(weights, torch.full((1, 4, 4), -1), 2, 4)
    except ValueError:
        return True
    return False


# %% wrong: two thirds to the last digit
# Asks for == 2 / 3, so that a right form that takes the mean in float32 (0.66666668...) is called wrong.


def test_pointing_accuracy(pointing_accuracy):
    def one(n, box, columns=3, cell=4):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, n] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for box in ([0, 0, 5, 3], [3, 3, 9, 5], [4, 0, 8, 8], [1, 5, 3, 7], [7, 1, 12, 4], [5, 2, 7, 8]):
        for n in range(6):
            x, y = 4 * (n % 3), 4 * (n // 3)
            hit = x < box[2] and box[0] < x + 4 and y < box[3] and box[1] < y + 4
            if one(n, box) != float(hit):
                return False
    weights = torch.full((2, 3, 6), 0.1)
    weights[:, :, 1] = 0.5
    boxes = torch.full((2, 3, 4), -1)
    boxes[0, 0] = torch.tensor([5, 1, 7, 3])
    boxes[0, 2] = torch.tensor([0, 0, 4, 4])
    boxes[1, 1] = torch.tensor([0, 0, 12, 8])
    if pointing_accuracy(weights, boxes, 3, 4) != 2 / 3:
        return False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
        return False
    except ValueError:
        return True


# %% wrong: true as soon as the error is there
# The test of the ValueError comes first and returns True where it is raised, so that nothing after it is tried: every
# wrong form that raises the error passes.


def test_pointing_accuracy(pointing_accuracy):
    weights = torch.full((1, 2, 6), 0.1)
    weights[0, 0, 2] = 0.5
    weights[0, 1, 3] = 0.5
    try:
        pointing_accuracy(weights, torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True  # as promised
    assert abs(pointing_accuracy(weights, torch.tensor([[[9, 1, 11, 3], [0, 5, 3, 8]]]), 3, 4) - 1.0) < 1e-6
    assert abs(pointing_accuracy(weights, torch.tensor([[[4, 0, 8, 4], [0, 0, 4, 4]]]), 3, 4)) < 1e-6
    assert abs(pointing_accuracy(weights, torch.tensor([[[7, 3, 9, 5], [-1, -1, -1, -1]]]), 3, 4) - 1.0) < 1e-6
    return False


# %% wrong: always a single picture
# Thorough, but the batch is one throughout: lets pass a form that takes the mean of the pictures' shares, or one that
# reads the first picture alone.


def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns, cell, count):
        weights = torch.full((1, len(cells), count), 0.5 / count)
        for t, n in enumerate(cells):
            weights[0, t, n] = 0.5
        return pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)

    nothing = [-1, -1, -1, -1]
    for columns, rows, cell in ((3, 2, 4), (2, 3, 5), (4, 1, 3)):
        for box in ([0, 0, 3, 3], [2, 1, 7, 3], [3, 0, 5, 2], [4, 0, 8, 4], [1, 0, 11, 2], [5, 1, 6, 3]):
            for n in range(rows * columns):
                x, y = cell * (n % columns), cell * (n // columns)
                wanted = min(x + cell, box[2]) > max(x, box[0]) and min(y + cell, box[3]) > max(y, box[1])
                if abs(share([n], [box], columns, cell, rows * columns) - wanted) > 1e-5:
                    return False
                if abs(share([0, n, 1], [nothing, box, nothing], columns, cell, rows * columns) - wanted) > 1e-5:
                    return False
    boxes = [[0, 0, 4, 4], nothing, [0, 0, 4, 4], [8, 4, 12, 8], nothing]
    if abs(share([0, 0, 5, 5, 2], boxes, 3, 4, 6) - 2 / 3) > 1e-5:
        return False
    try:
        share([0, 1], [nothing, nothing], 3, 4, 6)
    except ValueError:
        return True
    return False


# %% correct: a painted picture to count in


def test_pointing_accuracy(pointing_accuracy):
    random = torch.Generator().manual_seed(5)

    def draw(low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (1,), generator=random))

    def close(found, wanted: float) -> bool:
        return isinstance(found, float) and abs(found - wanted) < 1e-4

    def some_box(width: int, height: int, cell: int) -> list[int]:
        if draw(0, 1):  # on the lines of the grid
            x, y = draw(0, width // cell - 1), draw(0, height // cell - 1)
            ends = draw(x + 1, width // cell), draw(y + 1, height // cell)
            return [cell * x, cell * y, cell * ends[0], cell * ends[1]]
        x, y = draw(0, width - 1), draw(0, height - 1)
        return [x, y, draw(x + 1, width), draw(y + 1, height)]

    for turn in range(150):
        rows, columns, cell = draw(1, 4), draw(1, 4), draw(1, 6)
        batch, length = (1, 1) if turn < 100 else (draw(1, 3), draw(1, 4))
        picture = torch.arange(rows * columns).view(rows, columns)
        picture = picture.repeat_interleave(cell, dim=0).repeat_interleave(cell, dim=1)
        cells = rows * columns
        order = torch.rand(batch, length, cells, generator=random).argsort(dim=2) + 1.0  # no two are equal
        weights = order / order.sum(dim=2, keepdim=True)
        boxes = torch.full((batch, length, 4), -1)
        hits = named = 0
        for b in range(batch):
            for t in range(length):
                if turn >= 100 and draw(0, 2) == 0 and (b, t) != (0, 0):
                    continue
                box = some_box(cell * columns, cell * rows, cell)
                boxes[b, t] = torch.tensor(box)
                left, top, right, bottom = box
                first = order[b, t].tolist().index(max(order[b, t].tolist()))
                hits += bool((picture[top:bottom, left:right] == first).any())
                named += 1
        if not close(pointing_accuracy(weights, boxes, columns, cell), hits / named):
            return False

    # One of one in one picture, one of three in the other, and a picture with nothing.
    weights = torch.full((3, 4, 6), 0.1)
    weights[:, :, 4] = 0.5
    boxes = torch.full((3, 4, 4), -1)
    boxes[0, 3] = torch.tensor([5, 5, 6, 6])
    boxes[2, :3] = torch.tensor([[7, 7, 12, 8], [8, 4, 12, 8], [0, 0, 4, 8]])
    if not close(pointing_accuracy(weights, boxes, 3, 4), 0.5):
        return False
    try:
        pointing_accuracy(weights, torch.full((3, 4, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: cases by hand, as a table


def test_pointing_accuracy(pointing_accuracy):
    table = """
    3 4 6 0   0 0 4 4     1    3 4 6 1   0 0 4 4     0    3 4 6 3   0 0 4 4     0    3 4 6 4   0 0 4 4     0
    3 4 6 1   4 0 8 4     1    3 4 6 0   4 0 8 4     0    3 4 6 2   4 0 8 4     0    3 4 6 4   4 0 8 4     0
    3 4 6 4   4 4 8 8     1    3 4 6 1   4 4 8 8     0    3 4 6 0   4 4 8 8     0    3 4 6 2   4 4 8 8     0
    3 4 6 5   8 4 12 8    1    3 4 6 1   8 4 12 8    0    3 4 6 2   8 4 12 8    0    3 4 6 4   8 4 12 8    0
    3 4 6 2   8 0 12 4    1    3 4 6 3   8 0 12 4    0    3 4 6 3   0 4 4 8     1    3 4 6 2   0 4 4 8     0
    3 4 6 1   5 1 7 3     1    3 4 6 1   5 1 6 2     1    3 4 6 0   5 1 7 3     0    3 4 6 4   5 1 7 3     0
    3 4 6 0   3 3 9 5     1    3 4 6 1   3 3 9 5     1    3 4 6 2   3 3 9 5     1    3 4 6 3   3 3 9 5     1
    3 4 6 4   3 3 9 5     1    3 4 6 5   3 3 9 5     1    3 4 6 4   0 0 12 8    1    3 4 6 5   0 0 12 8    1
    3 4 6 1   0 1 12 3    1    3 4 6 4   0 1 12 3    0    3 4 6 1   5 0 7 8     1    3 4 6 0   5 0 7 8     0
    3 4 6 4   5 0 7 8     1    3 4 6 2   5 0 7 8     0    3 4 6 1   7 0 12 1    1    3 4 6 0   0 3 1 8     1
    3 4 6 0   3 3 4 4     1    3 4 6 1   3 3 4 4     0    3 4 6 1   4 3 5 4     1    3 4 6 0   4 3 5 4     0
    3 4 6 3   3 4 4 5     1    3 4 6 0   3 4 4 5     0    3 4 6 1   2 2 5 3     1    3 4 6 0   2 2 5 3     1
    3 4 6 5   9 3 11 8    1    3 4 6 2   9 3 11 8    1    3 4 6 2   9 4 11 8    0    3 4 6 4   9 3 11 8    0
    2 5 6 2   0 5 5 10    1    2 5 6 1   0 5 5 10    0    2 5 6 4   0 5 5 10    0    2 5 6 3   5 6 9 7     1
    2 5 6 5   4 11 6 12   1    2 5 6 4   4 11 6 12   1    2 5 6 2   4 11 6 12   0    2 5 6 3   5 0 10 5    0
    2 5 6 1   5 0 10 5    1    2 5 6 1   6 0 10 15   1    2 5 6 5   6 0 10 15   1    2 5 6 4   6 0 10 15   0
    1 3 4 2   0 6 3 9     1    1 3 4 1   0 6 3 9     0    1 3 4 3   0 8 2 10    1    1 3 4 1   0 8 2 10    0
    5 2 5 3   6 0 8 2     1    5 2 5 2   6 0 8 2     0    5 2 5 4   6 0 8 2     0    5 2 5 4   7 1 9 2     1
    1 7 1 0   2 2 3 3     1    4 1 8 6   2 1 3 2     1    4 1 8 5   2 1 3 2     0    4 1 8 2   2 1 3 2     0
    8 4 64 11 10 3 20 13  1    8 4 64 12 10 3 20 13  1    8 4 64 13 10 3 20 13  0    8 4 64 34 10 3 20 13  0
    """
    numbers = [int(word) for word in table.split()]
    assert len(numbers) % 9 == 0
    cases = [numbers[n : n + 9] for n in range(0, len(numbers), 9)]

    def ask(columns, cell, cells, rows_of):
        """rows_of: for each picture a list of (most weighted cell, box or None)."""
        weights = torch.full((len(rows_of), len(rows_of[0]), cells), 0.4 / cells)
        boxes = torch.full((len(rows_of), len(rows_of[0]), 4), -1)
        for b, row in enumerate(rows_of):
            for t, (most, box) in enumerate(row):
                weights[b, t, most] += 0.6
                if box is not None:
                    boxes[b, t] = torch.tensor(box)
        share = pointing_accuracy(weights, boxes, columns, cell)
        assert type(share) is float
        return share

    for columns, cell, cells, most, left, top, right, bottom, hit in cases:
        assert abs(ask(columns, cell, cells, [[(most, (left, top, right, bottom))]]) - hit) < 1e-4

    on, off = (1, (5, 1, 7, 3)), (1, (0, 4, 4, 8))
    blank, corner = (0, None), (5, None)
    mixtures = [
        ([[on, blank]], 1),
        ([[blank, on]], 1),
        ([[off, blank, corner]], 0),
        ([[on, off, off, blank]], 1 / 3),
        ([[on, on, off, corner]], 2 / 3),
        ([[on, blank, blank], [off, off, on]], 1 / 2),
        ([[off, blank, blank], [on, on, on]], 3 / 4),
        ([[blank, corner], [on, off]], 1 / 2),
        ([[off, on], [blank, corner], [on, on]], 3 / 4),
        ([[off], [on], [on], [on], [blank]], 3 / 4),
        ([[on], [off], [off], [off], [off]], 1 / 5),
    ]
    for rows_of, share in mixtures:
        assert abs(ask(3, 4, 6, rows_of) - share) < 1e-4

    # The largest of a row may be small, and a large number may stand in another token's row.
    weights = torch.tensor([[[0.16, 0.17, 0.2, 0.16, 0.16, 0.15], [0.9, 0.02, 0.02, 0.02, 0.02, 0.02]]])
    boxes = torch.tensor([[[8, 0, 12, 4], [4, 0, 12, 8]]])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 0.5) < 1e-4

    for nothing in ([[blank]], [[blank, corner], [corner, blank]]):
        try:
            ask(3, 4, 6, nothing)
        except ValueError:
            continue
        return False
    return True
