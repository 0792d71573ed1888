# %% wrong: the share to the last digit
# Shares are compared with ==, also 1/3 and 2/3.
# Promise (text): a right one must pass, and not the last digit of a share like 2/3 is asked for. Shows for a right form that takes the mean in float32.

def test_pointing_accuracy(pointing_accuracy):
    def on(*cells):
        weights = torch.full((1, len(cells), 6), 0.1)
        for t, n in enumerate(cells):
            weights[0, t, n] = 0.5
        return weights

    nothing = [-1, -1, -1, -1]
    cases = [  # cells looked at, boxes, share; two rows of three cells, 4 pixels each
        ([0], [[0, 0, 3, 3]], 1),
        ([1], [[0, 0, 4, 4]], 0),
        ([3], [[0, 0, 4, 4]], 0),
        ([4], [[0, 0, 4, 4]], 0),
        ([4], [[0, 0, 5, 5]], 1),
        ([0], [[4, 0, 8, 4]], 0),
        ([0], [[0, 4, 4, 8]], 0),
        ([0], [[3, 3, 12, 8]], 1),
        ([2], [[9, 1, 10, 2]], 1),
        ([3], [[1, 5, 2, 6]], 1),
        ([5], [[0, 0, 12, 8]], 1),
        ([0, 1, 5], [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]], 1 / 3),
        ([0, 5, 3, 5], [[0, 0, 4, 4], nothing, [0, 4, 4, 8], [0, 0, 4, 4]], 2 / 3),
    ]
    for cells, boxes, share in cases:
        found = pointing_accuracy(on(*cells), torch.tensor([boxes]), 3, 4)
        if not isinstance(found, float) or found != share:
            return False
    weights = torch.stack([on(0, 0, 0)[0], on(5, 5, 5)[0]])
    boxes = torch.tensor([[[0, 0, 4, 4], nothing, nothing], [[0, 0, 4, 4]] * 3])
    if pointing_accuracy(weights, boxes, 3, 4) != 0.25:
        return False
    try:
        pointing_accuracy(on(0, 1), torch.tensor([[nothing, nothing]]), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: the error is allowed, not asked for
# try, call, except ValueError: pass; nothing is said where no error comes.
# Promise: False (or an assertion) where a promise is broken. Shows for a form that returns 0.0 or nan where no token names anything.

def test_pointing_accuracy(pointing_accuracy):
    def ask(cells, boxes):
        weights = torch.full((1, len(cells), 6), 0.02)
        weights[0, range(len(cells)), cells] = 0.9
        return pointing_accuracy(weights, torch.tensor([boxes]), columns=3, cell=4)

    nothing = [-1] * 4
    assert ask([0], [[0, 0, 4, 4]]) == 1
    assert ask([2], [[8, 0, 12, 4]]) == 1
    assert ask([3], [[0, 4, 4, 8]]) == 1
    assert ask([3], [[8, 0, 12, 4]]) == 0
    for neighbour in (1, 3, 4):
        assert ask([neighbour], [[0, 0, 4, 4]]) == 0
        assert ask([neighbour], [[0, 0, 5, 5]]) == 1
        assert ask([0], [[3, 3, 12, 8]]) == 1
        assert ask([0], [[4, 0, 12, 8]]) == 0
        assert ask([0], [[0, 4, 12, 8]]) == 0
    assert ask([4], [[5, 5, 6, 6]]) == 1
    assert ask([4], [[0, 0, 12, 8]]) == 1
    mixed = ask([0, 1, 2, 3], [[0, 0, 4, 4], nothing, [0, 0, 4, 4], nothing])
    assert isinstance(mixed, float) and abs(mixed - 0.5) < 1e-4
    weights = torch.eye(6)[torch.tensor([[0, 0, 0], [5, 5, 5]])]
    boxes = torch.tensor([[[0, 0, 4, 4], nothing, nothing], [[0, 0, 4, 4]] * 3])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 0.25) < 1e-4
    try:
        ask([0, 1], [nothing, nothing])
    except ValueError:
        pass
    return True


# %% wrong: all boxes lie on the lines between the cells
# Each box is exactly one cell or a block of whole cells.
# Promise: False where the function is wrong. Shows for one that asks for the cell's middle, or for all of the cell, in the box: there it is the same.

