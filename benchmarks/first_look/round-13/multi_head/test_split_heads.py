# %% wrong: the figure's example only
# One sentence (B = 1). An implementation that mixes up sentences, or takes the first for all of them
# (x[:1].expand_as(x)), is called right.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.tensor([[10.0 * t + f for f in range(6)] for t in range(3)]).unsqueeze(0)
    out = split_heads(x.clone(), 3)
    if out.shape != (1, 3, 3, 2):
        return False
    for h in range(3):
        if not torch.equal(out[0, h], x[0, :, 2 * h : 2 * h + 2]):
            return False
    for heads in (4, 5, 7):
        try:
            split_heads(x.clone(), heads)
        except ValueError:
            continue
        return False
    return True

# %% wrong: any error will do
# The error is awaited by `except Exception`: an implementation that checks nothing and leaves the
# RuntimeError of reshape to the caller is called right.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 3, 12, 4), (3, 5, 8, 2), (1, 1, 6, 1), (2, 4, 5, 5), (4, 1, 6, 3)):
        x = torch.randn(B, T, D)
        out = split_heads(x.clone(), H)
        d = D // H
        if out.shape != (B, H, T, d):
            return False
        for h in range(H):
            if not torch.equal(out[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    for D, H in ((6, 4), (5, 2), (3, 7)):
        try:
            split_heads(torch.randn(2, 3, D), H)
            return False
        except Exception:
            pass
    return True

# %% wrong: writes into the result to see whether x is its own
# "Left as they were" is read as "the result is a copy". A correct implementation by view and transpose
# shares its numbers with x, and is refused.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 3, 12, 4), (3, 5, 8, 2), (1, 1, 6, 1), (2, 4, 5, 5)):
        x = torch.arange(float(B * T * D)).reshape(B, T, D)
        before = x.clone()
        out = split_heads(x, H)
        assert out.shape == (B, H, T, D // H)
        assert torch.equal(torch.cat(list(out.unbind(1)), dim=-1), before)
        out.fill_(-1.0)
        assert torch.equal(x, before), "the input was changed"
    for D, H in ((6, 4), (5, 2), (3, 7)):
        try:
            split_heads(torch.randn(2, 3, D), H)
        except ValueError:
            continue
        return False
    return True

# %% wrong: the error only with more heads than features
# num_heads > D is the only refusal that is tried. An implementation that checks just that, and drops the
# features that are left over (D = 7, H = 2), is called right.

def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(0)
    for B, T, D, H in ((2, 3, 12, 4), (3, 5, 8, 2), (1, 1, 6, 1), (2, 4, 5, 5), (3, 2, 9, 3)):
        x = torch.randn(B, T, D, generator=generator)
        want = torch.stack(x.split(D // H, dim=2), dim=1)
        given = x.clone()
        out = split_heads(given, H)
        if out.shape != want.shape or not torch.equal(out, want) or not torch.equal(given, x):
            return False
    for D, H in ((4, 5), (1, 2), (6, 12)):
        try:
            split_heads(torch.randn(2, 3, D), H)
        except ValueError:
            continue
        return False
    return True

# %% correct: every number tells its own place

def test_split_heads(split_heads: Callable) -> bool:
    def places(B, T, D):
        b, t, f = torch.meshgrid(torch.arange(B), torch.arange(T), torch.arange(D), indexing="ij")
        return (b * 512 + t) * 512.0 + f + 1.0

    kept = []
    sizes = [(B, T, D, H) for B in (1, 2, 3) for T in (1, 2, 5) for D, H in ((1, 1), (6, 1), (6, 2), (6, 6), (12, 3))]
    sizes += [(2, 3, 12, 4), (4, 4, 4, 4), (4, 4, 16, 4), (2, 6, 6, 3), (1, 2, 512, 32), (1, 300, 4, 2), (300, 1, 4, 2), (1, 2, 100, 100), (2, 2, 30, 5)]
    for i, (B, T, D, H) in enumerate(sizes):
        dtype = torch.float64 if i % 3 == 0 else torch.float32
        x = places(B, T, D).to(dtype)
        if dtype == torch.float64:
            x += 1e-9  # lost in float32
        x = x if i % 2 else -x
        before = x.clone()
        out = split_heads(x, H)
        d = D // H
        if not isinstance(out, Tensor) or tuple(out.shape) != (B, H, T, d) or out.dtype != dtype:
            return False
        if tuple(x.shape) != (B, T, D) or not torch.equal(x, before):
            return False
        for h in range(H):
            for i_ in (0, d // 2, d - 1):
                if not torch.equal(out[:, h, :, i_], before[:, :, h * d + i_]):
                    return False
            if not torch.equal(out[:, h], before[:, :, h * d : (h + 1) * d]):
                return False
        kept.append((out, before, H))
        split_heads(before.flip(0, 1, 2) + 0.5, H)
    for out, before, H in kept:  # did a later call write into an earlier result?
        if not torch.equal(out, torch.stack(before.tensor_split(H, dim=2), dim=1)):
            return False
    for D in range(1, 10):
        for H in range(2, 12):
            if D % H:
                B, T = (1, H) if (D + H) % 2 else (H, 2)
                try:
                    split_heads(torch.ones(B, T, D), H)
                except ValueError:
                    continue
                except Exception:
                    return False
                return False
    return True

# %% correct: one number moved at a time, and random ones

def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(7)

    def refuses(B, T, D, H):
        try:
            split_heads(torch.randn(B, T, D, generator=generator), H)
        except ValueError:
            return True
        return False

    # any other exception leaves the test, and says "wrong"
    errors = ((2, 3, 6, 4), (2, 4, 6, 4), (4, 3, 6, 4), (1, 1, 1, 2), (2, 2, 5, 3), (3, 3, 4, 8), (1, 2, 7, 2), (1, 1, 9, 6), (2, 5, 10, 4), (1, 1, 2, 512), (1, 3, 511, 2), (1, 1, 5, 4))
    if not all(refuses(*sizes) for sizes in errors):
        return False
    # the linear map itself, one unit after the other: (2, 3, 4) with two heads
    for b in range(2):
        for t in range(3):
            for f in range(4):
                x = torch.zeros(2, 3, 4)
                x[b, t, f] = 1.0
                where = split_heads(x, 2).nonzero().tolist()
                if where != [[b, f // 2, t, f % 2]]:
                    return False
    seen = []
    for B, T, D, H in ((1, 1, 1, 1), (1, 1, 5, 1), (3, 1, 6, 3), (1, 4, 6, 2), (2, 5, 12, 3), (2, 5, 12, 4), (3, 2, 12, 6), (2, 3, 7, 7), (2, 4, 8, 1), (5, 5, 5, 5), (3, 3, 9, 3), (1, 2, 512, 64), (1, 400, 2, 2), (400, 1, 2, 1), (2, 3, 60, 20)):
        for dtype in (torch.float32, torch.float64):
            x = torch.randn(B, T, D, generator=generator, dtype=dtype)
            copy_of_x = x.clone()
            out = split_heads(x, H)
            if out.dtype != dtype or x.shape != copy_of_x.shape or not torch.equal(x, copy_of_x):
                return False
            seen.append((out, copy_of_x, H))
            other = 1 - copy_of_x  # again, with other numbers: are both results right afterwards?
            seen.append((split_heads(other.clone(), H), other, H))
    for out, x, H in seen:
        B, T, D = x.shape
        want = x.reshape(B, T, H, D // H).transpose(1, 2)
        if out.shape != want.shape or not torch.equal(out, want):
            return False
    return True
