# %% wrong: the shape, and that no number is lost
# Every implementation that shares out all numbers in some order passes, the split by view alone and every h-th feature among them.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 5, 12)
    for heads in (1, 2, 3, 4, 6, 12):
        found = split_heads(x, heads)
        assert found.shape == (2, heads, 5, 12 // heads)
        assert torch.equal(found.flatten().sort().values, x.flatten().sort().values)
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


# %% wrong: it wants the error's message to name the heads
# The error may have any message or none: a correct implementation that raises ValueError() or another sentence is refused.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((1, 3, 6, 3), (2, 5, 12, 4), (3, 4, 10, 2), (2, 7, 9, 9)):
        x = torch.randn(B, T, D)
        before, d = x.clone(), D // H
        found = split_heads(x, H)
        for h in range(H):
            assert torch.equal(found[:, h], before[:, :, h * d : (h + 1) * d])
        assert torch.equal(x, before)
    try:
        split_heads(torch.randn(2, 5, 12), 5)
    except ValueError as error:
        return "num_heads" in str(error)
    return False


# %% wrong: any error will do
# An implementation without the check, whose view fails with a RuntimeError, passes, and so does one that asserts.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 3, 8, 4), (1, 6, 12, 3), (4, 1, 6, 2), (3, 5, 7, 1)):
        x = torch.arange(B * T * D, dtype=torch.float32).view(B, T, D)
        expected = torch.stack(x.clone().split(D // H, dim=2), dim=1)
        if not torch.equal(split_heads(x, H), expected):
            return False
    for D, H in ((7, 2), (10, 4)):
        try:
            split_heads(torch.ones(1, 3, D), H)
        except Exception:
            continue
        return False
    return True


# %% wrong: only head 0 is looked at
# Where head 0 is right and the others are not (in the wrong order, or copies of the first), nothing is found. Nor does it notice that x
# was changed or that float64 came back as float32 with other heads.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(3, 4, 10)
    for heads in (1, 2, 5):
        first = split_heads(x, heads)[:, 0]
        if not torch.equal(first, x[:, :, : 10 // heads]):
            return False
    try:
        split_heads(x, 3)
        return False
    except ValueError:
        return True


# %% correct: number by number, in many sizes

def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(17)
    fitting = [
        (B, T, H, d)
        for B, T, H, d in (
            (1, 1, 1, 1), (1, 3, 3, 2), (2, 5, 3, 4), (3, 2, 4, 1), (2, 1, 2, 3), (1, 4, 1, 5), (4, 4, 2, 2), (2, 3, 5, 2),
            (3, 3, 3, 3), (5, 2, 1, 4), (1, 2, 8, 2), (2, 6, 2, 7), (7, 1, 1, 1), (1, 7, 7, 1), (3, 5, 2, 1), (1, 17, 2, 4),
            (19, 1, 3, 2), (2, 3, 16, 2), (2, 3, 2, 16), (1, 70, 2, 3), (70, 1, 2, 3), (1, 2, 64, 2), (1, 1, 2, 256),
            (1, 512, 2, 1), (512, 1, 2, 1), (1, 1, 512, 1), (1, 2, 1, 512), (2, 130, 3, 2), (130, 2, 2, 3), (1, 1, 256, 2),
            (2, 5, 3, 4), (2, 5, 3, 4), (1, 3, 3, 2), (3, 2, 4, 1), (1, 3, 3, 2), (4, 4, 2, 2),  # again, with other numbers
        )
    ]  # fmt: skip
    kept = []
    for number, (B, T, H, d) in enumerate(fitting):
        for dtype in (torch.float32, torch.float64, torch.int64)[: 3 if number < 8 else 1 + number % 2]:
            if dtype == torch.int64:
                x = torch.randint(-(2**60), 2**60, (B, T, H * d), generator=generator)
            else:
                x = 50 * torch.randn(B, T, H * d, generator=generator, dtype=dtype)
            before = x.clone()
            found = split_heads(x, H)
            if not isinstance(found, Tensor) or found.shape != (B, H, T, d) or found.dtype != dtype:
                return False
            if x.shape != before.shape or x.stride() != before.stride() or not torch.equal(x, before):
                return False
            expected = before.new_empty(B, H, T, d)
            for h in range(H):
                expected[:, h] = before[:, :, h * d : (h + 1) * d]
            if not torch.equal(found, expected):
                return False
            kept.append((found, expected, x, before))
    # nothing that came back earlier was changed by a later call
    if not all(torch.equal(found, expected) and torch.equal(x, before) for found, expected, x, before in kept):
        return False
    for B, T, D, H in (
        (1, 1, 3, 2), (2, 4, 6, 4), (4, 3, 6, 4), (1, 3, 7, 3), (3, 2, 4, 3), (2, 2, 2, 4), (1, 8, 4, 8), (8, 1, 1, 2),
        (2, 5, 9, 2), (2, 5, 9, 6), (5, 5, 12, 5), (1, 2, 12, 8), (1, 1, 1, 512), (1, 3, 15, 4), (2, 3, 11, 10), (1, 1, 512, 3),
        (6, 2, 3, 6), (1, 2, 10, 7), (3, 3, 3, 9), (1, 1, 5, 100), (1, 4, 8, 3), (2, 3, 8, 6), (2, 7, 13, 12), (1, 2, 100, 64),
    ):  # fmt: skip
        x = torch.randn(B, T, D, generator=generator)
        before = x.clone()
        try:
            split_heads(x, H)
        except ValueError:
            if not torch.equal(x, before):
                return False
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: the numbers say where they come from

def test_split_heads(split_heads: Callable) -> bool:
    def numbered(B: int, T: int, D: int, dtype: torch.dtype) -> Tensor:
        """No number twice, not in order, some negative: with a salt, so that no two calls are alike."""
        numbered.salt += 1
        flat = torch.arange(B * T * D, dtype=dtype)
        return ((flat * 7 + numbered.salt) * (1 - 2 * (flat % 2))).view(B, T, D).contiguous()

    numbered.salt = 0
    kept = []

    def agrees(x: Tensor, H: int) -> bool:
        B, T, D = x.shape
        same = x.clone()
        y = split_heads(x, H)
        d = D // H
        b, h, t, f = torch.meshgrid(*map(torch.arange, (B, H, T, d)), indexing="ij")
        kept.append((y, same[b, t, h * d + f]))
        fine = torch.is_tensor(y) and tuple(y.shape) == (B, H, T, d) and y.dtype == same.dtype
        return bool(fine and (y == same[b, t, h * d + f]).all() and x.shape == same.shape and torch.equal(x, same))

    calls = 0
    for D in (1, 2, 3, 4, 6, 7, 8, 12):
        for H in range(1, D + 3):
            B, T = 1 + (D + H) % 3, 1 + (D + 2 * H) % 4
            x = numbered(B, T, D, torch.float32)
            calls += 1
            if D % H == 0:
                if not agrees(x, H):
                    return False
            else:
                try:
                    split_heads(x, H)
                    return False
                except ValueError:
                    pass
    for B, T, D, H in ((2, 3, 12, 4), (2, 3, 12, 4), (1, 1, 6, 3), (4, 3, 6, 2), (3, 4, 6, 2), (1, 512, 4, 2), (300, 1, 4, 2),
                       (1, 1, 512, 256), (1, 1, 512, 2), (1, 2, 510, 510), (2, 100, 6, 3), (100, 2, 6, 3), (5, 5, 25, 5)):  # fmt: skip
        kinds = (torch.float32, torch.float64, torch.int64) if B * T * D < 300 else (torch.float64,)
        for dtype in kinds:
            calls += 1
            if not agrees(numbered(B, T, D, dtype), H):
                return False
    # the sizes around the features make up for what they lack: still an error
    for B, T, D, H in ((4, 1, 6, 4), (1, 4, 6, 4), (5, 5, 4, 5), (2, 3, 2, 6), (1, 1, 3, 300), (1, 1, 511, 2), (3, 2, 10, 6), (1, 9, 3, 9)):
        calls += 1
        try:
            split_heads(numbered(B, T, D, torch.float32), H)
        except ValueError:
            continue
        return False
    assert calls <= 200
    return all(torch.equal(y, right) for y, right in kept)  # no later call has written into an earlier result
