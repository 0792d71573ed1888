# %% wrong: compared with itself
# Inside the test the name split_heads is the implementation on trial and not the own right one: what it gives is
# compared with what it gives, and only the ValueError is really tested.

def test_split_heads(split_heads: Callable) -> bool:
    def right_one(x, num_heads):
        return split_heads(x, num_heads)  # my own, from exercise 5.1

    for B, T, H, d in ((2, 5, 3, 4), (1, 7, 2, 3), (3, 2, 4, 1)):
        x = torch.randn(B, T, H * d)
        if not torch.equal(split_heads(x, H), right_one(x, H)):
            return False
    try:
        split_heads(torch.randn(2, 3, 10), 4)
    except ValueError:
        return True
    return False


# %% wrong: any error will do
# Where num_heads does not divide D every exception is accepted: an implementation that leaves the RuntimeError to view,
# or that fails an assertion, passes as right.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in ((2, 5, 3, 4), (3, 4, 2, 6), (2, 3, 1, 5), (1, 6, 5, 2)):
        x = torch.arange(B * T * H * d, dtype=torch.float32).view(B, T, H * d)
        got = split_heads(x, H)
        if got.shape != (B, H, T, d):
            return False
        for h in range(H):
            if not torch.equal(got[:, h], x[:, :, h * d : (h + 1) * d]):
                return False
    try:
        split_heads(torch.randn(2, 3, 10), 4)
    except Exception:
        return True
    return False


# %% wrong: as large as in a real model
# The test uses the sizes of the paper, with half a million numbers: such inputs are refused by the implementations on
# trial (20,000 numbers at most), so that right ones are called wrong.

def test_split_heads(split_heads: Callable) -> bool:
    try:
        x = torch.randn(16, 64, 512)
        heads = split_heads(x, 8)
        if tuple(heads.shape) != (16, 8, 64, 64):
            return False
        for h in range(8):
            if not torch.equal(heads[:, h], x[..., 64 * h : 64 * (h + 1)]):
                return False
    except Exception:
        return False
    try:
        split_heads(torch.randn(2, 4, 512), 7)
    except ValueError:
        return True
    except Exception:
        return False
    return False


# %% wrong: the result has to be a view
# Besides the values the test asks that the result shares its memory with x, as view and transpose do: right ones that
# copy are refused, though nothing of the kind was promised.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in ((2, 5, 3, 4), (4, 3, 2, 5), (1, 2, 6, 1), (3, 1, 1, 7)):
        x = torch.randn(B, T, H * d)
        expected = x.view(B, T, H, d).transpose(1, 2)
        try:
            got = split_heads(x, H)
            if got.shape != expected.shape or not torch.equal(got, expected):
                return False
        except Exception:
            return False
        if got.data_ptr() != x.data_ptr() or got.stride() != expected.stride():
            return False  # numbers were moved
    for D, H in ((10, 3), (6, 4), (5, 7)):
        try:
            split_heads(torch.randn(2, 3, D), H)
            return False
        except ValueError:
            continue
        except Exception:
            return False
    return True


# %% wrong: the sums of the heads only
# For each head the sum of its numbers is compared: the right numbers in the wrong order, such as positions turned round
# or position and feature exchanged inside a head, have the same sum.

def test_split_heads(split_heads: Callable) -> bool:
    try:
        for B, T, H, d in ((2, 5, 3, 4), (3, 4, 2, 2), (2, 7, 5, 3)):
            x = torch.randn(B, T, H * d, dtype=torch.float64)
            heads = split_heads(x, H)
            if heads.dim() != 4 or heads.shape[1] != H:
                return False
            for h in range(H):
                wanted = x[:, :, h * d : (h + 1) * d].sum(dim=(1, 2))
                if not torch.allclose(heads[:, h].sum(dim=(1, 2)), wanted):
                    return False
    except Exception:
        return False
    for D, H in ((7, 2), (9, 6), (3, 5)):
        try:
            split_heads(torch.zeros(2, 4, D), H)
        except ValueError:
            continue
        except Exception:
            return False
        return False
    return True


# %% correct: many sizes and where each block belongs

