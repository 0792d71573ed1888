# %% wrong: any exception will do
# Accepts an implementation that raises a RuntimeError or an AssertionError where a ValueError is promised, such as a bare
# x.view(B, T, H, D // H).

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in ((2, 5, 3, 4), (1, 7, 2, 3), (3, 1, 4, 2), (2, 4, 1, 6), (2, 3, 5, 1)):
        x = torch.randn(B, T, H * d)
        before = x.clone()
        found = split_heads(x, H)
        if found.shape != (B, H, T, d) or not torch.equal(x, before):
            return False
        for h in range(H):
            if not torch.equal(found[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    try:
        split_heads(torch.randn(2, 5, 10), 3)
    except Exception:
        return True
    return False


# %% wrong: asks for an error with no heads
# num_heads is 1 or more, so nothing is promised for 0. A correct implementation that divides by it raises a
# ZeroDivisionError, and is rejected.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in ((2, 5, 3, 4), (1, 7, 2, 3), (3, 1, 4, 2), (2, 4, 1, 6), (2, 3, 5, 1)):
        x = torch.arange(B * T * H * d, dtype=torch.float32).reshape(B, T, H * d)
        found = split_heads(x, H)
        wanted = torch.stack([x[..., h * d : (h + 1) * d] for h in range(H)], dim=1)
        if found.shape != wanted.shape or not torch.equal(found, wanted):
            return False
    for D, H in ((6, 4), (5, 3), (4, 8), (6, 0)):
        try:
            split_heads(torch.randn(2, 3, D), H)
        except ValueError:
            continue
        return False
    return True


# %% wrong: looks at the first head only
# Accepts whatever gives head 0 its features, such as an implementation that hands the other heads out in
# reversed order, or gives all of them the features of head 0.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(3, 5, 12)
    for H in (1, 2, 3, 4, 6, 12):
        d = 12 // H
        found = split_heads(x, H)
        assert found.shape == (3, H, 5, d)
        assert torch.equal(found[:, 0], x[:, :, :d])
    for H in (5, 7, 24):
        try:
            split_heads(x, H)
            return False
        except ValueError:
            pass
    return True


# %% wrong: insists on a view
# "A split moves no number": requires that the result lies in the memory of x. Rejects a correct implementation that stacks
# slices, and so copies.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in ((2, 5, 3, 4), (1, 7, 2, 3), (3, 1, 4, 2), (2, 4, 1, 6), (2, 3, 5, 1)):
        x = torch.randn(B, T, H * d)
        found = split_heads(x, H)
        if tuple(found.shape) != (B, H, T, d) or found.data_ptr() != x.data_ptr():
            return False
        for b in range(B):
            for h in range(H):
                for t in range(T):
                    if not torch.equal(found[b, h, t], x[b, t, h * d : h * d + d]):
                        return False
    for D, H in ((6, 4), (5, 3), (4, 8), (7, 2)):
        try:
            split_heads(torch.randn(2, 3, D), H)
            return False
        except ValueError:
            pass
    return True


# %% correct: every number says where it belongs
def test_split_heads(split_heads: Callable) -> bool:
    sizes = [
        (b, t, h, d)
        for b, t in ((1, 1), (2, 5), (3, 1), (1, 4), (4, 3))
        for h in (1, 2, 3, 5)
        for d in (1, 2, 3, 4)
    ]
    sizes += [(2, 3, 8, 8), (1, 6, 16, 4), (1, 2, 7, 11), (6, 6, 6, 6), (2, 2, 2, 2), (3, 3, 3, 3)]
    sizes += [(1, 512, 3, 8), (512, 1, 4, 5), (1, 3, 512, 1), (2, 2, 1, 512), (1, 9, 64, 8), (2, 9, 2, 256)]
    for b, t, h, d in sizes:
        for dtype in (torch.float32, torch.int64) if d == 3 else (torch.float32,):
            # one more than the number's place, so that no number is zero, and each is met once
            x = torch.arange(1, b * t * h * d + 1, dtype=dtype).reshape(b, t, h * d)
            given = x.clone()
            found = split_heads(given, h)
            if not isinstance(found, Tensor) or tuple(found.shape) != (b, h, t, d):
                return False
            if found.dtype != dtype or given.shape != x.shape or not torch.equal(given, x):
                return False
            place = found.to(torch.int64) - 1
            feature, position = place % (h * d), place // (h * d) % t
            sentence = place // (h * d * t)
            axes = [torch.arange(n) for n in (b, h, t, d)]
            where_b, where_h, where_t, where_d = torch.meshgrid(*axes, indexing="ij")
            if not (
                torch.equal(sentence, where_b)
                and torch.equal(position, where_t)
                and torch.equal(feature, where_h * d + where_d)
                and torch.equal(found, (place + 1).to(dtype))
            ):
                return False
    for width, h in (
        (6, 4), (5, 3), (4, 8), (7, 2), (1, 2), (12, 5), (12, 7), (12, 8), (12, 9), (12, 10), (12, 11),
        (12, 13), (12, 24), (3, 2), (9, 6), (10, 4), (15, 9), (16, 32), (64, 48), (2, 3), (511, 2),
    ):
        for b, t in ((1, 1), (2, h), (h, 3)):
            try:
                split_heads(torch.randn(b, t, width), h)
            except ValueError:
                continue
            return False
    return True


# %% correct: against slices, in random sizes
def test_split_heads(split_heads: Callable) -> bool:
    chance = torch.Generator().manual_seed(5)

    def pick(most: int) -> int:
        return int(torch.randint(1, most + 1, (1,), generator=chance))

    cases = [(pick(4), pick(7), pick(9), pick(9)) for _ in range(70)]
    cases += [(1, 1, 1, 1), (1, 1, 4, 3), (5, 1, 3, 2), (1, 5, 3, 2), (3, 4, 1, 6), (3, 4, 6, 1), (4, 4, 4, 4)]
    cases += [(1, 500, 4, 9), (500, 1, 4, 9), (2, 3, 500, 1), (2, 3, 1, 500), (1, 2, 20, 25)]
    for b, t, h, d in cases:
        wide = pick(2) == 1
        x = torch.randn(b, t, h * d, generator=chance, dtype=torch.float64 if wide else torch.float32)
        kept = x.clone()
        first = split_heads(x, h)
        assert x.shape == kept.shape and torch.equal(x, kept)
        assert first.dtype == kept.dtype and first.shape == (b, h, t, d)
        for i, own in enumerate(kept.split(d, dim=2)):
            assert torch.equal(first[:, i], own)
    again = split_heads(kept, h)
    assert torch.equal(again, first)
    # sizes at which the widths do not fit, although other axes may
    refused = 0
    for width in (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 17):
        for h in (2, 3, 4, 5, 6, 7, 12, 16, 34):
            if width % h:
                try:
                    split_heads(torch.ones(pick(3), h * pick(2), width), h)
                    return False
                except ValueError:
                    refused += 1
    return refused > 0
