# %% wrong: all the numbers are there, wherever they are
# It checks the shape, the error, and that no number was lost; a split by view loses none and passes.
# Hint: run your test on split_by_view. Which of your lines says where a number belongs?

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    if heads.shape != (2, 3, 5, 4):
        return False
    before = x.flatten().sort().values
    after = heads.reshape(-1).sort().values
    if not torch.equal(before, after):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


# %% wrong: a sentence of one position
# Every number is compared with its place, but with one position a plain view puts all of them there too.
# Hint: for which sizes are view and split the same? Choose sizes that are all different, and none of them 1.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(24.0).view(2, 1, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 1, 4)
    for b in range(2):
        for h in range(3):
            assert torch.equal(heads[b, h, 0], x[b, 0, 4 * h : 4 * h + 4])
    try:
        split_heads(x, 7)
    except ValueError:
        return True
    return False


# %% wrong: demands that the result shares memory with the input
# An implementation that copies the numbers to the right places does all that is promised, and is refused.
# Hint: read the docstring of split_heads again: what does it say about memory?

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(3, 5, 12)
    heads = split_heads(x, 4)
    assert heads.shape == (3, 4, 5, 3)
    for h in range(4):
        assert torch.equal(heads[:, h], x[:, :, 3 * h : 3 * (h + 1)])
    assert heads.data_ptr() == x.data_ptr(), "a split moves no data"
    try:
        split_heads(x, 5)
    except ValueError:
        pass
    else:
        return False
    return True


# %% wrong: any error will do
# The places are tested well; but where num_heads does not divide D every exception counts, so an implementation without
# a check, whose view raises a RuntimeError, passes.
# Hint: which error is promised? Catch that one and no other.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 7, 12)
    for num_heads in (1, 2, 3, 4, 6, 12):
        d = 12 // num_heads
        expected = torch.stack([x[:, :, h * d : (h + 1) * d] for h in range(num_heads)], dim=1)
        heads = split_heads(x, num_heads)
        if heads.shape != expected.shape or not torch.equal(heads, expected):
            return False
    try:
        split_heads(x, 5)
        return False
    except Exception:
        return True


# %% wrong: looks at head 0 of the first sentence only
# Whatever happens to the other heads and the other sentences is not seen: heads in reverse order behind the first, or a
# batch that is mixed up, pass.
# Hint: how many of the numbers does your test look at? Compare all of them.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    right_shape = tuple(heads.shape) == (2, 3, 5, 4)
    right_numbers = torch.equal(heads[0, 0], x[0, :, :4])
    try:
        split_heads(x, 5)
        refuses = False
    except ValueError:
        refuses = True
    return right_shape and right_numbers and refuses


# %% correct: slices as the oracle, over many sizes and two dtypes

def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(0)

    def different_numbers(batch: int, length: int, d_model: int, dtype: torch.dtype) -> Tensor:
        count = batch * length * d_model
        order = torch.randperm(count, generator=generator) - count // 2
        return (order.to(dtype) / 3).view(batch, length, d_model)

    legal = [
        (2, 5, 12, 3), (3, 4, 12, 4), (1, 1, 6, 2), (4, 1, 8, 4), (1, 7, 10, 1), (2, 3, 5, 5), (5, 2, 6, 3),
        (3, 3, 9, 3), (2, 4, 8, 2), (1, 130, 6, 2), (33, 2, 4, 2), (1, 2, 128, 8), (2, 6, 30, 15),
    ]  # fmt: skip
    for dtype in (torch.float32, torch.float64):
        for batch, length, d_model, num_heads in legal:
            x = different_numbers(batch, length, d_model, dtype)
            kept = x.clone()
            try:
                heads = split_heads(x, num_heads)
            except Exception:
                return False
            d = d_model // num_heads
            if not isinstance(heads, Tensor) or tuple(heads.shape) != (batch, num_heads, length, d):
                return False
            if heads.dtype != dtype or not torch.equal(x, kept):
                return False
            for h in range(num_heads):
                if not torch.equal(heads[:, h], kept[:, :, h * d : (h + 1) * d]):
                    return False

    refused = [
        (2, 3, 10, 4), (2, 4, 6, 4), (4, 2, 7, 2), (1, 6, 8, 3), (2, 2, 3, 5), (1, 3, 4, 8), (3, 5, 12, 5), (5, 5, 12, 5),
    ]  # fmt: skip
    for batch, length, d_model, num_heads in refused:
        try:
            split_heads(different_numbers(batch, length, d_model, torch.float32), num_heads)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: each number carries its address

def addresses(b: Tensor, t: Tensor, f: Tensor) -> Tensor:
    return (10_000 * b + 100 * t + f).double()


def says_no(split_heads: Callable, x: Tensor, num_heads: int) -> bool:
    try:
        split_heads(x, num_heads)
    except ValueError:
        return True
    except Exception:
        return False
    return False


def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D in ((2, 5, 12), (3, 1, 18), (1, 7, 20), (4, 3, 3), (7, 12, 6)):
        b, t, f = torch.arange(B).view(-1, 1, 1), torch.arange(T).view(1, -1, 1), torch.arange(D)
        x = addresses(b, t, f) + 0.1
        turned = x.transpose(1, 2).contiguous().transpose(1, 2)  # the same numbers, in another order in memory
        for H in range(1, D + 3):
            if D % H:
                assert says_no(split_heads, x, H), f"{H} heads and {D} features: no ValueError"
                continue
            d = D // H
            h, j = torch.arange(H).view(1, -1, 1, 1), torch.arange(d)
            expected = addresses(b.unsqueeze(1), t.unsqueeze(1), h * d + j) + 0.1
            for given in (x.clone(), turned, x.float()):
                try:
                    heads = split_heads(given, H)
                except Exception as error:
                    raise AssertionError(f"refuses a legal input: {error}") from error
                assert heads.shape == (B, H, T, d), "shape"
                assert heads.dtype == given.dtype, "dtype"
                assert bool((heads == expected.to(given.dtype)).all()), "a number is where it does not belong"
                assert bool((given == x.to(given.dtype)).all()), "the input was changed"
    return True
