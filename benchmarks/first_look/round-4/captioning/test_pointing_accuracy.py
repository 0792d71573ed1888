# %% wrong: every box is exactly one cell
# All the boxes line up with the cells, so an answer that asks for the cell's centre in the box, or for a cell that lies wholly in it, passes, though objects never line up.
# Hint: the chapter says that an object never lines up with the cells. Which box shares a single pixel with a cell?

def test_pointing_accuracy(pointing_accuracy):
    columns, cell = 3, 4
    for place in range(6):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, place] = 0.5
        for other in range(6):
            left, top = other % columns * cell, other // columns * cell
            boxes = torch.tensor([[[left, top, left + cell, top + cell]]])
            found = pointing_accuracy(weights, boxes, columns, cell)
            assert isinstance(found, float)
            assert found == (1.0 if other == place else 0.0)
    nothing = torch.full((1, 2, 4), -1)
    try:
        pointing_accuracy(torch.full((1, 2, 6), 1 / 6), nothing, columns, cell)
    except ValueError:
        return True
    return False


# %% wrong: the first of two equal weights has to win
# The test gives all cells the same weight and wants the first of them to be looked at. The docstring does not say which of equal weights wins, so a right answer that takes the last one fails.
# Hint: make sure that in each of your inputs one weight is the largest.

def test_pointing_accuracy(pointing_accuracy):
    columns, cell = 3, 4
    equal = torch.full((1, 1, 6), 1 / 6)
    assert pointing_accuracy(equal, torch.tensor([[[0, 0, 3, 3]]]), columns, cell) == 1.0
    assert pointing_accuracy(equal, torch.tensor([[[9, 5, 12, 8]]]), columns, cell) == 0.0
    on_three = torch.tensor([[[0.1, 0.1, 0.1, 0.5, 0.1, 0.1]]])
    for box, expected in (
        ([0, 5, 3, 8], 1.0),
        ([3, 3, 6, 5], 1.0),
        ([4, 4, 8, 8], 0.0),
        ([0, 0, 4, 4], 0.0),
        ([4, 0, 8, 4], 0.0),
    ):
        assert pointing_accuracy(on_three, torch.tensor([[box]]), columns, cell) == expected
    try:
        pointing_accuracy(on_three, torch.full((1, 1, 4), -1), columns, cell)
    except ValueError:
        return True
    return False


# %% wrong: a share of two thirds has to be exact
# The share is compared with 2/3 by ==. A right answer that averages in float32 gives 0.66666669 and is rejected.
# Hint: which shares come out the same in every precision, and how else can two floats be compared?

def test_pointing_accuracy(pointing_accuracy):
    weights = torch.full((1, 4, 6), 0.1)
    for token, place in enumerate((0, 4, 5, 2)):
        weights[0, token, place] = 0.5
    boxes = torch.tensor([[[0, 0, 3, 3], [7, 3, 9, 5], [0, 0, 8, 4], [-1, -1, -1, -1]]])
    weights_before, boxes_before = weights.clone(), boxes.clone()
    found = pointing_accuracy(weights, boxes, 3, 4)
    if not isinstance(found, float) or found != 2 / 3:
        return False
    if not torch.equal(weights, weights_before) or not torch.equal(boxes, boxes_before):
        return False
    if pointing_accuracy(weights[:, :1], torch.tensor([[[4, 0, 8, 4]]]), 3, 4) != 0.0:
        return False
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 4)
        return False
    except ValueError:
        return True


# %% wrong: the inputs are compared with themselves
# To see whether weights and boxes are left alone the test keeps them under a second name, without a copy. Both names are the same tensor, so an answer that changes the boxes passes.
# Hint: what does before = boxes copy? Try the test on an answer that subtracts one from the boxes in place.

