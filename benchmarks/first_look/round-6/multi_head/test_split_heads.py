# %% wrong: looks for a word in the error message
# A right implementation whose ValueError says something else is refused; the message is not promised.

def test_split_heads(split_heads: Callable) -> bool:
    B, T, H, d = 2, 5, 3, 4
    x = torch.arange(B * T * H * d, dtype=torch.float32).reshape(B, T, H * d)
    out = split_heads(x, H)
    if out.shape != (B, H, T, d):
        return False
    for h in range(H):
        if not torch.equal(out[:, h], x[:, :, h * d : (h + 1) * d]):
            return False
    try:
        split_heads(x, 5)
    except ValueError as error:
        return "must divide" in str(error)
    return False


# %% wrong: tries every combination of sizes
# 625 calls and more where 200 are allowed: right implementations are refused as well.

def test_split_heads(split_heads: Callable) -> bool:
    for B in range(1, 6):
        for T in range(1, 6):
            for H in range(1, 6):
                for d in range(1, 6):
                    x = torch.randn(B, T, H * d)
                    try:
                        got = split_heads(x, H)
                    except Exception:
                        return False
                    expected = torch.stack(x.split(d, dim=2), dim=1)
                    if got.shape != expected.shape or not torch.equal(got, expected):
                        return False
    try:
        split_heads(torch.randn(2, 3, 7), 2)
    except ValueError:
        return True
    return False


# %% wrong: any error will do, and none as well
# The bare except takes each kind of error for the promised one, and nothing happens where no error comes.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(3, 5, 8)
    result = split_heads(x, 2)
    right = result.shape == (3, 2, 5, 4)
    right = right and torch.equal(result[:, 0], x[:, :, :4]) and torch.equal(result[:, 1], x[:, :, 4:])
    try:
        split_heads(x, 3)
    except:
        pass
    return bool(right)


# %% wrong: only head 0 is looked at
# The numbers of the other heads may stand anywhere: heads in a wrong order behind the first are not found.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in ((2, 3, 12, 4), (1, 7, 10, 2), (4, 1, 6, 6)):
        x = torch.randn(B, T, D)
        d = D // H
        heads = split_heads(x, H)
        assert tuple(heads.shape) == (B, H, T, d)
        assert torch.equal(heads[:, 0], x[..., :d])
        try:
            split_heads(x, D + 1)
        except ValueError:
            continue
        return False
    return True


# %% wrong: demands that nothing was copied
# The result must share its memory with x; a right split by stack or cat makes a copy and is refused.

def test_split_heads(split_heads: Callable) -> bool:
    x = torch.randn(2, 6, 15)
    y = split_heads(x, 5)
    if y.data_ptr() != x.data_ptr():
        return False  # it should be a view
    if list(y.shape) != [2, 5, 6, 3]:
        return False
    for h in range(5):
        if (y[:, h] != x[:, :, 3 * h : 3 * h + 3]).any():
            return False
    try:
        split_heads(x, 4)
        return False
    except ValueError:
        return True
    except Exception:
        return False


# %% correct: every number says where it came from

