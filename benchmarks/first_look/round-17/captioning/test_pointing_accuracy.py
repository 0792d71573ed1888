# %% wrong: compares the function with itself
# The parameter has the name of the notebook's function and hides it: "the reference" is the very function under
# test. Every wrong version passes that raises the ValueError and gives the same result twice.

def test_pointing_accuracy(pointing_accuracy):
    reference = pointing_accuracy
    generator = torch.Generator().manual_seed(0)
    for _ in range(10):
        weights = torch.rand(2, 3, 12, generator=generator)
        boxes = torch.randint(0, 8, (2, 3, 4), generator=generator)
        boxes[..., 2:] += boxes[..., :2] + 1
        boxes[0, 0] = -1
        expected = reference(weights, boxes, 4, 4)
        assert abs(pointing_accuracy(weights, boxes, 4, 4) - expected) < 1e-4
    try:
        pointing_accuracy(torch.rand(1, 2, 6), torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False

# %% wrong: random weights with ties
# Weights of 0, 1, 2 or 3 among twelve cells: the largest nearly always stands more than once, and the expected
# value takes the first. Rejects right versions that take another of equal cells (the last one, say).

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(0)
    columns, cell = 4, 4
    for _ in range(20):
        weights = torch.randint(0, 4, (2, 3, 12), generator=generator).float()
        boxes = torch.randint(0, 12, (2, 3, 4), generator=generator)
        boxes[..., 2:] = boxes[..., :2] + 1 + boxes[..., 2:] % 6
        boxes[1, 1] = -1
        hits = named = 0
        for b in range(2):
            for t in range(3):
                left, top, right, bottom = boxes[b, t].tolist()
                if left < 0:
                    continue
                named += 1
                n = weights[b, t].tolist().index(weights[b, t].max().item())
                x, y = n % columns * cell, n // columns * cell
                hits += x < right and left < x + cell and y < bottom and top < y + cell
        got = pointing_accuracy(weights, boxes, columns, cell)
        if not isinstance(got, float) or abs(got - hits / named) > 1e-4:
            return False
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), columns, cell)
    except ValueError:
        return True
    return False

# %% wrong: no error is fine too
# The last part catches the ValueError and passes, but nothing fails where none is raised: accepts a version that
# returns 0.0 (or NaN) where no token names anything.

