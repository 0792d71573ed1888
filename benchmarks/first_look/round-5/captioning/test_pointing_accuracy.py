# %% wrong: asserts a tuple
# The brackets around condition and message make a tuple, which is always true: none of these assertions can fail, and
# every form that raises the ValueError passes.

def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""
    for n in range(6):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, n] = 0.5
        row, column = divmod(n, 3)
        box = torch.tensor([[[4 * column + 1, 4 * row + 1, 4 * column + 3, 4 * row + 3]]])
        beside = torch.tensor([[[4 * column + 4, 4 * row, 4 * column + 8, 4 * row + 4]]])
        assert (pointing_accuracy(weights, box, 3, 4) == 1.0, f"cell {n} lies on its box")
        assert (pointing_accuracy(weights, beside, 3, 4) == 0.0, f"cell {n} only touches the box")
    try:
        pointing_accuracy(weights, torch.full((1, 1, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: no error is no fault, and the copy is no copy
# Where no ValueError comes, the try simply goes on, so a missing error is not found. And before is the same tensor as
# boxes, so that a change in place is not found either.

def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""
    weights = torch.full((1, 3, 6), 0.1)
    weights[0, 0, 1] = 0.5
    weights[0, 1, 5] = 0.5
    weights[0, 2, 3] = 0.5
    boxes = torch.tensor([[[5, 1, 7, 3], [-1, -1, -1, -1], [4, 4, 8, 8]]])
    before = boxes
    if pointing_accuracy(weights, boxes, 3, 4) != 0.5:
        return False
    if not torch.equal(boxes, before):
        return False
    for n in range(6):
        row, column = divmod(n, 3)
        one = F.one_hot(torch.tensor([[n]]), 6).float()
        inside = torch.tensor([[[4 * column + 3, 4 * row + 3, 4 * column + 9, 4 * row + 9]]])
        right_of = torch.tensor([[[4 * column + 4, 4 * row, 4 * column + 9, 4 * row + 4]]])
        below = torch.tensor([[[4 * column, 4 * row + 4, 4 * column + 4, 4 * row + 9]]])
        if pointing_accuracy(one, inside, 3, 4) != 1.0:
            return False
        if pointing_accuracy(one, right_of, 3, 4) != 0.0 or pointing_accuracy(one, below, 3, 4) != 0.0:
            return False
    try:
        pointing_accuracy(weights, torch.full((1, 3, 4), -1), 3, 4)
    except ValueError:
        pass
    return True


# %% wrong: wants two thirds to the last digit
# The share is compared with 2/3 by ==. A right form that takes the mean in float32 gives 0.66666669, and is called
# wrong.

def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""
    weights = torch.full((2, 2, 6), 0.1)
    weights[0, 0, 2] = weights[0, 1, 4] = weights[1, 0, 3] = weights[1, 1, 0] = 0.5
    boxes = torch.tensor([[[7, 0, 12, 1], [3, 3, 5, 5]], [[4, 4, 8, 8], [-1, -1, -1, -1]]])
    kept = weights.clone(), boxes.clone()
    share = pointing_accuracy(weights, boxes, 3, 4)
    assert isinstance(share, float)
    assert share == 2 / 3
    assert torch.equal(weights, kept[0]) and torch.equal(boxes, kept[1])
    assert pointing_accuracy(weights[1:], boxes[1:], 3, 4) == 0.0
    assert pointing_accuracy(weights[:1], boxes[:1], 3, 4) == 1.0
    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: only grids of eight by eight
# All trials have the 8 columns and the 4 pixels of the notebook. A form that takes the root of N for the columns, or
# counts with 8 and 4 whatever it is given, passes.

def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""
    columns, cell = 8, 4

    def one(n, *box):
        weights = torch.full((1, 1, 64), 0.01)
        weights[0, 0, n] = 0.37
        boxes = torch.tensor(box).view(1, 1, 4)
        copies = weights.clone(), boxes.clone()
        share = pointing_accuracy(weights, boxes, columns, cell)
        assert torch.equal(weights, copies[0]) and torch.equal(boxes, copies[1])
        assert isinstance(share, float)
        return share

    for n in (9, 13, 19, 42, 58, 63):
        row, column = divmod(n, columns)
        x, y = column * cell, row * cell
        for box in ((x + 1, y + 1, x + 2, y + 2), (x - 4, y - 4, x + 1, y + 1), (x + 3, y + 3, x + 9, y + 9)):
            assert one(n, *box) == 1.0
        for box in ((x - 4, y, x, y + 4), (x + 4, y, x + 8, y + 4), (x, y - 4, x + 4, y), (x, y + 4, x + 4, y + 8)):
            assert one(n, *box) == 0.0
    try:
        one(3, -1, -1, -1, -1)
    except ValueError:
        pass
    else:
        return False
    weights = F.one_hot(torch.tensor([[0, 9, 18], [27, 36, 45]]), 64).float()
    boxes = torch.tensor([[[0, 0, 9, 9], [-1] * 4, [20, 0, 24, 4]], [[-1] * 4, [-1] * 4, [20, 20, 24, 24]]])
    return abs(pointing_accuracy(weights, boxes, columns, cell) - 2 / 3) < 1e-4


# %% wrong: a thousand calls
# The form is compared with a second one in 1,000 random trials; it may be called 200 times at most.

def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""

    def expected(weights, boxes, columns, cell):
        named = ~(boxes == -1).all(-1)
        best = weights.argmax(-1)
        x, y = best % columns * cell, best // columns * cell
        left, top, right, bottom = boxes.unbind(-1)
        hit = (left < x + cell) & (x < right) & (top < y + cell) & (y < bottom)
        return hit[named].double().mean().item()

    generator = torch.Generator().manual_seed(0)
    for _ in range(1_000):
        rows, columns, cell = torch.randint(2, 4, (3,), generator=generator).tolist()
        weights = torch.rand(1, 2, rows * columns, generator=generator)
        corner = torch.randint(0, 5, (1, 2, 2), generator=generator)
        boxes = torch.cat([corner, corner + torch.randint(1, 4, (1, 2, 2), generator=generator)], dim=-1)
        kept = weights.clone(), boxes.clone()
        share = pointing_accuracy(weights, boxes, columns, cell)
        if not isinstance(share, float) or abs(share - expected(*kept, columns, cell)) > 1e-4:
            return False
        if not torch.equal(weights, kept[0]) or not torch.equal(boxes, kept[1]):
            return False
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), columns, cell)
    except ValueError:
        return True
    return False


# %% correct: pixels are painted and counted, on random grids

def _by_pixels(weights, boxes, columns, cell):
    """Hits and named tokens, found by going through the pixels of the most weighted cell."""
    hits = named = 0
    for looks, (left, top, right, bottom) in zip(weights, boxes, strict=True):
        if left == top == right == bottom == -1:
            continue
        named += 1
        row, column = divmod(max(range(len(looks)), key=looks.__getitem__), columns)
        pixels = ((column * cell + i, row * cell + j) for i in range(cell) for j in range(cell))
        hits += any(left <= x < right and top <= y < bottom for x, y in pixels)
    return hits, named


def _random_trial(generator, batch, length, rows, columns, cell):
    """Weights (B, T, N), boxes (B, T, 4): all inside the picture, near the looked-at cell, some of them -1."""

    def draw(low, high):
        return int(torch.randint(low, high, (1,), generator=generator))

    tokens, cells = batch * length, rows * columns
    weights = torch.stack([torch.randperm(cells, generator=generator) + 1.0 for _ in range(tokens)])
    weights = weights / weights.sum(dim=1, keepdim=True)
    boxes = []
    for looks in weights:
        row, column = divmod(int(looks.argmax()), columns)
        if draw(0, 4) == 0:
            boxes.append([-1, -1, -1, -1])
            continue
        sides = []
        for place, count in ((column, columns), (row, rows)):
            low = max(0, min(count * cell - 1, draw((place - 1) * cell, (place + 1) * cell + 1)))
            high = min(count * cell, low + draw(1, 2 * cell))
            sides.append((low, high))
        boxes.append([sides[0][0], sides[1][0], sides[0][1], sides[1][1]])
    return weights.view(batch, length, cells), torch.tensor(boxes).view(batch, length, 4)


def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""
    generator = torch.Generator().manual_seed(7)
    grids = [(2, 3, 4), (3, 2, 5), (1, 4, 3), (4, 1, 2), (3, 3, 4), (2, 5, 6)]
    sizes = [(1, 1), (1, 1), (2, 3), (3, 2), (3, 4)]
    for trial in range(90):
        rows, columns, cell = grids[trial % len(grids)] if trial > 3 else (2, 200, 2)
        batch, length = sizes[trial % len(sizes)]
        weights, boxes = _random_trial(generator, batch, length, rows, columns, cell)
        hits, named = _by_pixels(weights.flatten(0, 1).tolist(), boxes.flatten(0, 1).tolist(), columns, cell)
        kept_weights, kept_boxes = weights.clone(), boxes.clone()
        try:
            share = pointing_accuracy(weights, boxes, columns, cell)
        except ValueError:
            if named:
                return False
        else:
            if named == 0 or not isinstance(share, float) or not abs(share - hits / named) < 1e-4:
                return False
        if not torch.equal(weights, kept_weights) or not torch.equal(boxes, kept_boxes):
            return False
    try:
        pointing_accuracy(torch.eye(6)[None, :2], torch.full((1, 2, 4), -1), 3, 4)
    except ValueError:
        return True
    return False


# %% correct: a list of small cases by hand

class _Case:
    """A single look at cell n of a grid, and boxes that lie about it."""

    def __init__(self, function, rows, columns, cell, n):
        self.function, self.rows, self.columns, self.cell, self.n = function, rows, columns, cell, n

    def share(self, box):
        looks = torch.full((1, 1, self.rows * self.columns), 0.1)
        looks[0, 0, self.n] = 0.3
        boxes = torch.tensor([[box]])
        old_looks, old_boxes = looks.clone(), boxes.clone()
        answer = self.function(looks, boxes, self.columns, self.cell)
        assert isinstance(answer, float), "not a Python float"
        assert torch.equal(looks, old_looks) and torch.equal(boxes, old_boxes), "an argument was changed"
        return answer

    def run(self):
        row, column = divmod(self.n, self.columns)
        c = self.cell
        x, y = column * c, row * c
        width, height = self.columns * c, self.rows * c
        on = [
            (x, y, x + c, y + c),
            (x + 1, y + 1, x + 2, y + 2),
            (x, y + 1, x + c, y + 2),
            (x + 1, y, x + 2, y + c),
            (0, 0, width, height),
            (0, 0, x + 1, y + 1),
            (x + c - 1, y + c - 1, width, height),
            (0, y + c - 1, x + 1, height),
        ]
        off = []
        if column > 0:
            off += [(0, 0, x, height), (x - 1, y, x, y + c)]
        if column + 1 < self.columns:
            off += [(x + c, 0, width, height), (x + c, y + 1, x + c + 1, y + 2)]
        if row > 0:
            off += [(0, 0, width, y), (x, y - 1, x + c, y)]
        if row + 1 < self.rows:
            off += [(0, y + c, width, height), (x + 1, y + c, x + 2, y + c + 1)]
        for box in on:
            assert self.share(list(box)) == 1.0, f"cell {self.n} overlaps {box}"
        for box in off:
            assert self.share(list(box)) == 0.0, f"cell {self.n} does not overlap {box}"


def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring."""
    for rows, columns, cell, n in (
        (2, 3, 4, 0),
        (2, 3, 4, 1),
        (2, 3, 4, 2),
        (2, 3, 4, 3),
        (2, 3, 4, 5),
        (3, 2, 5, 1),
        (3, 2, 5, 4),
        (2, 6, 3, 9),
        (3, 3, 4, 5),
        (16, 20, 2, 317),
    ):
        _Case(pointing_accuracy, rows, columns, cell, n).run()

    # pictures with one, three and no named tokens: 1 hit of 1, and 1 of 3; 2 of 4 in all
    none = [-1, -1, -1, -1]
    looked_at = torch.tensor([[4, 0, 5], [1, 2, 3], [0, 1, 2]])
    weights = torch.full((3, 3, 6), 0.12).scatter(2, looked_at.unsqueeze(2), 0.4)
    boxes = torch.tensor(
        [
            [[5, 5, 7, 7], none, none],
            [[0, 4, 4, 8], [9, 1, 11, 3], [8, 0, 12, 4]],
            [none, none, none],
        ]
    )
    for _ in range(2):
        assert abs(pointing_accuracy(weights, boxes, 3, 4) - 0.5) < 1e-4, "hits over named tokens"
    assert abs(pointing_accuracy(weights[1:2], boxes[1:2], 3, 4) - 1 / 3) < 1e-4, "one hit of three"
    try:
        pointing_accuracy(weights[2:], boxes[2:], 3, 4)
    except ValueError:
        return True
    raise AssertionError("no ValueError where no token names anything")
