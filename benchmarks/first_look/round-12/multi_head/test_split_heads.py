# %% wrong: shapes and the error alone
# Asks for the shape and for the ValueError, but not where the numbers are. A split by view passes.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 5, 12, 3), (1, 7, 8, 4), (3, 4, 6, 1)):
        x = torch.randn(B, T, D)
        if split_heads(x, H).shape != (B, H, T, D // H):
            return False
    try:
        split_heads(torch.randn(2, 5, 12), 5)
    except ValueError:
        return True
    return False


# %% wrong: the number is right, the error is not asked for
# Compares every number, but never calls with heads that do not divide D. A form that raises another error there, or none,
# passes.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 5, 12, 3), (3, 4, 10, 2), (1, 1, 6, 6), (2, 3, 4, 1)):
        for x in (torch.randn(B, T, D), torch.randn(T, B, D).transpose(0, 1), torch.randn(B, D, T).transpose(1, 2)):
            before, heads = x.clone(), split_heads(x, H)
            if heads.shape != (B, H, T, D // H) or not torch.equal(x, before):
                return False
            for h in range(H):
                if not torch.equal(heads[:, h], x[:, :, h * (D // H) : (h + 1) * (D // H)]):
                    return False
    return True


# %% wrong: view on what it was given
# To compare, it lays the result flat with view. A right form may return a transposed tensor, which view refuses: the error
# leaves the test, and a right form is called wrong.

def test_split_heads(split_heads: Callable) -> bool:
    B, T, D, H = 2, 5, 12, 3
    x = torch.arange(B * T * D).float().view(B, T, D)
    heads = split_heads(x, H)
    if heads.shape != (B, H, T, D // H):
        return False
    expected = [x[b, t, h * 4 + i] for b in range(B) for h in range(H) for t in range(T) for i in range(4)]
    if not torch.equal(heads.view(-1), torch.stack(expected)):
        return False
    turned = torch.randn(D, T, B).permute(2, 1, 0)
    if not torch.equal(split_heads(turned, 2)[:, 1], turned[:, :, 6:]):
        return False
    try:
        split_heads(x, 7)
    except ValueError:
        return True
    return False


# %% wrong: inputs that lie in order only
# All its inputs are contiguous, and it does not look at x afterwards. A form that takes the memory to lie in order (by
# as_strided) is wrong for a transposed x and passes, and so does one that writes into x.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 5, 12, 3), (3, 2, 20, 5), (1, 1, 4, 2), (4, 3, 6, 1)):
        x = torch.arange(1.0, B * T * D + 1).view(B, T, D)
        expected = torch.stack([x[..., h * D // H : (h + 1) * D // H].clone() for h in range(H)], dim=1)
        found = split_heads(x, H)
        if found.shape != expected.shape or not torch.equal(found, expected):
            return False
    for D, H in ((12, 5), (6, 4), (3, 6)):
        try:
            split_heads(torch.ones(2, 3, D), H)
            return False
        except ValueError:
            pass
    return True


# %% correct: number by number, in every layout

def test_split_heads(split_heads: Callable) -> bool:
    def layouts(B: int, T: int, D: int, dtype: torch.dtype):
        numbers = torch.arange(1, B * T * D + 1).to(dtype)
        yield numbers.view(B, T, D).clone()
        yield numbers.view(T, B, D).transpose(0, 1)
        yield numbers.view(B, D, T).transpose(1, 2)
        yield numbers.view(D, T, B).permute(2, 1, 0)
        larger = torch.zeros(B + 1, T + 2, 2 * D + 1, dtype=dtype)
        larger[1:, 1:-1, 1::2] = numbers.view(B, T, D)
        yield larger[1:, 1:-1, 1::2]

    sizes = [(2, 5, 12, 3), (3, 4, 10, 2), (1, 3, 6, 6), (4, 1, 8, 4), (1, 1, 1, 1), (2, 7, 4, 1), (5, 2, 6, 3), (3, 3, 9, 3)]
    for B, T, D, H in sizes:
        for dtype in (torch.float32, torch.float64):
            for x in layouts(B, T, D, dtype):
                before = x.tolist()
                heads = split_heads(x, H)
                assert heads.dtype == dtype and tuple(heads.shape) == (B, H, T, D // H)
                assert x.tolist() == before, "x was changed"
                found = heads.tolist()
                for b in range(B):
                    for t in range(T):
                        for f in range(D):
                            h, i = divmod(f, D // H)
                            assert found[b][h][t][i] == before[b][t][f]
    for D, H in ((12, 5), (6, 4), (7, 2), (4, 8), (1, 2), (9, 6)):
        try:
            split_heads(torch.arange(2.0 * 3 * D).view(2, 3, D), H)
        except ValueError:
            continue
        return False
    return True


# %% correct: each number carries its address

def test_split_heads(split_heads: Callable) -> bool:
    """x[b, t, f] is 10000 b + 100 t + f, so each number of the result can say where it was."""
    for B, T, D in ((3, 4, 12), (1, 1, 12), (2, 1, 12), (2, 3, 20), (2, 5, 7), (1, 2, 1)):
        b, t, f = torch.meshgrid(torch.arange(B), torch.arange(T), torch.arange(D), indexing="ij")
        address = (10_000 * b + 100 * t + f).double()
        askew = address.permute(1, 2, 0).contiguous().permute(2, 0, 1)
        wide = torch.cat([address, address + 0.5], dim=2)[:, :, :D]
        for H in range(1, D + 4):
            for x in (address.clone(), askew) if H % 2 else (wide, address.float()):
                try:
                    heads = split_heads(x, H)
                except ValueError:
                    if D % H == 0:
                        return False
                    continue
                if D % H or heads.shape != (B, H, T, D // H) or heads.dtype != x.dtype:
                    return False
                place = heads.detach().long()
                feature = place % 100
                width = D // H
                right = (place // 10_000 == torch.arange(B).view(B, 1, 1, 1)).all()
                right &= (place // 100 % 100 == torch.arange(T).view(T, 1)).all()
                right &= (feature // width == torch.arange(H).view(H, 1, 1)).all()
                right &= (feature % width == torch.arange(width)).all()
                if not right or not torch.equal(x.double(), address):
                    return False
    return True
