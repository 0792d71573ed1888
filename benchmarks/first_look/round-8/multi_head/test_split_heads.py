# %% wrong: no error is asked for
# Values are tested well, by going back with the right merge_heads, but num_heads that does not divide D is
# never tried: an implementation that drops the remainder or raises nothing passes as right.

def test_split_heads(split_heads: Callable) -> bool:
    for batch, length, d_model, heads in ((2, 5, 12, 3), (3, 4, 10, 5), (1, 7, 6, 2)):
        x = torch.randn(batch, length, d_model)
        out = split_heads(x, heads)
        if out.shape != (batch, heads, length, d_model // heads):
            return False
        if not torch.equal(merge_heads(out), x):
            return False
    return True


# %% wrong: any error will do
# Catches every exception where a ValueError is promised: an implementation whose view or unflatten raises
# a RuntimeError for 3 heads and 10 features passes as right.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(2 * 5 * 12).float().view(2, 5, 12)
    out = split_heads(x, 3)
    for h in range(3):
        if not torch.equal(out[:, h], x[:, :, 4 * h : 4 * h + 4]):
            return False
    try:
        split_heads(torch.randn(2, 5, 10), 3)
    except Exception:
        return True
    return False


# %% wrong: view on the result
# Compares through out.view(...), which raises for a right result that does not lie contiguously, as after
# view and transpose: right implementations are refused with a RuntimeError.

def test_split_heads(split_heads: Callable) -> bool:
    B, T, H, d = 2, 5, 3, 4
    x = torch.arange(B * T * H * d, dtype=torch.float32).view(B, T, H * d)
    out = split_heads(x, H)
    assert out.shape == (B, H, T, d)
    flat = out.view(B * H, T, d)
    for b in range(B):
        for h in range(H):
            assert torch.equal(flat[b * H + h], x[b, :, h * d : (h + 1) * d])
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


# %% wrong: only the first and the last head
# Compares head 0 and the last head of the first sentence. One that exchanges the heads between them, or that
# mixes the other sentences of the batch up, passes as right.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(3, 6, 20)
    out = split_heads(x, 5)
    right_shape = tuple(out.shape) == (3, 5, 6, 4)
    right_shape = right_shape and out.dtype == x.dtype
    if not right_shape:
        return False
    if not torch.equal(out[0, 0], x[0, :, :4]) or not torch.equal(out[0, -1], x[0, :, -4:]):
        return False
    try:
        split_heads(x, 7)
        return False
    except ValueError:
        pass
    return True


# %% correct: every number says where it belongs

def test_split_heads(split_heads: Callable) -> bool:
    def belongs(B: int, T: int, H: int, d: int, dtype: torch.dtype, order: tuple[int, int, int]) -> bool:
        address = torch.tensor(
            [[[1000 * b + 100 * t + f for f in range(H * d)] for t in range(T)] for b in range(B)], dtype=dtype
        )
        back = [order.index(axis) for axis in range(3)]
        x = address.permute(order).contiguous().permute(back)  # the same numbers, laid out in another order
        for _ in range(2):  # the second time must be as the first
            out = split_heads(x, H)
            if not isinstance(out, Tensor) or tuple(out.shape) != (B, H, T, d) or out.dtype != dtype:
                return False
            for b in range(B):
                for h in range(H):
                    for t in range(T):
                        told = out[b, h, t].tolist()
                        if any(abs(told[j] - (1000 * b + 100 * t + h * d + j)) > 0.01 for j in range(d)):
                            return False
        return bool((x == address).all())  # the argument is as it was

    def refuses(D: int, H: int) -> bool:
        try:
            split_heads(torch.ones(2, 3, D), H)
        except ValueError:
            return True
        return False

    sizes = [(2, 5, 3, 4), (3, 2, 4, 5), (1, 6, 2, 3), (4, 1, 5, 2), (2, 3, 1, 7), (2, 4, 6, 1), (1, 1, 1, 1), (3, 3, 3, 3)]
    sizes += [(2, 7, 8, 2), (5, 4, 2, 9)]
    try:
        for B, T, H, d in sizes:
            for dtype in (torch.float32, torch.float64):
                for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
                    if not belongs(B, T, H, d, dtype, order):
                        return False
        return all(refuses(D, H) for D, H in ((12, 5), (7, 2), (6, 4), (2, 4), (10, 3), (1, 2), (9, 6), (5, 3)))
    except Exception:
        return False


# %% correct: asserts, with the columns as the measure

def test_split_heads(split_heads: Callable) -> bool:
    maker = torch.Generator().manual_seed(0)

    def call(x: Tensor, heads: int) -> Tensor:
        before = x.clone()
        try:
            first, second = split_heads(x, heads), split_heads(x, heads)
        except Exception as error:
            raise AssertionError(f"raised {error!r}") from error
        assert torch.equal(x, before), "changed its argument"
        assert first.dtype == second.dtype == x.dtype, "another dtype"
        assert first.shape == second.shape and torch.allclose(first, second), "another result the second time"
        return first

    for batch, length, heads, width in ((2, 5, 3, 4), (4, 3, 2, 5), (3, 7, 6, 1), (3, 2, 1, 6), (1, 4, 5, 3), (2, 1, 4, 2), (1, 1, 1, 1)):
        for dtype in (torch.float32, torch.float64):
            plain = torch.rand(batch, length, heads * width, dtype=dtype, generator=maker) + 0.5
            wide = torch.rand(batch, 2 * length, 3 * heads * width, dtype=dtype, generator=maker) + 0.5
            for x in (plain, wide[:, ::2, ::3]):
                out = call(x, heads)
                assert out.shape == (batch, heads, length, width), "another shape"
                for feature in range(heads * width):
                    h, j = divmod(feature, width)
                    assert torch.allclose(out.select(3, j).select(1, h), x.select(2, feature)), "a number astray"
    for features in range(1, 11):
        for heads in range(2, 13):
            if features % heads:
                try:
                    split_heads(torch.zeros(1, 2, features), heads)
                except ValueError:
                    continue
                except Exception as error:
                    raise AssertionError(f"raised {error!r}, not a ValueError") from error
                raise AssertionError("no error where the heads do not divide the features")
    return True