def test_pointing_accuracy(pointing_accuracy):
    def one(place, box, columns, cell):
        weights = torch.full((1, 1, 6), 0.08)
        weights[0, 0, place] = 0.6
        boxes = torch.tensor([[box]])
        weights_before, boxes_before = weights, boxes
        found = pointing_accuracy(weights, boxes, columns, cell)
        assert type(found) is float
        assert torch.equal(weights, weights_before) and torch.equal(boxes, boxes_before)
        return found

    for columns, cell, box, hits in (
        (3, 4, [0, 0, 12, 8], {0, 1, 2, 3, 4, 5}),
        (3, 4, [4, 0, 8, 4], {1}),
        (3, 4, [3, 3, 5, 5], {0, 1, 3, 4}),
        (3, 4, [9, 5, 11, 7], {5}),
        (3, 4, [0, 7, 5, 8], {3, 4}),
        (2, 7, [0, 13, 3, 15], {2, 4}),
        (2, 7, [7, 7, 14, 14], {3}),
    ):
        for place in range(6):
            assert one(place, box, columns, cell) == float(place in hits)

    weights = torch.full((2, 3, 6), 0.08)
    weights[:, :, 4] = 0.6
    on, off, none = [5, 5, 7, 7], [0, 0, 4, 4], [-1, -1, -1, -1]
    boxes = torch.tensor([[on, on, on], [none, off, none]])
    assert abs(pointing_accuracy(weights, boxes, 3, 4) - 0.75) < 1e-5
    raised = False
    try:
        pointing_accuracy(weights, torch.full((2, 3, 4), -1), 3, 4)
    except ValueError:
        raised = True
    assert raised
    return True


# %% wrong: a missing error goes unnoticed
# The call that should raise ValueError stands in a try block, but nothing happens where it does not raise. An answer that gives NaN or zero when no token names anything passes.
# Hint: what does your test do when the line inside try simply runs?

def test_pointing_accuracy(pointing_accuracy):
    def one(place, box):
        weights = torch.full((1, 1, 6), 0.1)
        weights[0, 0, place] = 0.5
        return pointing_accuracy(weights, torch.tensor([[box]]), 3, 5)

    assert one(0, [0, 0, 5, 5]) == 1.0
    assert one(1, [0, 0, 5, 5]) == 0.0
    assert one(3, [0, 0, 5, 5]) == 0.0
    assert one(3, [4, 4, 6, 6]) == 1.0
    assert one(4, [4, 4, 6, 6]) == 1.0
    assert one(2, [4, 4, 6, 6]) == 0.0
    assert one(2, [14, 0, 15, 1]) == 1.0
    assert one(5, [11, 6, 13, 9]) == 1.0

    weights = torch.full((2, 2, 6), 0.1)
    weights[:, :, 0] = 0.5
    boxes = torch.tensor([[[0, 0, 3, 3], [-1, -1, -1, -1]], [[0, 2, 8, 8], [6, 6, 9, 9]]])
    copies = weights.clone(), boxes.clone()
    found = pointing_accuracy(weights, boxes, 3, 5)
    assert isinstance(found, float) and abs(found - 2 / 3) < 1e-5
    assert torch.equal(weights, copies[0]) and torch.equal(boxes, copies[1])

    try:
        pointing_accuracy(weights, torch.full((2, 2, 4), -1), 3, 5)
    except ValueError:
        pass
    return True


# %% correct: every cell against every box with pixels counted in sets

