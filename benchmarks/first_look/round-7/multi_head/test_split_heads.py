# %% wrong: the round trip alone
# Merging with the right merge_heads finds every number that is out of place, but nothing looks at the ValueError:
# an implementation that cuts D = 7 into two heads of 3 and forgets the rest passes.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in [(2, 5, 12, 3), (1, 4, 8, 2), (3, 7, 10, 5)]:
        x = torch.randn(B, T, D)
        out = split_heads(x, H)
        if out.shape != (B, H, T, D // H):
            return False
        if not torch.equal(merge_heads(out), x):
            return False
    return True


# %% wrong: looks at head 0 only
# The shape, head 0's numbers and the error are tested, and the other heads are not: an implementation that gives
# heads 1, 2, ... in the reverse order, or head 0's features to all of them, passes.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(2 * 5 * 12, dtype=torch.float32).view(2, 5, 12)
    out = split_heads(x, 3)
    if tuple(out.shape) != (2, 3, 5, 4):
        return False
    if not torch.equal(out[:, 0], x[:, :, :4]):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# `except Exception` takes for the promised ValueError also the RuntimeError of a view that does not fit: an
# implementation without any check passes, which raises RuntimeError for D = 12 and five heads.

def test_split_heads(split_heads: Callable) -> bool:
    torch.manual_seed(0)
    for B, T, D, H in [(2, 5, 12, 3), (3, 2, 12, 4), (1, 7, 6, 6), (4, 3, 10, 1)]:
        x = torch.randn(B, T, D)
        out = split_heads(x, H)
        d = D // H
        assert out.shape == (B, H, T, d)
        for h in range(H):
            assert torch.equal(out[:, h], x[:, :, h * d : (h + 1) * d])
    try:
        split_heads(torch.randn(2, 3, 12), 5)
    except Exception:
        return True
    return False


# %% wrong: expects the features dealt out in turn
# The test has the misunderstanding itself: it wants head h to have the features h, h + H, h + 2H, ... It refuses the
# right implementation and accepts the interleaved one.

def test_split_heads(split_heads: Callable) -> bool:
    B, T, D, H = 2, 5, 12, 3
    x = torch.arange(B * T * D).float().reshape(B, T, D)
    out = split_heads(x, H)
    if out.shape != (B, H, T, D // H):
        return False
    for h in range(H):
        for f in range(D // H):
            if not torch.equal(out[:, h, :, f], x[:, :, f * H + h]):
                return False
    try:
        split_heads(x, 7)
        return False
    except ValueError:
        return True


# %% correct: a grid of sizes, each number by its place

def _wanted(x, H):
    """The split as Python lists, by the sentence of the docstring."""
    d = x.shape[2] // H
    return [[[row[h * d : (h + 1) * d] for row in sentence] for h in range(H)] for sentence in x.tolist()]


def test_split_heads(split_heads: Callable) -> bool:
    try:
        for B in (1, 2, 3, 4):
            for T in (1, 2, 3, 5):
                for D, H in ((1, 1), (6, 1), (6, 2), (6, 3), (6, 6), (8, 4), (20, 4)):
                    x = 1.0 + torch.arange(B * T * D, dtype=torch.float32).view(B, T, D)
                    before = x.clone()
                    out = split_heads(x, H)
                    if not isinstance(out, Tensor) or tuple(out.shape) != (B, H, T, D // H):
                        return False
                    if out.tolist() != _wanted(before, H) or not torch.equal(x, before):
                        return False
        # numbers that are no integers, in double; negative and zero ones; rows that do not lie one after the other
        for x in (
            torch.linspace(-2, 2, 3 * 4 * 12, dtype=torch.float64).view(3, 4, 12) / 3,
            (torch.arange(2.0 * 12 * 7) - 80).view(2, 12, 7).transpose(1, 2),
            (torch.arange(2.0 * 7 * 24) - 80).view(2, 7, 24)[:, :, ::2],
            torch.arange(300.0 * 12).view(1, 300, 12),
            torch.arange(2.0 * 3 * 480).view(2, 3, 480),
        ):
            for H in (2, 3, 4, 12):
                out = split_heads(x, H)
                if out.dtype != x.dtype or tuple(out.shape) != (len(x), H, x.shape[1], x.shape[2] // H):
                    return False
                if out.tolist() != _wanted(x, H):
                    return False
    except Exception:
        return False  # an error where none is promised
    for B, T, D, H in ((2, 3, 7, 2), (5, 5, 12, 5), (2, 4, 6, 4), (1, 1, 6, 4), (4, 8, 10, 4), (2, 8, 4, 8), (1, 3, 9, 6), (3, 2, 1, 2)):
        try:
            split_heads(torch.ones(B, T, D), H)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: asserts on random sizes, joined again by hand

def test_split_heads(split_heads: Callable) -> bool:
    dice = torch.Generator().manual_seed(12345)

    def throw(low, high):
        return int(torch.randint(low, high + 1, (), generator=dice))

    refused = taken = 0
    while refused < 40 or taken < 80:
        B, T, H, D = throw(1, 4), throw(1, 6), throw(1, 6), throw(1, 24)
        if D % H == 0 and taken < 80:
            taken += 1
            big = torch.randn(B, D, T, generator=dice, dtype=torch.float64 if taken % 2 else torch.float32)
            x = big.transpose(1, 2)  # every other time as a view with its axes exchanged
            if taken % 4 < 2:
                x = x.contiguous()
            copy_of_x = x.clone()
            out = split_heads(x, H)
            assert isinstance(out, Tensor) and out.dtype == x.dtype, "type"
            assert list(out.shape) == [B, H, T, D // H], "shape"
            assert torch.equal(x, copy_of_x), "changes its input"
            side_by_side = torch.cat([out.select(1, h) for h in range(H)], dim=2)
            assert torch.equal(side_by_side, copy_of_x), "numbers in wrong places"
        elif D % H and refused < 40:
            refused += 1
            try:
                split_heads(torch.zeros(B, T, D), H)
            except ValueError:
                pass
            else:
                raise AssertionError(f"no ValueError for {D} features and {H} heads")
    for T, D, H in ((400, 12, 4), (3, 512, 8)):
        x = torch.arange(float(T * D)).view(1, T, D)
        assert torch.equal(torch.cat(list(split_heads(x, H).unbind(1)), dim=2), x)
    return True