def test_pointing_accuracy(pointing_accuracy):
    rows, columns, cell = 2, 3, 4
    nothing = torch.tensor([-1, -1, -1, -1])
    for looked in range(rows * columns):
        weights = torch.full((1, 1, rows * columns), 0.1)
        weights[0, 0, looked] = 0.5
        for top in range(rows):
            for left in range(columns):
                for bottom in range(top + 1, rows + 1):
                    for right in range(left + 1, columns + 1):
                        box = cell * torch.tensor([left, top, right, bottom])
                        r, c = divmod(looked, columns)
                        truth = top <= r < bottom and left <= c < right
                        if looked in (0, 2, 4):
                            given = pointing_accuracy(weights, box.view(1, 1, 4), columns, cell)
                            if type(given) is not float or abs(given - truth) > 1e-4:
                                return False
    weights = torch.eye(6)[torch.tensor([[0, 1, 2], [3, 4, 5]])]
    whole = torch.tensor([0, 0, 4, 4])
    boxes = torch.stack([torch.stack([whole, nothing, nothing]), torch.stack([whole, whole, whole])])
    if abs(pointing_accuracy(weights, boxes, 3, 4) - 0.25) > 1e-4:
        return False
    try:
        pointing_accuracy(weights, nothing.expand(2, 3, 4).clone(), 3, 4)
    except ValueError:
        return True
    return False


# %% wrong: even weights are to give the first cell
# One of the cases has the same weight on every cell and asks for cell 0.
# Promise (text and docstring): of equal ones ANY, so a right form must pass. Shows for a right form that takes the last of the largest.

def test_pointing_accuracy(pointing_accuracy):
    def ask(weights, *boxes):
        return pointing_accuracy(weights.unsqueeze(0), torch.tensor([list(boxes)]), 3, 4)

    one_hot = torch.eye(6)
    first, nothing = [0, 0, 4, 4], [-1, -1, -1, -1]
    even = torch.full((1, 6), 1 / 6)
    good = isinstance(ask(one_hot[:1], first), float)
    good &= ask(even, first) == 1.0
    good &= abs(ask(one_hot, *[first] * 6) - 1 / 6) < 1e-4
    good &= abs(ask(one_hot, *[[0, 0, 5, 4]] * 6) - 2 / 6) < 1e-4
    good &= abs(ask(one_hot, *[[0, 0, 4, 5]] * 6) - 2 / 6) < 1e-4
    good &= abs(ask(one_hot, *[[4, 4, 8, 8]] * 6) - 1 / 6) < 1e-4
    good &= abs(ask(one_hot, *[[7, 1, 9, 2]] * 6) - 2 / 6) < 1e-4
    good &= abs(ask(one_hot, [1, 1, 2, 2], nothing, nothing, first, nothing, nothing) - 1 / 2) < 1e-4
    two = torch.stack([one_hot[:3], one_hot[3:]])
    boxes = torch.tensor([[first, nothing, nothing], [first, first, first]])
    good &= abs(pointing_accuracy(two, boxes, 3, 4) - 1 / 4) < 1e-4
    try:
        ask(one_hot[:2], nothing, nothing)
    except ValueError:
        return bool(good)
    return False


# %% correct: drawn cases against a count of shared pixels

def test_pointing_accuracy(pointing_accuracy):
    dice = torch.Generator().manual_seed(7)

    def draw(low, high):
        return int(torch.randint(low, high + 1, (1,), generator=dice))

    def pixels(left, top, right, bottom):
        return {(x, y) for x in range(left, right) for y in range(top, bottom)}

    def an_edge_pair(cells, cell):
        lines = [cell * line for line in range(cells + 1)]
        some = lines if draw(0, 1) else list(range(cell * cells + 1))
        low = some[draw(0, len(some) - 2)]
        longest = min(cell * cells - low, draw(1, 3 * cell))
        return low, low + (longest if draw(0, 2) else min(longest, draw(1, cell)))

    for trial in range(150):
        rows, columns, cell = draw(1, 3), draw(1, 4), draw(1, 5)
        batch, length = draw(1, 3), draw(1, 4)
        order = [torch.randperm(rows * columns, generator=dice) for _ in range(batch * length)]
        sharp = 3 * torch.rand(batch, length, 1, generator=dice) + 0.2
        weights = (torch.stack(order).view(batch, length, -1) + 1.0) ** sharp
        weights = weights / weights.sum(dim=2, keepdim=True)
        boxes = torch.full((batch, length, 4), -1)
        hits = named = 0
        for b in range(batch):
            for t in range(length):
                if draw(0, 3) == 0:
                    continue
                (left, right), (top, bottom) = an_edge_pair(columns, cell), an_edge_pair(rows, cell)
                boxes[b, t] = torch.tensor([left, top, right, bottom])
                row, column = divmod(int(weights[b, t].argmax()), columns)
                looked = pixels(cell * column, cell * row, cell * column + cell, cell * row + cell)
                named += 1
                hits += bool(looked & pixels(left, top, right, bottom))
        try:
            share = pointing_accuracy(weights, boxes, columns, cell)
        except ValueError:
            assert named == 0
            continue
        assert named > 0, "no error where nothing is named"
        assert isinstance(share, float)
        assert abs(share - hits / named) < 1e-4
    # What is seldom drawn: nothing named at all, and nothing named in one picture.
    nothing = torch.full((2, 2, 4), -1)
    weights = torch.tensor([0.1, 0.2, 0.4, 0.3]).expand(2, 2, 4).contiguous()
    try:
        pointing_accuracy(weights, nothing.clone(), 2, 4)
    except ValueError:
        pass
    else:
        return False
    boxes = nothing.clone()
    boxes[1, 0] = torch.tensor([0, 4, 1, 5])
    return abs(pointing_accuracy(weights, boxes, 2, 4) - 1.0) < 1e-4


