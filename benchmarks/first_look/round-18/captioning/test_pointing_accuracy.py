# %% wrong: no error asked for
# Accepts a version that returns 0 or NaN where no token names anything.

def test_pointing_accuracy(pointing_accuracy):
    def look(cells, boxes, columns, n, cell):
        weights = torch.full((1, len(cells), n), 0.1)
        for t, c in enumerate(cells):
            weights[0, t, c] = 0.5
        return pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
    
    cases = [
        ([4], [[5, 5, 6, 6]], 1.0), ([4], [[0, 4, 4, 8]], 0.0), ([4], [[8, 4, 12, 8]], 0.0),
        ([4], [[4, 0, 8, 4]], 0.0), ([4], [[4, 8, 8, 12]], 0.0), ([4], [[0, 0, 4, 4]], 0.0),
        ([4], [[7, 7, 20, 20]], 1.0), ([4], [[0, 0, 5, 5]], 1.0), ([4], [[7, 4, 8, 5]], 1.0),
        ([4], [[4, 7, 5, 8]], 1.0), ([2], [[9, 1, 10, 2]], 1.0), ([2], [[1, 5, 2, 6]], 0.0),
        ([3], [[0, 4, 4, 8]], 1.0), ([0], [[0, 0, 4, 4]], 1.0), ([1], [[0, 5, 12, 6]], 0.0), ([4], [[0, 0, 30, 30]], 1.0),
        ([0, 5, 5], [[0, 0, 3, 3], [-1, -1, -1, -1], [0, 0, 3, 3]], 0.5),
        ([0, 0, 5], [[0, 0, 3, 3], [0, 0, 1, 1], [0, 0, 3, 3]], 2 / 3),
    ]
    for cells, boxes, wanted in cases:
        if abs(look(cells, boxes, 3, 6, 4) - wanted) > 1e-4:
            return False
    weights = torch.tensor([[[0.1, 0.9], [0.1, 0.9]], [[0.9, 0.1], [0.9, 0.1]]])
    boxes = torch.tensor([[[2, 0, 4, 2], [-1, -1, -1, -1]], [[2, 0, 4, 2], [2, 0, 4, 2]]])
    if abs(pointing_accuracy(weights, boxes, 2, 2) - 1 / 3) > 1e-4:
        return False
    return True

# %% wrong: one plain hit and miss
# Accepts nearly every mistake: swapped axes, touching edges, tokens that count nowhere.

def test_pointing_accuracy(pointing_accuracy):
    def look(cells, boxes, columns, n, cell):
        weights = torch.full((1, len(cells), n), 0.1)
        for t, c in enumerate(cells):
            weights[0, t, c] = 0.5
        return pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
    
    return look([0], [[0, 0, 4, 4]], 3, 6, 4) == 1.0 and look([5], [[0, 0, 4, 4]], 3, 6, 4) == 0.0

# %% wrong: asks for one of two equal weights
# Rejects a right version that takes the last of equal weights.

def test_pointing_accuracy(pointing_accuracy):
    def look(cells, boxes, columns, n, cell):
        weights = torch.full((1, len(cells), n), 0.1)
        for t, c in enumerate(cells):
            weights[0, t, c] = 0.5
        return pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
    
    if pointing_accuracy(torch.ones(1, 1, 6), torch.tensor([[[0, 0, 4, 4]]]), 3, 4) != 1.0:
        return False
    cases = [
        ([4], [[5, 5, 6, 6]], 1.0), ([4], [[0, 4, 4, 8]], 0.0), ([4], [[8, 4, 12, 8]], 0.0),
        ([4], [[4, 0, 8, 4]], 0.0), ([4], [[4, 8, 8, 12]], 0.0), ([4], [[0, 0, 4, 4]], 0.0),
        ([4], [[7, 7, 20, 20]], 1.0), ([4], [[0, 0, 5, 5]], 1.0), ([4], [[7, 4, 8, 5]], 1.0),
        ([4], [[4, 7, 5, 8]], 1.0), ([2], [[9, 1, 10, 2]], 1.0), ([2], [[1, 5, 2, 6]], 0.0),
        ([3], [[0, 4, 4, 8]], 1.0), ([0], [[0, 0, 4, 4]], 1.0), ([1], [[0, 5, 12, 6]], 0.0), ([4], [[0, 0, 30, 30]], 1.0),
        ([0, 5, 5], [[0, 0, 3, 3], [-1, -1, -1, -1], [0, 0, 3, 3]], 0.5),
        ([0, 0, 5], [[0, 0, 3, 3], [0, 0, 1, 1], [0, 0, 3, 3]], 2 / 3),
    ]
    for cells, boxes, wanted in cases:
        if abs(look(cells, boxes, 3, 6, 4) - wanted) > 1e-4:
            return False
    weights = torch.tensor([[[0.1, 0.9], [0.1, 0.9]], [[0.9, 0.1], [0.9, 0.1]]])
    boxes = torch.tensor([[[2, 0, 4, 2], [-1, -1, -1, -1]], [[2, 0, 4, 2], [2, 0, 4, 2]]])
    if abs(pointing_accuracy(weights, boxes, 2, 2) - 1 / 3) > 1e-4:
        return False
    try:
        look([0], [[-1, -1, -1, -1]], 3, 6, 4)
    except ValueError:
        return True
    return False

# %% wrong: exact shares
# Compares 2/3 exactly: rejects a right version that takes its mean in float32.

