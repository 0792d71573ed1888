# %% wrong: shapes only
# Looks at the shape and at the ValueError, and never at where a number went: a split by view passes.
# Hint: the section has shown a wrong split with the right shape; what does your test say of it?

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 5, 12, 3), (1, 7, 8, 4), (3, 1, 6, 2)):
        if split_heads(torch.randn(B, T, D), H).shape != (B, H, T, D // H):
            return False
    try:
        split_heads(torch.randn(2, 5, 12), 5)
    except ValueError:
        return True
    return False


# %% wrong: the error is not tried
# Compares every number, at several sizes, but never asks for heads that do not divide D: a split without the ValueError passes.
# Hint: which sentence of the docstring does your test not try?

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 5, 12, 3), (3, 4, 10, 5), (1, 7, 6, 1), (4, 2, 9, 9)):
        x = torch.arange(B * T * D, dtype=torch.float32).view(B, T, D)
        d = D // H
        out = split_heads(x.clone(), H)
        if out.shape != (B, H, T, d):
            return False
        for h in range(H):
            if not torch.equal(out[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    return True


# %% wrong: heads of one feature
# The only input has one sentence and as many heads as features: then d is 1, and features that are dealt out in another order,
# or sentences that are mixed up, look right. Hint: choose sizes that all differ, and none that is one.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(20.0).view(1, 5, 4)
    out = split_heads(x, 4)
    if tuple(out.shape) != (1, 4, 5, 1):
        return False
    for h in range(4):
        for t in range(5):
            if out[0, h, t, 0] != x[0, t, h]:
                return False
    try:
        split_heads(x, 3)
    except ValueError:
        return True
    return False


# %% wrong: no copy allowed
# Asks that the result lies in the memory of x, as with view and transpose; a right split that copies (chunks, a stack, a loop)
# is refused. Hint: does the docstring say anything about memory?

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.arange(2 * 5 * 12, dtype=torch.float32).view(2, 5, 12)
    for H in (1, 2, 3, 4, 6, 12):
        d = 12 // H
        out = split_heads(x, H)
        assert out.shape == (2, H, 5, d)
        assert out.data_ptr() == x.data_ptr(), "view and transpose move no number"
        for h in range(H):
            assert torch.equal(out[:, h], x[..., h * d : (h + 1) * d])
    for H in (5, 7, 8, 10, 24):
        try:
            split_heads(x, H)
        except ValueError:
            continue
        return False
    return True


# %% correct: number by number, in plain lists

def numbers_as_promised(x: list, num_heads: int) -> list:
    d = len(x[0][0]) // num_heads
    return [[[row[h * d : (h + 1) * d] for row in sentence] for h in range(num_heads)] for sentence in x]


def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(5)
    for B, T, D in ((2, 5, 12), (3, 2, 30), (1, 4, 6), (5, 1, 8), (4, 3, 7), (1, 1, 4), (6, 6, 36), (2, 9, 1)):
        for H in range(1, D + 4):
            if D % H == 0:
                for _ in range(2):  # other numbers, the same sizes
                    x = torch.randperm(B * T * D, generator=generator).float().view(B, T, D)
                    before = x.tolist()
                    try:
                        found = split_heads(x, H)
                        if tuple(found.shape) != (B, H, T, D // H) or found.tolist() != numbers_as_promised(before, H):
                            return False
                    except Exception:
                        return False
                    if x.tolist() != before:
                        return False
            elif H < 8 or H > D:
                try:
                    split_heads(torch.randn(B, T, D, generator=generator), H)
                except ValueError:
                    continue
                except Exception:
                    return False
                return False
    return True


# %% correct: by asserts, each number tells its address

def test_split_heads(split_heads: Callable) -> bool:
    def addressed(B: int, T: int, D: int) -> Tensor:
        b, t, f = torch.meshgrid(torch.arange(B), torch.arange(T), torch.arange(D), indexing="ij")
        return 10_000 * b + 100 * t + f

    def promised(B: int, T: int, D: int, H: int) -> Tensor:
        d = D // H
        b, h, t, i = torch.meshgrid(torch.arange(B), torch.arange(H), torch.arange(T), torch.arange(d), indexing="ij")
        return 10_000 * b + 100 * t + h * d + i

    for B, T, D, H in (
        (2, 5, 12, 3), (2, 5, 12, 4), (3, 7, 10, 2), (1, 6, 8, 4), (4, 1, 6, 2), (2, 3, 6, 1), (2, 3, 6, 6), (4, 4, 16, 4),
        (3, 3, 9, 3), (2, 8, 64, 8), (7, 2, 15, 5), (1, 1, 2, 2),
    ):  # fmt: skip
        for sign in (1, -3):
            for turned in (False, True):
                x = sign * addressed(B, T, D).float()
                if turned:  # the same numbers, lying in another order
                    x = x.permute(2, 0, 1).contiguous().permute(1, 2, 0)
                kept = x.clone()
                out = split_heads(x, H)
                assert out.shape == (B, H, T, D // H)
                assert bool((out == sign * promised(B, T, D, H)).all())
                assert torch.equal(x, kept)
    for D, H in ((12, 5), (12, 8), (12, 24), (10, 4), (9, 2), (7, 3), (6, 7), (1, 2), (15, 10)):
        refused = False
        try:
            split_heads(torch.randn(2, 4, D), H)
        except ValueError:
            refused = True
        assert refused
    return True
