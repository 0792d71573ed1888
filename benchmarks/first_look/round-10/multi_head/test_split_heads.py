# %% wrong: looks at the corners only
# The first vector of head 0 and the last of the last head are where `x.view(B, H, T, d)` puts them too: it says True of
# a split by view that raises the ValueError; that one is wrong wherever T > 1 and H > 1.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(2 * 5 * 12).float().view(2, 5, 12)
    out = split_heads(x, 3)
    if out.shape != (2, 3, 5, 4):
        return False
    if not torch.equal(out[:, 0, 0], x[:, 0, :4]):
        return False
    if not torch.equal(out[:, -1, -1], x[:, -1, -4:]):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# `except Exception` takes a RuntimeError for the promised ValueError: it says True of
# x.view(B, T, num_heads, -1).transpose(1, 2) without a check, which raises RuntimeError for D = 12 and 5 heads.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in [(2, 5, 3, 4), (3, 2, 4, 5), (1, 1, 1, 1), (2, 7, 1, 3), (4, 1, 6, 2)]:
        x = torch.randn(B, T, H * d)
        out = split_heads(x, H)
        if out.shape != (B, H, T, d):
            return False
        for h in range(H):
            if not torch.equal(out[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    for wrong_number in (5, 7, 24):
        try:
            split_heads(torch.randn(2, 5, 12), wrong_number)
            return False
        except Exception:
            pass
    return True


# %% wrong: asks for a view of the result
# out.view(...) raises for a result whose heads are a transposed view, such as x.view(B, T, H, d).transpose(1, 2): a
# right implementation is refused. How the result lies in memory is not promised.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(2.0 * 5 * 12).view(2, 5, 12)
    out = split_heads(x, 3)
    assert out.shape == (2, 3, 5, 4)
    by_head = out.view(6, 5, 4)
    for b in range(2):
        for h in range(3):
            assert torch.equal(by_head[3 * b + h], x[b, :, 4 * h : 4 * h + 4])
    for H in (5, 7, 8, 24):
        try:
            split_heads(x, H)
        except ValueError:
            continue
        return False
    return True


# %% wrong: the error is asked for with too many heads only
# It says True of one that raises ValueError where num_heads > D and else takes D // num_heads features for each head,
# so that D = 12 with 5 heads loses two features without an error.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in [(2, 5, 12, 3), (3, 4, 10, 2), (1, 6, 8, 8), (2, 3, 7, 1)]:
        x = torch.rand(B, T, D)
        want = x.reshape(B, T, H, D // H).permute(0, 2, 1, 3)
        got = split_heads(x, H)
        if got.shape != want.shape or not torch.equal(got, want):
            return False
    try:
        split_heads(torch.rand(2, 5, 12), 13)
    except ValueError:
        return True
    return False


# %% correct: every number looked up, one by one

def test_split_heads(split_heads: Callable) -> bool:
    sizes = [(2, 5, 3, 4), (3, 2, 4, 5), (1, 1, 1, 1), (1, 4, 2, 3), (4, 1, 3, 2), (2, 3, 1, 6), (2, 3, 6, 1), (5, 7, 2, 2)]
    sizes += [(3, 3, 3, 3), (1, 9, 8, 2), (2, 2, 16, 1), (1, 30, 5, 7), (7, 2, 2, 9), (1, 1, 12, 4), (2, 64, 4, 16)]
    for dtype in (torch.float32, torch.float64):
        for B, T, H, d in sizes:
            for x in (torch.randn(B, T, H * d, dtype=dtype), torch.randn(B, H * d, T, dtype=dtype).transpose(1, 2)):
                before = x.clone()
                try:
                    first, second = split_heads(x, H), split_heads(x, H)
                except Exception:
                    return False
                if not torch.equal(x, before):
                    return False
                for out in (first, second):
                    if not isinstance(out, Tensor) or tuple(out.shape) != (B, H, T, d) or out.dtype != dtype:
                        return False
                    given, got = before.tolist(), out.tolist()
                    for b in range(B):
                        for h in range(H):
                            for t in range(T):
                                for j in range(d):
                                    if got[b][h][t][j] != given[b][t][h * d + j]:
                                        return False
    for D in (1, 5, 6, 12):
        for H in range(1, D + 3):
            if D % H:
                try:
                    split_heads(torch.randn(2, 4, D), H)
                except ValueError:
                    continue
                except Exception:
                    return False
                return False
    return True


# %% correct: asserts, and the heads put back into the columns they came from

def test_split_heads(split_heads: Callable) -> bool:
    drawn = torch.Generator().manual_seed(7)
    calls = [(B, T, D, H) for B in (1, 3) for T in (1, 2, 6) for D in (1, 6, 8, 12) for H in range(1, D + 1) if D % H == 0]
    calls += [sizes for sizes in calls if sizes[1] == 6]  # the same sizes once more, with other numbers
    calls += [(2, 40, 64, 16), (1, 300, 30, 5), (4, 5, 96, 32), (100, 2, 10, 2)]
    for B, T, D, H in calls:
        x = torch.randn(B, T, D, generator=drawn, dtype=torch.float64 if D == 8 else torch.float32)
        kept = x.clone()
        heads = split_heads(x, H)
        assert torch.equal(x, kept), "the argument was changed"
        assert heads.shape == torch.Size([B, H, T, D // H]) and heads.dtype == kept.dtype
        rebuilt = torch.full_like(kept, float("nan"))
        for h, columns in enumerate(torch.arange(D).tensor_split(H)):
            rebuilt[:, :, columns] = heads[:, h]
        assert torch.equal(rebuilt, kept), "a number lies in another place"
    for D, H in ((6, 4), (6, 5), (6, 7), (6, 12), (12, 5), (12, 8), (12, 24), (7, 2), (9, 6), (1, 2), (20, 3)):
        for B, T in ((1, 1), (2, 3), (H, H)):
            refused = False
            try:
                split_heads(torch.randn(B, T, D, generator=drawn), H)
            except ValueError:
                refused = True
            assert refused, "no ValueError"
    return True