def test_pointing_accuracy(pointing_accuracy):
    def look(cells, boxes, columns, n, cell):
        weights = torch.full((1, len(cells), n), 0.1)
        for t, c in enumerate(cells):
            weights[0, t, c] = 0.5
        return pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
    
    cases = [
        ([4], [[5, 5, 6, 6]], 1.0), ([4], [[0, 4, 4, 8]], 0.0), ([4], [[8, 4, 12, 8]], 0.0),
        ([4], [[4, 0, 8, 4]], 0.0), ([4], [[4, 8, 8, 12]], 0.0), ([4], [[0, 0, 4, 4]], 0.0),
        ([4], [[7, 7, 20, 20]], 1.0), ([4], [[0, 0, 5, 5]], 1.0), ([4], [[7, 4, 8, 5]], 1.0),
        ([4], [[4, 7, 5, 8]], 1.0), ([2], [[9, 1, 10, 2]], 1.0), ([2], [[1, 5, 2, 6]], 0.0),
        ([3], [[0, 4, 4, 8]], 1.0), ([0], [[0, 0, 4, 4]], 1.0), ([1], [[0, 5, 12, 6]], 0.0), ([4], [[0, 0, 30, 30]], 1.0),
        ([0, 5, 5], [[0, 0, 3, 3], [-1, -1, -1, -1], [0, 0, 3, 3]], 0.5),
        ([0, 0, 5], [[0, 0, 3, 3], [0, 0, 1, 1], [0, 0, 3, 3]], 2 / 3),
    ]
    for cells, boxes, wanted in cases:
        if look(cells, boxes, 3, 6, 4) != wanted:
            return False
    weights = torch.tensor([[[0.1, 0.9], [0.1, 0.9]], [[0.9, 0.1], [0.9, 0.1]]])
    boxes = torch.tensor([[[2, 0, 4, 2], [-1, -1, -1, -1]], [[2, 0, 4, 2], [2, 0, 4, 2]]])
    if abs(pointing_accuracy(weights, boxes, 2, 2) - 1 / 3) > 1e-4:
        return False
    try:
        look([0], [[-1, -1, -1, -1]], 3, 6, 4)
    except ValueError:
        return True
    return False

# %% correct: a table of cases

def test_pointing_accuracy(pointing_accuracy):
    def look(cells, boxes, columns, n, cell):
        weights = torch.full((1, len(cells), n), 0.1)
        for t, c in enumerate(cells):
            weights[0, t, c] = 0.5
        return pointing_accuracy(weights, torch.tensor([boxes]), columns, cell)
    
    cases = [
        ([4], [[5, 5, 6, 6]], 1.0), ([4], [[0, 4, 4, 8]], 0.0), ([4], [[8, 4, 12, 8]], 0.0),
        ([4], [[4, 0, 8, 4]], 0.0), ([4], [[4, 8, 8, 12]], 0.0), ([4], [[0, 0, 4, 4]], 0.0),
        ([4], [[7, 7, 20, 20]], 1.0), ([4], [[0, 0, 5, 5]], 1.0), ([4], [[7, 4, 8, 5]], 1.0),
        ([4], [[4, 7, 5, 8]], 1.0), ([2], [[9, 1, 10, 2]], 1.0), ([2], [[1, 5, 2, 6]], 0.0),
        ([3], [[0, 4, 4, 8]], 1.0), ([0], [[0, 0, 4, 4]], 1.0), ([1], [[0, 5, 12, 6]], 0.0), ([4], [[0, 0, 30, 30]], 1.0),
        ([0, 5, 5], [[0, 0, 3, 3], [-1, -1, -1, -1], [0, 0, 3, 3]], 0.5),
        ([0, 0, 5], [[0, 0, 3, 3], [0, 0, 1, 1], [0, 0, 3, 3]], 2 / 3),
    ]
    for cells, boxes, wanted in cases:
        if abs(look(cells, boxes, 3, 6, 4) - wanted) > 1e-4:
            return False
    weights = torch.tensor([[[0.1, 0.9], [0.1, 0.9]], [[0.9, 0.1], [0.9, 0.1]]])
    boxes = torch.tensor([[[2, 0, 4, 2], [-1, -1, -1, -1]], [[2, 0, 4, 2], [2, 0, 4, 2]]])
    if abs(pointing_accuracy(weights, boxes, 2, 2) - 1 / 3) > 1e-4:
        return False
    try:
        look([0], [[-1, -1, -1, -1]], 3, 6, 4)
    except ValueError:
        return True
    return False

# %% correct: a reference beside it, on random pictures

def test_pointing_accuracy(pointing_accuracy):
    generator = torch.Generator().manual_seed(3)
    for trial in range(120):
        rows, columns, cell = (int(torch.randint(1, 5, (), generator=generator)) for _ in range(3))
        batch, length = 1 + trial % 3, 1 + trial % 4
        n = rows * columns
        weights = torch.stack([torch.randperm(n, generator=generator) for _ in range(batch * length)])
        start = torch.randint(0, 4 * cell, (batch * length, 2), generator=generator)
        size = torch.randint(1, 2 * cell + 1, (batch * length, 2), generator=generator)
        boxes = torch.cat([start, start + size], dim=1)
        boxes[torch.rand(batch * length, generator=generator) < 0.3] = -1
        hits = []
        for shares, (x0, y0, x1, y1) in zip(weights.tolist(), boxes.tolist()):
            if x0 >= 0:
                r, c = divmod(shares.index(n - 1), columns)
                xs, ys = range(max(x0, c * cell), min(x1, c * cell + cell)), range(max(y0, r * cell), min(y1, r * cell + cell))
                hits.append(len(xs) > 0 and len(ys) > 0)
        given = (weights.float().view(batch, length, n) / n, boxes.view(batch, length, 4), columns, cell)
        if hits:
            assert abs(pointing_accuracy(*given) - sum(hits) / len(hits)) < 1e-4
        else:
            try:
                pointing_accuracy(*given)
            except ValueError:
                continue
            raise AssertionError("no ValueError")
    return True

