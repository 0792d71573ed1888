# %% wrong: tried at the size of a real model
# A batch of 8 sentences of 64 positions and 512 features is 262,144 numbers, more than the 20,000 that the function takes:
# it refuses, and every correct implementation is called wrong.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(8, 64, 512)
    out = split_heads(x, 8)
    if out.shape != (8, 8, 64, 64):
        return False
    for h in range(8):
        if not torch.equal(out[:, h], x[:, :, h * 64 : (h + 1) * 64]):
            return False
    try:
        split_heads(torch.randn(2, 3, 10), 4)
    except ValueError:
        return True
    return False


# %% wrong: only the first sentence compared
# The shape is checked for the whole batch, the numbers for sentence 0 alone. An implementation that gives every sentence the
# heads of the first, x[:1].expand_as(x), passes.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((1, 4, 6, 2), (2, 3, 12, 4), (3, 5, 8, 1), (2, 1, 6, 6)):
        x = torch.randn(B, T, D)
        d = D // H
        out = split_heads(x, H)
        if out.shape != (B, H, T, d):
            return False
        for h in range(H):
            for t in range(T):
                if not torch.equal(out[0, h, t], x[0, t, h * d : (h + 1) * d]):
                    return False
    for D, H in ((7, 2), (6, 4), (3, 5)):
        try:
            split_heads(torch.randn(2, 3, D), H)
        except ValueError:
            continue
        return False
    return True


# %% wrong: the complaint about a missing error swallowed
# Where no error comes, the assert raises one of its own, inside the try, and `except Exception` takes it for the promised
# one. An implementation that checks nothing and drops the features left over passes, and so does one with a RuntimeError.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 3, 12, 4), (1, 1, 6, 3), (3, 4, 5, 1), (2, 2, 8, 8), (2, 7, 10, 2)):
        x = torch.arange(B * T * D, dtype=torch.float32).view(B, T, D)
        expected = x.view(B, T, H, D // H).transpose(1, 2)
        out = split_heads(x.clone(), H)
        assert out.shape == expected.shape
        assert torch.equal(out, expected)
    for D, H in ((7, 2), (12, 5)):
        try:
            split_heads(torch.zeros(2, 3, D), H)
            assert False, "no error"
        except Exception:
            pass
    return True


# %% wrong: sums of each head's features compared
# Each head is to get the same total at every position as its features have. An implementation that reverses the features
# within each head has these totals too, and passes.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 5, 12, 3), (1, 4, 6, 2), (3, 1, 8, 4), (2, 3, 5, 5), (2, 3, 4, 1)):
        x = torch.randn(B, T, D, dtype=torch.float64)
        out = split_heads(x, H)
        d = D // H
        if tuple(out.shape) != (B, H, T, d):
            return False
        for h in range(H):
            wanted = x[:, :, h * d : (h + 1) * d].sum(dim=2)
            if not torch.allclose(out[:, h].sum(dim=2), wanted):
                return False
    for D, H in ((12, 5), (6, 4), (2, 3)):
        try:
            split_heads(torch.randn(2, 3, D), H)
        except ValueError:
            continue
        return False
    return True


# %% correct: every number says where it comes from

def test_split_heads(split_heads: Callable) -> bool:
    sizes = [
        (B, T, D, H)
        for B in (1, 2, 3)
        for T in (1, 2, 5, 6)
        for D, H in ((12, 1), (12, 2), (12, 3), (12, 4), (12, 12), (1, 1), (35, 7))
    ]
    sizes += [(1, 2, 512, 8), (2, 3, 512, 512), (1, 512, 6, 3), (512, 2, 4, 2)]
    for number, (B, T, D, H) in enumerate(sizes):
        d = D // H
        dtype = (torch.float32, torch.float64, torch.int64)[number % 3]
        x = torch.empty(B, T, D, dtype=dtype)
        for b in range(B):
            row = torch.arange(D, dtype=dtype)
            for t in range(T):
                x[b, t] = row + 1 + (b * T + t) * D
        b = torch.arange(B).view(B, 1, 1, 1)
        h = torch.arange(H).view(1, H, 1, 1)
        t = torch.arange(T).view(1, 1, T, 1)
        f = torch.arange(d).view(1, 1, 1, d)
        expected = ((b * T + t) * D + h * d + f + 1).to(dtype)
        outputs = []
        for sign in (1, -1):  # the same size, other numbers
            given, before = sign * x, sign * x
            out = split_heads(given, H)
            if not isinstance(out, Tensor) or out.dtype != dtype:
                return False
            if tuple(out.shape) != (B, H, T, d) or not torch.equal(given, before):
                return False
            outputs.append(out)
        # compared only now: the second call must not have changed what the first gave
        for sign, out in zip((1, -1), outputs, strict=True):
            if not torch.equal(out, sign * expected):
                return False
    for B, T, D, H in ((2, 3, 12, 5), (1, 4, 6, 4), (2, 6, 7, 3), (1, 1, 1, 2), (2, 4, 3, 12), (3, 2, 512, 3)):
        try:
            split_heads(torch.ones(B, T, D), H)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: lists of Python numbers, cut by hand

def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(0)

    def refuses(T: int, D: int, H: int) -> bool:
        try:
            split_heads(torch.randn(2, T, D, generator=generator), H)
        except ValueError:
            return True
        except Exception:
            return False
        return False

    sizes = [(1, 1, 8), (2, 3, 30), (3, 8, 8), (4, 4, 16), (1, 7, 1), (5, 2, 36)]
    sizes += [(2, 1, 9), (1, 60, 64), (3, 200, 13), (1, 2, 512)]
    for B, T, D in sizes:
        for H in range(1, D + 4):
            if D % H:
                if H in (2, 3, 5, D - 1, D + 1) and not refuses(T, D, H):
                    return False
                continue
            d = D // H
            dtype = (torch.float32, torch.float64, torch.int64)[(H + B) % 3]
            kept = []
            for _ in range(2):  # twice the same size, with other numbers
                x = 1000 * torch.randn(B, T, D, generator=generator, dtype=torch.float64)
                x = x.to(dtype)
                rows = x.tolist()
                wanted = [
                    [[rows[b][t][h * d : h * d + d] for t in range(T)] for h in range(H)]
                    for b in range(B)
                ]
                given = split_heads(x, H)
                if given.dtype is not dtype or list(given.shape) != [B, H, T, d]:
                    return False
                if x.tolist() != rows:  # the argument stays as it was
                    return False
                kept.append((given, wanted))
            if any(given.tolist() != wanted for given, wanted in kept):
                return False
    return refuses(6, 9, 6) and refuses(5, 10, 20)
