# %% wrong: any error will do
# The numbers are tested well, but whatever exception is raised for ten features and four heads passes for the promised one. An
# implementation that leaves the error to reshape (a RuntimeError) is called right.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(2 * 5 * 12, dtype=torch.float32).reshape(2, 5, 12)
    for num_heads in (1, 2, 3, 4, 6, 12):
        d = 12 // num_heads
        found = split_heads(x.clone(), num_heads)
        if found.shape != (2, num_heads, 5, d):
            return False
        for h in range(num_heads):
            if not torch.equal(found[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    try:
        split_heads(torch.randn(2, 5, 10), 4)
    except Exception:
        return True
    return False

# %% wrong: one sentence only
# Every input has a batch of one. An implementation that gives all sentences the heads of the first, or that mixes up the batch and
# another axis of length one, is called right.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(1, 5, 12)
    for num_heads in (1, 2, 3, 4, 6, 12):
        d = 12 // num_heads
        found = split_heads(x, num_heads)
        assert found.shape == (1, num_heads, 5, d)
        for h in range(num_heads):
            for t in range(5):
                assert torch.equal(found[0, h, t], x[0, t, h * d : (h + 1) * d])
    for num_heads in (5, 7, 8, 24):
        try:
            split_heads(x, num_heads)
        except ValueError:
            continue
        return False
    return True

# %% wrong: the result has to lie in the memory of x
# A test of view and transpose, not of what they do: an implementation that copies (stack, cat, indexing) keeps every promise and is
# called wrong.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 5, 12)
    found = split_heads(x, 3)
    if found.shape != (2, 3, 5, 4):
        return False
    if found.data_ptr() != x.data_ptr():  # no number may be moved
        return False
    for h in range(3):
        if not torch.equal(found[:, h], x[:, :, 4 * h : 4 * h + 4]):
            return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False

# %% wrong: the error is tried only with more heads than features
# Four features and five or eight heads: an implementation that only compares num_heads with D, and drops what is left over for ten
# features and four heads, is called right.

def test_split_heads(split_heads: Callable) -> bool:
    def raises(width: int, num_heads: int) -> bool:
        try:
            split_heads(torch.zeros(2, 3, width), num_heads)
        except ValueError:
            return True
        return False

    x = torch.arange(2.0 * 7 * 12).view(2, 7, 12)
    right = True
    for num_heads in (1, 2, 3, 4, 6, 12):
        d = 12 // num_heads
        found = split_heads(x.clone(), num_heads)
        wanted = torch.stack([x[:, :, h * d : h * d + d] for h in range(num_heads)], dim=1)
        right = right and found.shape == wanted.shape and torch.equal(found, wanted)
    return right and raises(4, 5) and raises(4, 8)

# %% correct: number by number, at sizes that all differ, and a list of errors

def test_split_heads(split_heads: Callable) -> bool:
    sizes = [(2, 5, 12, 3), (3, 4, 10, 5), (1, 7, 6, 2), (4, 1, 6, 3), (2, 3, 8, 1), (2, 6, 5, 5), (1, 1, 1, 1), (3, 3, 9, 3)]
    for dtype in (torch.float32, torch.float64):
        for B, T, D, H in sizes:
            x = torch.randn(B, T, D, dtype=dtype)
            before = x.clone()
            found = split_heads(x, H)
            if not isinstance(found, Tensor) or tuple(found.shape) != (B, H, T, D // H):
                return False
            if found.dtype != dtype or not torch.equal(x, before):
                return False
            numbers, given = found.tolist(), before.tolist()
            for b in range(B):
                for t in range(T):
                    for f in range(D):
                        h, place = divmod(f, D // H)
                        if numbers[b][h][t][place] != given[b][t][f]:
                            return False
    # some of these numbers divide T, B * T * D, or are divided by D
    for B, T, D, H in [(2, 5, 12, 5), (2, 4, 10, 4), (3, 6, 4, 6), (4, 4, 6, 4), (2, 3, 4, 8), (1, 2, 7, 3), (1, 1, 1, 2), (2, 9, 9, 2), (5, 3, 12, 24)]:
        try:
            split_heads(torch.randn(B, T, D), H)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True

# %% correct: a single one, followed from where it stood to where it lands

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 3, 8, 2), (3, 2, 6, 3), (1, 4, 4, 4), (2, 1, 5, 1)):
        for b in range(B):
            for t in range(T):
                for f in range(D):
                    x = torch.zeros(B, T, D)
                    x[b, t, f] = 1.0
                    found = split_heads(x, H)
                    d = D // H
                    assert tuple(found.shape) == (B, H, T, d)
                    assert found.nonzero().tolist() == [[b, f // d, t, f % d]]
                    assert found.sum().item() == 1.0
        # all at once, and twice, with x as it was
        x = torch.randn(B, T, D, dtype=torch.float64)
        kept = x.clone()
        for _ in range(2):
            found = split_heads(x, H)
            assert found.dtype == torch.float64
            put_back = torch.cat([found[:, h] for h in range(H)], dim=-1)
            assert torch.equal(put_back, kept) and torch.equal(x, kept)
    for width in (4, 6, 9, 10):
        for num_heads in range(1, 15):
            try:
                split_heads(torch.ones(2, 12, width), num_heads)
                raised = False
            except ValueError:
                raised = True
            assert raised == (width % num_heads != 0)
    return True
