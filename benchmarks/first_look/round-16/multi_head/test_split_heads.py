# %% wrong: demands an error for no heads and for a negative number
# num_heads "is 1 or more", so nothing is promised for 0 and -1: a correct implementation that computes D % num_heads
# raises ZeroDivisionError at 0, and nothing at -1, and is rejected.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in ((2, 5, 3, 4), (1, 1, 1, 1), (3, 2, 1, 6), (2, 3, 6, 1)):
        x = torch.arange(B * T * H * d).view(B, T, H * d)
        before = x.clone()
        found = split_heads(x, H)
        if found.shape != (B, H, T, d) or found.dtype != x.dtype:
            return False
        for h in range(H):
            if not torch.equal(found[:, h], before[:, :, h * d : (h + 1) * d]):
                return False
        if not torch.equal(x, before):
            return False
    for H in (5, 13, 24, 0, -1):
        try:
            split_heads(torch.randn(2, 10, 12), H)
        except ValueError:
            continue
        return False
    return True


# %% wrong: tries every size up to six
# 6 * 6 * 6 * 12 calls, more than the 200 that are allowed: the call that is refused raises inside the test, which
# counts as "wrong", for a correct implementation too.

def test_split_heads(split_heads: Callable) -> bool:
    for B in range(1, 7):
        for T in range(1, 7):
            for D in range(1, 7):
                x = torch.randn(B, T, D)
                for H in range(1, 13):
                    if D % H:
                        try:
                            split_heads(x, H)
                            return False
                        except ValueError:
                            pass
                    else:
                        expected = torch.stack(x.split(D // H, dim=2), dim=1)
                        assert torch.equal(split_heads(x, H), expected)
    return True


# %% wrong: any error will do
# Whatever is raised where num_heads does not divide D is taken for the promised ValueError: an implementation without a
# check of its own, whose view raises a RuntimeError (or an assert), passes.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 5, 12)
    for H in (1, 2, 3, 4, 6, 12):
        d = 12 // H
        expected = torch.stack([x[:, :, h * d : (h + 1) * d] for h in range(H)], dim=1)
        found = split_heads(x.clone(), H)
        assert found.shape == (2, H, 5, d)
        assert torch.equal(found, expected)
    for H in (5, 7, 8, 24):
        try:
            split_heads(x, H)
        except Exception:
            continue
        return False
    return True


# %% wrong: as many features in a head as there are heads
# Only D = 16 with four heads is tried, where H = d = 4: an implementation that takes num_heads for the number of
# features in a head, split_heads(x, D // H), gives the same and passes.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(3, 5, 16)
    found = split_heads(x, 4)
    if tuple(found.shape) != (3, 4, 5, 4):
        return False
    for b in range(3):
        for h in range(4):
            for t in range(5):
                if found[b, h, t].tolist() != x[b, t, 4 * h : 4 * h + 4].tolist():
                    return False
    for H in (3, 5, 32):
        try:
            split_heads(x, H)
            return False
        except ValueError:
            pass
    return True


# %% correct: windows of unfold against the result, sizes that all differ

def test_split_heads(split_heads: Callable) -> bool:
    sizes = [(2, 5, 12, 3), (2, 5, 12, 4), (3, 7, 10, 5), (1, 4, 6, 2), (4, 1, 6, 3), (2, 3, 8, 1)]
    sizes += [(2, 3, 7, 7), (1, 1, 1, 1), (2, 6, 30, 6), (5, 2, 24, 8), (1, 2, 512, 16), (1, 300, 6, 3)]
    sizes += [(300, 2, 6, 2), (2, 4, 4, 2), (3, 3, 9, 3), (1, 1, 256, 2), (1, 3, 260, 130)]
    generator = torch.Generator().manual_seed(5)
    for B, T, D, H in sizes:
        numbers = torch.randperm(B * T * D, generator=generator).view(B, T, D)
        for dtype in (torch.float32, torch.int64, torch.float64):
            x = numbers.to(dtype)
            if dtype.is_floating_point:
                x = x + 0.25
            given = x.clone()
            expected = x.clone().unfold(2, D // H, D // H).transpose(1, 2)
            for _ in range(2):
                found = split_heads(given, H)
                if not isinstance(found, Tensor) or found.shape != (B, H, T, D // H):
                    return False
                if found.dtype != dtype or not torch.equal(found, expected):
                    return False
                if given.shape != x.shape or not torch.equal(given, x):
                    return False
    refused = [(2, 5, 12, 5), (2, 10, 12, 5), (2, 3, 4, 3), (3, 2, 4, 3), (1, 8, 6, 4), (4, 4, 6, 4)]
    refused += [(2, 3, 6, 7), (2, 3, 6, 12), (1, 1, 1, 2), (2, 2, 3, 2), (5, 5, 8, 5), (2, 9, 9, 2), (2, 3, 10, 4)]
    for B, T, D, H in refused:
        try:
            split_heads(torch.randn(B, T, D), H)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: asserts, a number that spells its own address

def test_split_heads(split_heads: Callable) -> bool:
    def address(b, t, f):
        return 1_000_000 * (b + 1) + 1_000 * (t + 1) + f + 1  # exact in float32

    for B, T, H, d in (
        (2, 3, 4, 5), (3, 4, 2, 3), (1, 6, 3, 2), (4, 1, 2, 5), (2, 5, 1, 4), (3, 2, 6, 1),
        (1, 1, 1, 1), (2, 4, 4, 2), (2, 2, 2, 2), (2, 4, 3, 5), (1, 2, 3, 100), (1, 2, 100, 3), (1, 500, 3, 2), (12, 5, 3, 4),
    ):  # fmt: skip
        for dtype in (torch.float32, torch.int64):
            rows = [[[address(b, t, f) for f in range(H * d)] for t in range(T)] for b in range(B)]
            x = torch.tensor(rows, dtype=dtype)
            heads = split_heads(x, H)
            assert list(x.shape) == [B, T, H * d] and x.tolist() == rows, "x was changed"
            assert heads.dtype == dtype
            assert heads.tolist() == [
                [[rows[b][t][h * d : h * d + d] for t in range(T)] for h in range(H)] for b in range(B)
            ]
    for D in range(1, 9):
        for H in range(2, 11):
            if D % H:
                error = None
                try:
                    split_heads(torch.ones(H, 2 * H, D), H)
                except Exception as raised:
                    error = raised
                assert isinstance(error, ValueError)
    return True