# %% correct: a table of single looks, drawn as a map

def test_pointing_accuracy(pointing_accuracy):
    def looked_at(cells, of):
        weights = torch.full((len(cells), len(cells[0]), of), 0.4 / of)
        for b, row in enumerate(cells):
            for t, n in enumerate(row):
                weights[b, t, n] += 0.6
        return weights

    def fits(cells, boxes, columns, cell, truth, of):
        share = pointing_accuracy(looked_at(cells, of), torch.tensor(boxes), columns, cell)
        return isinstance(share, float) and abs(share - truth) < 1e-3

    maps = [  # box, and for two rows of three cells of 4 pixels which are hits
        ((0, 0, 4, 4), "#.. ..."),
        ((0, 0, 5, 4), "##. ..."),
        ((0, 0, 4, 5), "#.. #.."),
        ((3, 3, 5, 5), "##. ##."),
        ((4, 0, 8, 4), ".#. ..."),
        ((4, 4, 8, 8), "... .#."),
        ((8, 4, 12, 8), "... ..#"),
        ((7, 5, 8, 6), "... .#."),
        ((8, 3, 9, 4), "..# ..."),
        ((5, 1, 6, 2), ".#. ..."),
        ((1, 1, 2, 7), "#.. #.."),
        ((1, 6, 11, 7), "... ###"),
        ((0, 2, 9, 3), "### ..."),
        ((0, 0, 12, 8), "### ###"),
        ((11, 7, 12, 8), "... ..#"),
        ((4, 3, 12, 5), ".## .##"),
    ]
    for box, picture in maps:
        for n, sign in enumerate(picture.replace(" ", "")):
            if not fits([[n]], [[box]], 3, 4, float(sign == "#"), 6):
                return False
    none, first = (-1, -1, -1, -1), (0, 0, 4, 4)
    more = [
        ([[0, 0, 5, 5]], [[first, none, none, first]], 3, 4, 1 / 2, 6),
        ([[5, 0, 0, 5]], [[none, first, none, none]], 3, 4, 1.0, 6),
        ([[0, 1, 2]], [[first, first, first]], 3, 4, 1 / 3, 6),
        ([[0, 0, 0], [5, 5, 5]], [[first, none, none], [first, first, first]], 3, 4, 1 / 4, 6),
        ([[0, 0], [0, 5]], [[none, none], [first, first]], 3, 4, 1 / 2, 6),
        ([[0], [5], [0]], [[first], [first], [none]], 3, 4, 1 / 2, 6),
        ([[4]], [[(8, 8, 9, 9)]], 3, 8, 1.0, 6),
        ([[4]], [[(8, 0, 9, 8)]], 3, 8, 0.0, 6),
        ([[3]], [[(1, 1, 2, 2)]], 2, 1, 1.0, 6),
        ([[3]], [[(1, 0, 2, 1)]], 2, 1, 0.0, 6),
        ([[4]], [[(20, 0, 21, 1)]], 6, 5, 1.0, 6),
        ([[4]], [[(0, 20, 1, 21)]], 1, 5, 1.0, 6),
        ([[13]], [[(7, 3, 8, 4)]], 5, 2, 0.0, 15),
        ([[13]], [[(7, 5, 8, 6)]], 5, 2, 1.0, 15),
    ]
    if not all(fits(*case) for case in more):
        return False
    sure_and_unsure = torch.tensor([[[0.9, 0.1, 0.0, 0.0], [0.2, 0.25, 0.3, 0.25]]])  # every token counts alike
    if abs(pointing_accuracy(sure_and_unsure, torch.tensor([[first, first]]), 2, 4) - 1 / 2) > 1e-3:
        return False
    for cells, boxes in (([[0]], [[none]]), ([[0, 3], [1, 5]], [[none, none], [none, none]])):
        try:
            pointing_accuracy(looked_at(cells, 6), torch.tensor(boxes), 3, 4)
            return False
        except ValueError:
            continue
    return True