def test_pointing_accuracy(pointing_accuracy):
    def looking_at(places, num_cells):
        weights = torch.full((len(places), len(places[0]), num_cells), 0.3 / (num_cells - 1))
        for b, row in enumerate(places):
            for t, place in enumerate(row):
                weights[b, t, place] = 0.7
        return weights

    def ask(weights, boxes, columns, cell):
        weights_before, boxes_before = weights.clone(), boxes.clone()
        found = pointing_accuracy(weights, boxes, columns, cell)
        assert isinstance(found, float), "no Python float"
        assert torch.equal(weights, weights_before), "weights were changed"
        assert torch.equal(boxes, boxes_before), "boxes were changed"
        return found

    def pixels(left, top, right, bottom):
        return {(x, y) for x in range(left, right) for y in range(top, bottom)}

    def every_cell(rows, columns, cell, boxes):
        for box in boxes:
            for n in range(rows * columns):
                x, y = n % columns * cell, n // columns * cell
                expected = 1.0 if pixels(*box) & pixels(x, y, x + cell, y + cell) else 0.0
                found = ask(looking_at([[n]], rows * columns), torch.tensor([[list(box)]]), columns, cell)
                assert abs(found - expected) < 1e-4, (box, n)

    every_cell(
        2,
        3,
        5,
        [
            (0, 0, 15, 10),
            (5, 0, 10, 5),
            (0, 5, 5, 10),
            (4, 4, 6, 6),
            (6, 6, 9, 9),
            (0, 9, 1, 10),
            (14, 0, 15, 1),
            (4, 1, 11, 4),
            (10, 0, 15, 10),
            (3, 5, 12, 9),
        ],
    )
    every_cell(3, 2, 8, [(7, 7, 9, 9), (0, 16, 8, 24), (9, 1, 15, 6), (1, 15, 15, 17), (0, 0, 8, 8)])
    every_cell(1, 4, 3, [(2, 0, 4, 3), (6, 1, 9, 2)])

    spread = torch.tensor([[[0.3, 0.25, 0.25, 0.05, 0.05, 0.1]]])
    assert ask(spread, torch.tensor([[[5, 0, 15, 5]]]), 3, 5) == 0.0
    assert ask(spread, torch.tensor([[[1, 1, 3, 3]]]), 3, 5) == 1.0

    none = (-1, -1, -1, -1)
    boxes = torch.tensor([[(1, 1, 4, 4), (9, 4, 11, 6), none, (0, 0, 3, 3)], [none, none, (0, 6, 3, 9), none], [none] * 4])
    places = [[0, 1, 0, 0], [0, 3, 2, 5], [0, 1, 2, 3]]
    assert abs(ask(looking_at(places, 6), boxes, 3, 5) - 3 / 4) < 1e-4
    places[0][1] = 3
    places[1][2] = 3
    assert abs(ask(looking_at(places, 6), boxes, 3, 5) - 3 / 4) < 1e-4
    assert abs(ask(looking_at(places[:1], 6), boxes[:1], 3, 5) - 2 / 3) < 1e-4

    try:
        ask(looking_at(places, 6), torch.full((3, 4, 4), -1), 3, 5)
    except ValueError:
        return True
    return False


# %% correct: a table of boxes with the cells that they meet, written down by hand

MEETS = {
    (3, 4): {
        (0, 0, 12, 8): "XXXXXX",
        (4, 0, 8, 4): ".X....",
        (0, 4, 4, 8): "...X..",
        (3, 3, 5, 5): "XX.XX.",
        (7, 0, 9, 4): ".XX...",
        (4, 3, 8, 5): ".X..X.",
        (9, 5, 11, 7): ".....X",
        (0, 0, 1, 1): "X.....",
        (11, 7, 12, 8): ".....X",
        (8, 0, 12, 8): "..X..X",
        (1, 1, 11, 3): "XXX...",
        (0, 7, 5, 8): "...XX.",
    },
    (2, 7): {
        (6, 6, 8, 8): "XXXX..",
        (0, 14, 7, 21): "....X.",
        (7, 7, 14, 14): "...X..",
        (8, 20, 9, 21): ".....X",
        (0, 13, 3, 15): "..X.X.",
    },
}


def test_pointing_accuracy(pointing_accuracy):
    def peaked(*places):
        return 0.05 + 0.7 * F.one_hot(torch.tensor(places), 6).float()

    for (columns, cell), table in MEETS.items():
        for box, answers in table.items():
            for place, answer in enumerate(answers):
                found = pointing_accuracy(peaked(place)[None], torch.tensor([[box]]), columns, cell)
                if not isinstance(found, float) or abs(found - (answer == "X")) > 1e-4:
                    return False

    weights = torch.stack([peaked(4, 4, 4), peaked(0, 4, 3)])
    nothing = [-1, -1, -1, -1]
    boxes = torch.tensor([[[5, 5, 7, 7], [3, 2, 9, 5], [0, 0, 12, 8]], [nothing, [9, 0, 11, 8], nothing]])
    kept = weights.clone(), boxes.clone()
    share = pointing_accuracy(weights, boxes, 3, 4)
    untouched = torch.equal(weights, kept[0]) and torch.equal(boxes, kept[1])
    if abs(share - 3 / 4) > 1e-4 or not untouched:
        return False

    low = torch.tensor([[[0.1, 0.24, 0.24, 0.26, 0.1, 0.06]]])
    if pointing_accuracy(low, torch.tensor([[[4, 0, 12, 4]]]), 3, 4) != 0.0:
        return False
    if pointing_accuracy(low, torch.tensor([[[0, 5, 3, 7]]]), 3, 4) != 1.0:
        return False

    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 4)
    except ValueError:
        return True
    return False
