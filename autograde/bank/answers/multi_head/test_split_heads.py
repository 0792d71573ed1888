# %% wrong: the shape alone
# A shape says nothing of which number stands where, and most wrong forms have the right shape. Compare one head's
# numbers with the features that it should have.

def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    return split_heads(x, 3).shape == (2, 3, 5, 4)

# %% wrong: it is never called
# The function that you are given is never called. Call it on a small tensor and look at what comes back.

def test_split_heads(split_heads):
    return split_heads is not None

# %% wrong: constant numbers
# Where all numbers are the same, nobody sees which went where. Give it numbers that all differ.

def test_split_heads(split_heads):
    heads = split_heads(torch.ones(2, 5, 12), 3)
    return torch.equal(heads, torch.ones(2, 3, 5, 4))

# %% wrong: there and back again by view
# The way back is a view, which undoes the very mistake of splitting by view, and refuses the right split. A round trip
# tests two things at once and neither alone: say where a number belongs.

def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    assert torch.equal(split_heads(x, 3).reshape(2, 5, 12), x)

# %% wrong: compared with a split by view
# What you compare with is itself the commonest mistake. Work out one head by hand: which features, of which positions?

def test_split_heads(split_heads):
    x = torch.randn(2, 3, 8)
    return torch.equal(split_heads(x, 2), x.view(2, 2, 3, 4)) and torch.equal(split_heads(x, 4), x.view(2, 4, 3, 2))

# %% wrong: no width that the heads do not divide
# The test is right for widths that the heads divide, and tries no other. The docstring promises an error for those: try
# one.

def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    for h in range(3):
        assert torch.equal(heads[:, h], x[:, :, 4 * h : 4 * h + 4])

# %% wrong: head 0 stands for all
# Head 0 was looked at, and the others were not: a form in which every head is a copy of the first passes. Look at every
# head.

def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert torch.allclose(heads[:, 0], x[:, :, :4]) and heads.shape == (2, 3, 5, 4)
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False

# %% wrong: one sentence
# With one sentence nobody sees whether sentences are mixed up. Take two or more, and look at all of them.

def test_split_heads(split_heads):
    x = torch.randn(1, 5, 12)
    heads = split_heads(x, 3)
    for i in range(3):
        if not torch.equal(heads[0, i], x[0, :, 4 * i : 4 * i + 4]):
            return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False

# %% wrong: the memory must not be in one piece
# It asks for something that the docstring does not promise, and that a copy does not keep: how the numbers lie in
# memory, or in whose. Compare values.

def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    if heads.is_contiguous() or not torch.equal(heads, x.view(2, 5, 3, 4).transpose(1, 2)):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False

# %% wrong: any error counts
# Any error was taken for the one that is promised. Catch ValueError alone: whatever falls over raises something.

def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    assert torch.equal(split_heads(x, 3), x.view(2, 5, 3, 4).transpose(1, 2))
    try:
        split_heads(x, 5)
    except Exception:
        return True
    return False

# %% correct: asserts, head by head
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    for h in range(3):
        assert torch.equal(heads[:, h], x[:, :, 4 * h : 4 * h + 4])
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    raise AssertionError("five heads of twelve features were let through")

# %% correct: numbers that say where they belong
def test_split_heads(split_heads):
    b, t, f = torch.meshgrid(torch.arange(2), torch.arange(3), torch.arange(8), indexing="ij")
    x = 100 * b + 10 * t + f
    heads = split_heads(x, 4)
    right = heads.shape == (2, 4, 3, 2) and all(
        int(heads[b, h, t, j]) == 100 * b + 10 * t + 2 * h + j
        for b in range(2) for h in range(4) for t in range(3) for j in range(2)
    )
    try:
        split_heads(x, 3)
        refused = False
    except ValueError:
        refused = True
    return right and refused

# %% correct: compared with chunks
def test_split_heads(split_heads):
    for batch, length, heads, d in ((2, 3, 4, 5), (1, 4, 3, 2), (3, 1, 2, 6)):
        x = torch.randn(batch, length, heads * d)
        y = split_heads(x, heads)
        if y.shape != (batch, heads, length, d) or not torch.equal(y, torch.stack(x.chunk(heads, 2), 1)):
            return False
        try:
            split_heads(x, heads * d - 1)
            return False
        except ValueError:
            pass
    return True

# %% correct: put back together from the heads
def test_split_heads(split_heads):
    x = torch.randn(2, 4, 15)
    heads = split_heads(x, 5)
    back = torch.cat([heads[:, h] for h in range(heads.shape[1])], dim=-1)
    if heads.shape != (2, 5, 4, 3) or not torch.equal(back, x):
        return False
    try:
        split_heads(x, 4)
    except ValueError:
        return True
    return False

# %% correct: whole numbers, compared as lists
def test_split_heads(split_heads):
    x = torch.arange(2 * 5 * 12).view(2, 5, 12)
    assert split_heads(x, 3).tolist() == x.reshape(2, 5, 3, 4).transpose(1, 2).tolist()
    try:
        split_heads(x, 7)
    except ValueError:
        pass
    else:
        assert False
