# %% wrong: any exception will do
# The uneven case is satisfied by every exception, so an implementation that lets view or reshape
# raise its RuntimeError passes, which is not the promised ValueError.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in [(2, 5, 3, 4), (1, 4, 2, 3), (3, 1, 4, 2), (2, 3, 1, 5), (2, 7, 6, 1)]:
        big = torch.randn(T, B, 2 * H * d, dtype=torch.float64)
        for x in (torch.randn(B, T, H * d), big.transpose(0, 1)[:, :, ::2]):
            before = x.clone()
            out = split_heads(x, H)
            if out.shape != (B, H, T, d) or out.dtype != x.dtype:
                return False
            for h in range(H):
                if not torch.equal(out[:, h], before[:, :, h * d : (h + 1) * d]):
                    return False
            if not torch.equal(x, before):
                return False
    for D, H in [(7, 3), (6, 4), (4, 8)]:
        try:
            split_heads(torch.randn(2, 3, D), H)
        except Exception:
            pass
        else:
            return False
    return True

# %% wrong: all inputs fresh from randn
# Sizes, values and the error are tested well, but every input is contiguous. An implementation that
# begins with x.view(B * T, ...) fails on x.transpose(0, 1), and passes this test.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in [(2, 5, 12, 3), (1, 3, 8, 4), (4, 1, 6, 2), (3, 2, 5, 5), (2, 4, 7, 1), (1, 1, 1, 1)]:
        x = torch.randn(B, T, D)
        kept = x.clone()
        out = split_heads(x, H)
        wanted = torch.stack(kept.split(D // H, dim=2), dim=1)
        assert out.shape == wanted.shape
        assert torch.equal(out, wanted)
        assert torch.equal(x, kept)
        assert split_heads(x.double(), H).dtype == torch.float64
    for D, H in [(7, 2), (6, 4), (3, 6), (12, 5)]:
        try:
            split_heads(torch.randn(2, 5, D), H)
            return False
        except ValueError:
            pass
    return True

# %% wrong: each feature holds the number of its head
# In head h everything must be h, whatever the position, the sentence and the feature. So an
# implementation that reverses the positions, or the features inside a head, passes.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, H, d in [(2, 5, 3, 4), (1, 6, 4, 2), (3, 4, 2, 5), (2, 3, 7, 1)]:
        marks = torch.arange(float(H)).repeat_interleave(d)
        x = marks.expand(B, T, H * d).clone()
        out = split_heads(x, H)
        if tuple(out.shape) != (B, H, T, d):
            return False
        for h in range(H):
            if not (out[:, h] == h).all():
                return False
        if not torch.equal(x, marks.expand(B, T, H * d)):
            return False
    try:
        split_heads(torch.zeros(2, 3, 7), 3)
    except ValueError:
        return True
    return False

# %% wrong: writes into the result to see whether the input stays
# "Left as they were" is read as "the result is a copy": the test overwrites the result and wants x
# unchanged. A correct split_heads that returns a view of x (view, then transpose) is refused.

def test_split_heads(split_heads: Callable) -> bool:
    for B, T, D, H in [(2, 5, 12, 3), (1, 4, 6, 6), (3, 1, 8, 2), (2, 3, 5, 1)]:
        for x in (torch.randn(B, T, D), torch.randn(T, B, D).transpose(0, 1)):
            before = x.clone()
            out = split_heads(x, H)
            if out.shape != (B, H, T, D // H):
                return False
            for h in range(H):
                for f in range(D // H):
                    if not torch.equal(out[:, h, :, f], before[:, :, h * (D // H) + f]):
                        return False
            out.zero_()
            if not torch.equal(x, before):
                return False
    for D, H in [(6, 4), (5, 10)]:
        try:
            split_heads(torch.randn(2, 2, D), H)
            return False
        except ValueError:
            pass
    return True

# %% correct: every number says where it stands, and the result is decoded by divmod
def test_split_heads(split_heads: Callable) -> bool:
    def layouts(x):
        # the same numbers, lying in memory in different ways
        yield x.clone()
        yield x.transpose(0, 1).contiguous().transpose(0, 1)
        yield x.permute(2, 1, 0).contiguous().permute(2, 1, 0)
        room = torch.full((x.shape[0] + 1, 2 * x.shape[1] + 1, 2 * x.shape[2] + 3), -7.0, dtype=x.dtype)
        room[1:, 1::2, 3::2] = x
        yield room[1:, 1::2, 3::2]

    def right(x, B, T, H, d):
        shape, strides, before = x.shape, x.stride(), x.detach().clone()
        out = split_heads(x, H)
        if not isinstance(out, Tensor) or tuple(out.shape) != (B, H, T, d) or out.dtype != x.dtype:
            return False
        if x.shape != shape or x.stride() != strides or not torch.equal(x.detach(), before):
            return False
        b, h, t, f = torch.meshgrid(*(torch.arange(n) for n in (B, H, T, d)), indexing="ij")
        found = (out.detach().double() * 1024).round().long()
        rest, feature = found // (H * d), found % (H * d)
        return (
            bool((rest // T == b).all() and (rest % T == t).all())
            and bool((feature // d == h).all() and (feature % d == f).all())
            and torch.equal(out.detach().double() * 1024, found.double())
        )

    try:
        sizes = [
            (2, 5, 3, 4), (3, 4, 2, 5), (1, 6, 4, 3), (4, 1, 3, 2), (1, 1, 2, 3), (2, 3, 1, 6), (3, 2, 5, 1),
            (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3), (5, 7, 12, 1), (2, 9, 16, 3), (6, 2, 4, 8), (1, 300, 2, 3),
            (300, 1, 3, 2), (1, 2, 64, 8), (2, 1, 1, 512), (1, 2, 512, 1),
        ]
        for B, T, H, d in sizes:
            numbers = torch.arange(B * T * H * d, dtype=torch.float64).reshape(B, T, H * d) / 1024
            for x in layouts(numbers):
                if not right(x, B, T, H, d):
                    return False
            if not right(numbers.float(), B, T, H, d):
                return False
        # all the digits of a float64, earlier results after later calls, and the gradient
        x = (1 + 1e-13 * torch.randn(2, 3, 8, dtype=torch.float64)).requires_grad_()
        other = torch.randn(2, 3, 8, dtype=torch.float64)
        first, second, _ = split_heads(x, 4), split_heads(other, 4), split_heads(other + 1, 4)
        for h in range(4):
            if not torch.equal(first[:, h].detach(), x.detach()[:, :, 2 * h : 2 * h + 2]):
                return False
            if not torch.equal(second[:, h], other[:, :, 2 * h : 2 * h + 2]):
                return False
        weight = torch.randn(2, 4, 3, 2, dtype=torch.float64)
        (first * weight).sum().backward()
        if x.grad is None or not torch.allclose(x.grad, torch.cat(list(weight.unbind(1)), dim=2)):
            return False
        for B, T, D, H in [
            (2, 5, 7, 3), (3, 4, 6, 4), (4, 8, 6, 8), (2, 6, 4, 3), (1, 1, 5, 2), (6, 6, 4, 6), (2, 3, 1, 2),
            (5, 1, 3, 5), (1, 5, 8, 5), (2, 2, 9, 6), (12, 12, 10, 12), (1, 1, 10, 20),
        ]:
            x = torch.randn(B, T, D)
            before = x.clone()
            try:
                split_heads(x, H)
            except ValueError:
                if not torch.equal(x, before):
                    return False
            else:
                return False
    except Exception:
        return False
    return True

# %% correct: random sizes, and one number at a time in Python lists
def test_split_heads(split_heads: Callable) -> bool:
    draw = torch.Generator().manual_seed(5)

    def number(low, high):
        return int(torch.randint(low, high + 1, (), generator=draw))

    def compare(x, num_heads):
        wanted = x.detach().tolist()
        shape = tuple(x.shape)
        out = split_heads(x, num_heads)
        assert isinstance(out, Tensor) and out.dtype == x.dtype
        B, T, D = shape
        d = D // num_heads
        assert tuple(out.shape) == (B, num_heads, T, d)
        got = out.detach().tolist()
        for b in range(B):
            for t in range(T):
                for feature in range(D):
                    assert got[b][feature // d][t][feature % d] == wanted[b][t][feature]
        assert tuple(x.shape) == shape and x.detach().tolist() == wanted
        return out, got

    kept = []
    fixed = [(1, 1, 1, 1), (1, 4, 2, 3), (4, 1, 2, 3), (3, 4, 1, 5), (3, 4, 5, 1), (4, 4, 4, 4), (2, 40, 3, 2)]
    fixed += [(1, 512, 2, 1), (512, 1, 1, 2)]
    drawn = [(number(1, 6), number(1, 9), number(1, 8), number(1, 7)) for _ in range(25)]
    for B, T, H, d in fixed + drawn:
        D = H * d
        dtype = (torch.float32, torch.float64)[number(0, 1)]
        plain = torch.randn(B, T, D, generator=draw, dtype=dtype)
        turned = torch.randn(D, T, B, generator=draw, dtype=dtype).permute(2, 1, 0)
        swapped = torch.randn(T, B, D, generator=draw, dtype=dtype).transpose(0, 1)
        part = torch.randn(B + 2, T + 3, 3 * D + 1, generator=draw, dtype=dtype)[2:, 1:-2, 1::3]
        for x in (plain, turned, swapped, part):
            kept.append(compare(x, H))
    for H in (1, 2, 256, 512):
        compare(torch.randn(1, 3, 512, generator=draw), H)
    for out, got in kept:  # nothing was overwritten by a later call
        assert out.tolist() == got

    x = torch.randn(3, 2, 12, generator=draw, dtype=torch.float64, requires_grad=True)
    out, _ = compare(x, 3)
    slope = torch.randn(out.shape, generator=draw, dtype=torch.float64)
    (gradient,) = torch.autograd.grad((out * slope).sum(), x)
    for h in range(3):
        assert torch.allclose(gradient[:, :, 4 * h : 4 * h + 4], slope[:, h])

    for D, H in [(7, 2), (6, 4), (4, 8), (1, 3), (10, 3), (12, 9), (15, 6)]:
        for B, T in [(1, 1), (H, H), (2, 3)]:
            x = torch.randn(B, T, D, generator=draw)
            before = x.tolist()
            try:
                split_heads(x, H)
            except ValueError:
                assert x.tolist() == before
            else:
                raise AssertionError(f"{H} heads were given {D} features")
    return True