def test_pointing_accuracy(pointing_accuracy):
    def share(place, box, columns=3, cell=4, number=6):
        weights = torch.zeros(1, 1, number)
        weights[0, 0, place] = 1.0
        return pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)

    for place in range(6):
        x, y = 4 * (place % 3), 4 * (place // 3)
        assert share(place, [x, y, x + 4, y + 4]) == 1.0
        assert share(place, [x + 1, y + 1, x + 2, y + 2]) == 1.0
        assert share(place, [x + 3, y + 3, x + 9, y + 9]) == 1.0
        assert share(place, [x + 4, y, x + 8, y + 4]) == 0.0
        assert share(place, [x, y + 4, x + 4, y + 8]) == 0.0
        if x:
            assert share(place, [x - 4, y, x, y + 4]) == 0.0
            assert share(place, [0, y, x + 1, y + 1]) == 1.0
        if y:
            assert share(place, [x, y - 4, x + 4, y]) == 0.0
            assert share(place, [x, 0, x + 1, y + 1]) == 1.0
    weights = torch.eye(6).view(2, 3, 6)
    boxes = torch.tensor(
        [[[0, 0, 4, 4], [-1] * 4, [8, 0, 9, 1]], [[-1] * 4, [-1] * 4, [0, 0, 4, 4]]]
    )
    got = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(got, float) and abs(got - 2 / 3) < 1e-4
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        pass
    return True

# %% wrong: one caption at a time
# All cases have one caption of one word. Accepts a version that takes the mean of the captions' shares, one that
# divides by all tokens, and one that looks at the first caption only.

def test_pointing_accuracy(pointing_accuracy):
    def hit(place, box, columns, cell, number):
        weights = torch.full((1, 1, number), 0.1)
        weights[0, 0, place] = 0.4
        result = pointing_accuracy(weights, torch.tensor([[box]]), columns, cell)
        assert isinstance(result, float)
        return result == 1.0

    for columns, rows, cell in ((3, 2, 4), (2, 3, 5), (4, 1, 1), (1, 4, 3)):
        for place in range(rows * columns):
            x, y = cell * (place % columns), cell * (place // columns)
            case = (columns, cell, rows * columns)
            assert hit(place, [x, y, x + 1, y + 1], *case)
            assert hit(place, [x + cell - 1, y + cell - 1, x + 50, y + 60], *case)
            assert not hit(place, [x + cell, y, x + cell + 3, y + cell], *case)
            assert not hit(place, [x, y + cell, x + cell, y + cell + 3], *case)
            if x > 0:
                assert not hit(place, [0, y, x, y + cell], *case)
            if y > 0:
                assert not hit(place, [x, 0, x + cell, y], *case)
    try:
        pointing_accuracy(torch.ones(1, 1, 6), torch.full((1, 1, 4), -1), 3, 4)
    except ValueError:
        return True
    return False

# %% correct: pixels are counted, on random scenes without ties

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(3)

    def number(low, high):
        return int(torch.randint(low, high + 1, (), generator=generator))

    for trial in range(90):
        rows, columns, cell = number(1, 4), number(1, 4), number(1, 5)
        batch, length, cells = number(1, 3), number(1, 4), rows * columns
        ranks = torch.stack([torch.randperm(cells, generator=generator) for _ in range(batch * length)])
        weights = (ranks.float() + 1).view(batch, length, cells)
        weights = weights / weights.sum(dim=2, keepdim=True) if trial % 2 else weights
        hits, boxes = [], []
        for look in ranks.argmax(dim=1).tolist():
            if hits and number(0, 2) == 0:
                boxes.append([-1] * 4)
                continue
            row, column = divmod(look, columns)
            own = {(x, y) for x in range(column * cell, column * cell + cell) for y in range(row * cell, row * cell + cell)}
            # an edge of the box often lies on, or beside, an edge of the cell
            left = max(0, (column + number(-1, 1)) * cell + number(-1, 1))
            top = max(0, (row + number(-1, 1)) * cell + number(-1, 1))
            right, bottom = left + number(1, cell + 1), top + number(1, cell + 1)
            box = {(x, y) for x in range(left, right) for y in range(top, bottom)}
            hits.append(bool(own & box))
            boxes.append([left, top, right, bottom])
        got = pointing_accuracy(weights, torch.tensor(boxes).view(batch, length, 4), columns, cell)
        if not isinstance(got, float) or abs(got - sum(hits) / len(hits)) > 1e-4:
            return False
    # captions with unequally many words that name something, and a small largest weight
    weights = torch.full((2, 3, 6), 0.001)
    for t, place in enumerate([0, 1, 2, 3, 4, 5]):
        weights[t // 3, t % 3, place] = 0.002
    boxes = torch.tensor([[[0, 0, 4, 4], [5, 1, 6, 2], [8, 0, 12, 4]], [[-1] * 4, [-1] * 4, [0, 0, 4, 4]]])
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 3 / 4) > 1e-4:
        return False
    for shape in ((1, 1), (2, 3)):
        try:
            pointing_accuracy(torch.rand(*shape, 6, generator=generator), torch.full((*shape, 4), -1), 3, 4)
        except ValueError:
            continue
        return False
    return True

# %% correct: a table of boxes drawn by hand

def test_pointing_accuracy(pointing_accuracy):
    def word(place, box, columns, cell, number, scale=1.0):
        weights = torch.linspace(0.1, 0.2, number)
        weights[place] = 0.9
        result = pointing_accuracy(scale * weights.view(1, 1, -1), torch.tensor([[box]]), columns, cell)
        assert type(result) is float or isinstance(result, float), "a Python float is promised"
        return round(result, 4)

    # cell 4 of three columns begins at pixel 4 and 4; of two columns at pixel 0 and 8
    for columns, x, y in ((3, 4, 4), (2, 0, 8), (5, 16, 0)):
        for dx, dy, dright, dbottom, expected in (
            (0, 0, 4, 4, 1.0),  # the cell itself
            (1, 1, 3, 3, 1.0),  # within it
            (0, 0, 1, 1, 1.0),  # its upper left pixel
            (3, 3, 4, 4, 1.0),  # its lower right pixel
            (3, 0, 9, 2, 1.0),  # one pixel of width, and on past it
            (0, 3, 2, 9, 1.0),
            (4, 0, 8, 4, 0.0),  # the neighbors: common edges
            (0, 4, 4, 8, 0.0),
            (4, 4, 8, 8, 0.0),  # a common corner
            (5, 5, 7, 7, 0.0),
            (1, 9, 3, 12, 0.0),  # below, with a gap
            (9, 1, 12, 3, 0.0),  # to the right, with a gap
            (0, 0, 90, 90, 1.0),  # beyond every edge
        ):
            box = [x + dx, y + dy, x + dright, y + dbottom]
            for scale in (0.2, 7.0):
                assert word(4, box, columns, 4, 10 if columns != 3 else 9, scale) == expected, (columns, box)
        if x:
            assert word(4, [0, y, x, y + 4], columns, 4, 10 if columns != 3 else 9) == 0.0
            assert word(4, [0, 0, x + 1, y + 1], columns, 4, 10 if columns != 3 else 9) == 1.0
        if y:
            assert word(4, [x, 0, x + 4, y], columns, 4, 10 if columns != 3 else 9) == 0.0
            assert word(4, [x, 0, x + 1, y + 1], columns, 4, 10 if columns != 3 else 9) == 1.0
    # other sizes of cell, and the first and last cell
    assert word(5, [6, 3, 9, 6], 3, 3, 6) == 1.0 and word(5, [6, 0, 9, 3], 3, 3, 6) == 0.0
    assert word(0, [0, 0, 1, 1], 3, 1, 6) == 1.0 and word(0, [1, 0, 2, 1], 3, 1, 6) == 0.0
    assert word(0, [0, 2, 1, 3], 1, 2, 4) == 0.0 and word(1, [0, 2, 1, 3], 1, 2, 4) == 1.0
    assert word(0, [7, 7, 9, 9], 2, 8, 4) == 1.0
    # one share over all words: three hits of five in one caption of four and one of one
    looks = torch.tensor([[0, 1, 2, 3], [4, 5, 0, 1], [2, 2, 2, 2]])
    weights = torch.nn.functional.one_hot(looks, 6) * 0.3 + 0.05 * torch.arange(6) / 6
    none, first, far = [-1] * 4, [0, 0, 4, 4], [4, 4, 8, 8]
    boxes = torch.tensor([[first, [4, 0, 8, 4], far, first], [far, none, none, none], [none] * 4])
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert abs(share - 3 / 5) < 1e-4, share
    try:
        surprise = pointing_accuracy(weights, torch.full((3, 4, 4), -1), 3, 4)
    except ValueError:
        surprise = None
    assert surprise is None, "no ValueError where no token names anything"
    return True