def test_split_heads(split_heads: Callable) -> bool:
    generator = torch.Generator().manual_seed(12)
    sizes = [(B, T, H, d) for B in (1, 2, 3) for T in (1, 2, 5) for H in (1, 2, 3, 6) for d in (1, 2, 5)]
    sizes += [(2, 3, 3, 3), (4, 4, 4, 4), (1, 2, 8, 64), (1, 130, 2, 2), (40, 2, 2, 3), (2, 1, 50, 1), (2, 7, 5, 3)]
    sizes += [(5, 16, 2, 4), (1, 10, 12, 2), (2, 5, 3, 2), (2, 5, 3, 2), (6, 2, 3, 1), (2, 3, 6, 1), (1, 1, 2, 256)]
    kept = []
    try:
        for B, T, H, d in sizes:
            x = torch.randn(B, T, H * d, generator=generator)
            before = x.clone()
            got = split_heads(x, H)
            kept.append((got, before, H, d))
            if not torch.equal(x, before):
                return False
        turned = torch.randn(4, 12, 5, generator=generator).transpose(1, 2)  # not contiguous
        kept.append((split_heads(turned, 3), turned.clone(), 3, 4))
        every_other = torch.randn(3, 10, 12, generator=generator)[:, ::2]
        kept.append((split_heads(every_other, 2), every_other.clone(), 2, 6))
        for got, x, H, d in kept:  # looked at only now: a later call must not change an earlier result
            if not isinstance(got, Tensor) or tuple(got.shape) != (x.shape[0], H, x.shape[1], d):
                return False
            for h in range(H):
                block = x[:, :, h * d : (h + 1) * d]
                if not torch.allclose(got[:, h].double(), block.double(), rtol=0, atol=1e-5):
                    return False
    except Exception:
        return False
    undivided = [(5, 2), (6, 4), (7, 3), (2, 3), (1, 2), (12, 5), (12, 8), (4, 8), (9, 6), (65, 3), (101, 2), (3, 5)]
    for D, H in undivided:
        for B, T in ((2, 3), (1, 1), (H, H), (1, 2 * H)):
            try:
                split_heads(torch.randn(B, T, D, generator=generator), H)
            except ValueError:
                continue
            except Exception:
                return False
            return False
    return True


# %% correct: numbers that say where they come from

def test_split_heads(split_heads: Callable) -> bool:
    def labelled(B: int, T: int, D: int, first: float = -20.75) -> Tensor:
        rows = [[[first + f + D * (t + T * b) for f in range(D)] for t in range(T)] for b in range(B)]
        return torch.tensor(rows) + 1 / 4096  # fractions and negative numbers too, all of them exact

    def wanted(x: Tensor, H: int) -> list:
        d = x.shape[2] // H
        return [[[row[h * d : (h + 1) * d] for row in sentence] for h in range(H)] for sentence in x.tolist()]

    def holds(B: int, T: int, D: int, H: int) -> bool:
        inputs = [labelled(B, T, D)]
        if B * T * D < 200:
            inputs.append(labelled(B, T, D, first=31.5))  # the same sizes, other numbers
            inputs.append(labelled(D, T, B).transpose(0, 2))  # lies in memory in another order
        answers = [wanted(x, H) for x in inputs]
        before = [x.tolist() for x in inputs]
        results = [split_heads(x, H) for x in inputs]
        if [x.tolist() for x in inputs] != before:
            return False
        shapes = all(isinstance(r, Tensor) and tuple(r.shape) == (B, H, T, D // H) for r in results)
        return shapes and [r.tolist() for r in results] == answers

    def refuses(B: int, T: int, D: int, H: int) -> bool:
        try:
            split_heads(labelled(B, T, D), H)
        except ValueError:
            return True
        return False

    divided = ((1, 1, 1, 1), (1, 5, 6, 1), (1, 1, 6, 3), (3, 1, 6, 2), (2, 4, 6, 6), (2, 3, 4, 2), (3, 2, 12, 4))
    divided += ((2, 2, 4, 2), (3, 3, 9, 3), (5, 7, 24, 8), (1, 2, 512, 8), (40, 2, 10, 5), (2, 130, 6, 3), (4, 5, 35, 7))
    divided += ((2, 6, 15, 5), (2, 9, 48, 16), (7, 1, 14, 2))
    refused = ((2, 3, 4, 3), (2, 4, 6, 4), (1, 1, 7, 2), (3, 5, 2, 4), (5, 5, 12, 5), (2, 12, 9, 12), (1, 6, 3, 2))
    refused += ((4, 2, 1, 2), (2, 7, 100, 7), (6, 6, 15, 6), (2, 3, 12, 7), (2, 3, 12, 9), (1, 4, 10, 6), (1, 2, 101, 3))
    try:
        return all(holds(*sizes) for sizes in divided) and all(refuses(*sizes) for sizes in refused)
    except Exception:
        return False
