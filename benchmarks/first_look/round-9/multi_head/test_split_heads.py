# %% wrong: the expected value comes from the function under test
# The parameter hides the notebook's own split_heads, so that the implementation is compared with itself.
# Says True to split_by_view with a ValueError in it: shape and error are right, the numbers are not.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 5, 12)
    result = split_heads(x, 3)
    if result.shape != (2, 3, 5, 4):
        return False
    expected = split_heads(x, 3)
    if not torch.equal(result, expected):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# The case that must raise accepts every exception. Says True to an implementation that has no check, whose
# reshape raises RuntimeError where num_heads does not divide D.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in [(2, 5, 3, 4), (1, 1, 1, 1), (3, 2, 4, 1), (2, 7, 1, 5)]:
        x = torch.randn(B, T, H * d)
        before = x.clone()
        out = split_heads(x, H)
        if tuple(out.shape) != (B, H, T, d) or not torch.equal(x, before):
            return False
        for h in range(H):
            if not torch.equal(out[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    try:
        split_heads(torch.randn(2, 5, 12), 5)
        return False
    except Exception:
        return True


# %% wrong: all positions hold the same numbers
# The features differ, but every position of every sentence has the same ones. Says True to an implementation
# that gives the heads the positions in reverse order (or mixes up the sentences).

def test_split_heads(split_heads: Callable) -> bool:
    features = torch.arange(12.0)
    x = features.expand(2, 5, 12).clone()
    try:
        out = split_heads(x, 3)
    except Exception:
        return False
    if out.shape != (2, 3, 5, 4):
        return False
    for h in range(3):
        for t in range(5):
            for j in range(4):
                if not (out[:, h, t, j] == h * 4 + j).all():
                    return False
    for wrong in (5, 7, 24):
        try:
            split_heads(x, wrong)
            return False
        except ValueError:
            pass
    return True


# %% wrong: asks that nothing be copied
# Besides the numbers it demands that the result lies in the memory of x. Nobody promised that: a right
# implementation that stacks slices (a copy) is refused.

def test_split_heads(split_heads: Callable) -> bool:
    B, T, H, d = 2, 5, 3, 4
    x = torch.arange(float(B * T * H * d)).reshape(B, T, H * d)
    out = split_heads(x, H)
    assert out.shape == (B, H, T, d)
    assert torch.equal(out, torch.stack([x[..., h * d : (h + 1) * d] for h in range(H)], dim=1))
    assert out.data_ptr() == x.data_ptr(), "splitting only changes the view, it must not copy"
    try:
        split_heads(x, 7)
    except ValueError:
        pass
    else:
        raise AssertionError("no ValueError")
    return True


# %% correct: numbers that say where they belong

def test_split_heads(split_heads: Callable) -> bool:
    def address_book(B, T, D):
        b = torch.arange(B, dtype=torch.float64).view(B, 1, 1)
        t = torch.arange(T, dtype=torch.float64).view(1, T, 1)
        f = torch.arange(D, dtype=torch.float64).view(1, 1, D)
        return ((b * T + t) * D + f + 1) / 7 - 3  # some negative, none twice, no whole numbers

    def in_another_order(x):
        return x.permute(2, 0, 1).contiguous().permute(1, 2, 0)

    sizes = [
        (2, 5, 3, 4), (3, 4, 2, 5), (1, 1, 1, 1), (1, 6, 3, 2), (4, 1, 2, 3), (2, 3, 1, 6), (2, 3, 5, 1),
        (3, 3, 3, 3), (2, 2, 2, 2), (5, 7, 4, 2), (2, 4, 8, 3), (2, 9, 16, 4),
        (1, 300, 2, 3), (40, 2, 3, 2), (1, 2, 4, 60),
    ]  # fmt: skip
    try:
        for B, T, H, d in sizes:
            for dtype in (torch.float32, torch.float64):
                for lay in (torch.clone, in_another_order):
                    x = lay(address_book(B, T, H * d).to(dtype))
                    kept = x.clone()
                    out = split_heads(x, H)
                    if not isinstance(out, Tensor) or out.shape != (B, H, T, d) or out.dtype != dtype:
                        return False
                    if not torch.equal(x, kept):
                        return False
                    close = 1e-6 if dtype == torch.float32 else 1e-14
                    for h in range(H):
                        if not torch.allclose(out[:, h], kept[:, :, h * d : h * d + d], rtol=close, atol=0):
                            return False
    except Exception:
        return False
    for D, H in ((6, 4), (12, 5), (5, 2), (4, 8), (9, 6), (1, 2), (7, 3)):
        try:
            split_heads(address_book(2, 3, D), H)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: random numbers, compared one at a time with a plain list

def as_lists(x: list, H: int) -> list:
    d = len(x[0][0]) // H
    return [[[position[h * d : h * d + d] for position in sentence] for h in range(H)] for sentence in x]


def raises_value_error(call) -> bool:
    try:
        call()
    except ValueError:
        return True
    except BaseException:
        return False
    return False


def test_split_heads(split_heads: Callable) -> bool:
    chance = torch.Generator().manual_seed(11)
    for B in (1, 2, 3):
        for T in (1, 4, 5):
            for H, d in ((1, 1), (1, 4), (2, 1), (2, 3), (3, 4), (4, 2), (6, 5)):
                wide = torch.randn(B, 2 * T, 2 * H * d, generator=chance, dtype=torch.float64)
                x = wide[:, ::2, 1::2]  # does not lie in one piece
                before = x.tolist()
                try:
                    first, second = split_heads(x, H), split_heads(x.contiguous(), H)
                except BaseException:
                    return False
                for found in (first, second):
                    if not torch.is_tensor(found) or found.dtype != torch.float64 or found.tolist() != as_lists(before, H):
                        return False
                if x.tolist() != before:
                    return False
    x = torch.randn(2, 70, 24, generator=chance)
    try:
        long = split_heads(x, 8)
    except BaseException:
        return False
    if not torch.is_tensor(long) or long.dtype != torch.float32 or long.tolist() != as_lists(x.tolist(), 8):
        return False
    misfits = [(D, H) for D in (1, 2, 5, 6, 9, 12) for H in (2, 3, 4, 5, 7, 8, 24) if D % H]
    return all(raises_value_error(lambda D=D, H=H: split_heads(torch.ones(2, 3, D), H)) for D, H in misfits)