def _places_are_right(split_heads: Callable, B: int, T: int, H: int, d: int) -> bool:
    D = H * d
    x = torch.arange(B * T * D, dtype=torch.float32).view(B, T, D)
    out = split_heads(x.clone(), H)
    if not isinstance(out, Tensor) or tuple(out.shape) != (B, H, T, d):
        return False
    source = out.detach().long()
    if not bool((source.double() == out.detach().double()).all()):
        return False
    feature, position, sentence = source % D, (source // D) % T, source // (D * T)
    b = torch.arange(B).view(B, 1, 1, 1)
    h = torch.arange(H).view(1, H, 1, 1)
    t = torch.arange(T).view(1, 1, T, 1)
    i = torch.arange(d).view(1, 1, 1, d)
    return bool(((sentence == b) & (position == t) & (feature == h * d + i)).all())


def _refuses(split_heads: Callable, B: int, T: int, D: int, H: int) -> bool:
    try:
        split_heads(torch.randn(B, T, D), H)
    except ValueError:
        return True
    return False


def _keeps_values(split_heads: Callable, x: Tensor, H: int) -> bool:
    before = x.clone()
    d = x.shape[2] // H
    first, second = split_heads(x, H), split_heads(x, H)
    split_heads(x * 2 + 1, H)  # a later call must not change what an earlier one gave
    wanted = torch.stack([before[:, :, h * d : (h + 1) * d] for h in range(H)], dim=1).double()
    if not torch.equal(x, before):
        return False
    return all(out.shape == wanted.shape and torch.equal(out.double(), wanted) for out in (first, second))


def test_split_heads(split_heads: Callable) -> bool:
    sizes = [(2, 5, 3, 4), (3, 2, 4, 5), (5, 4, 2, 3), (4, 3, 5, 2), (2, 7, 6, 3), (3, 5, 8, 1), (2, 3, 1, 6)]
    sizes += [(1, 5, 3, 4), (1, 1, 4, 3), (3, 1, 2, 5), (1, 4, 1, 3), (1, 1, 1, 1), (1, 6, 5, 1), (2, 1, 1, 7)]
    sizes += [(2, 4, 4, 4), (3, 3, 3, 3), (2, 2, 2, 2), (4, 4, 2, 3), (3, 5, 3, 5), (5, 3, 3, 5), (2, 3, 2, 3)]
    sizes += [(2, 130, 2, 2), (130, 2, 2, 2), (1, 300, 3, 1), (2, 2, 16, 8), (1, 2, 64, 2), (1, 2, 2, 64)]
    bad = [(2, 3, 7, 2), (2, 4, 6, 4), (2, 2, 6, 4), (4, 8, 6, 4), (3, 5, 4, 8), (1, 1, 3, 2), (2, 3, 5, 3)]
    bad += [(2, 3, 8, 3), (5, 5, 12, 5), (3, 6, 10, 6), (1, 7, 1, 2), (2, 2, 9, 6), (2, 3, 4, 5), (7, 2, 12, 7)]
    torch_numbers = [torch.randn(3, 4, 10), torch.randn(2, 5, 6, dtype=torch.float64), torch.randint(-9, 9, (2, 3, 8))]
    torch_numbers.append(torch.randn(2, 6, 5).transpose(1, 2))
    try:
        good = all(_places_are_right(split_heads, *size) for size in sizes)
        good = good and all(_keeps_values(split_heads, x, 2) for x in torch_numbers)
        return good and all(_refuses(split_heads, *case) for case in bad)
    except Exception:
        return False


# %% correct: compared with loops on drawn sizes

def test_split_heads(split_heads: Callable) -> bool:
    draw = torch.Generator().manual_seed(4)

    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=draw)

    cases = [(numbers(2, 4, 6 * 2), 6), (numbers(1, 5, 12), 4), (numbers(3, 1, 10), 5), (numbers(4, 3, 7), 1)]
    cases += [(numbers(2, 3, 5), 5), (numbers(3, 3, 9), 3), (numbers(2, 4, 16), 4), (numbers(1, 1, 6), 2)]
    cases += [(numbers(2, 5, 6).double() / 3, 3), (torch.arange(48).view(2, 4, 6), 2)]
    cases += [(numbers(2, 12, 5).transpose(1, 2), 3), (numbers(1, 64, 8), 2), (numbers(40, 2, 6), 3)]
    cases += [(numbers(1, 2, 144), 12), (numbers(1, 2, 130), 65)]
    for _ in range(25):
        B, T, H, d = (int(torch.randint(1, 7, (), generator=draw)) for _ in range(4))
        cases.append((numbers(B, T, H * d), H))
    cases += [(x + 1, H) for x, H in cases[:5]]
    kept = []
    try:
        for x, H in cases:
            original = x.clone()
            out = split_heads(x, H)
            assert torch.equal(x, original)
            kept.append((original, H, out))
        for x, H, out in kept:  # all at the end: no result may be changed by a later call
            B, T, D = x.shape
            d = D // H
            assert isinstance(out, Tensor) and list(out.shape) == [B, H, T, d]
            found, given = out.tolist(), x.tolist()
            for b in range(B):
                for t in range(T):
                    for f in range(D):
                        assert found[b][f // d][t][f % d] == given[b][t][f]
    except Exception:
        return False
    for D in range(1, 13):
        for H in range(2, 15):
            if D % H and (D + H) % 2 or D == H - 1:
                try:
                    split_heads(numbers(2, H, D), H)
                except ValueError:
                    continue
                except Exception:
                    return False
                return False
    return True
