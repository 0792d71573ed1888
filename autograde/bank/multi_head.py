"""Wrong and correct answers of chapter 05."""

import re

from autograde.bank import Bank, Correct, Wrong, edit

# ---- split_heads ----------------------------------------------------------------------------------------------------

_SPLIT = "x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)"
_MERGE = "x.transpose(1, 2).flatten(2)"
_BY_VIEW = "x.reshape(batch, num_heads, length, d_model // num_heads)"
_INTERLEAVED = "x.view(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2)"

split_heads = Bank(
    "split_heads",
    wrong=[
        Wrong(
            "split by view alone",
            edit((_SPLIT, _BY_VIEW)),
            "The shape is right and the numbers are in other places: view reads the same row of numbers with other "
            "line breaks and moves nothing, so head 0 got the first positions instead of the first features. Break "
            "the last axis alone, then swap two axes. See section 5.2.",
        ),
        Wrong(
            "split by view and merged by view",
            edit((_SPLIT, _BY_VIEW), (_MERGE, "x.reshape(len(x), x.shape[2], -1)")),
            "There and back gives the same tensor, and both ways are wrong: a head holds whole positions instead of "
            "a block of features. A round trip cannot see that. Look at one head's numbers by hand. See section 5.2.",
        ),
        Wrong(
            "the heads are interleaved",
            edit((_SPLIT, _INTERLEAVED)),
            "Head h got every H-th feature instead of a block of d side by side. When you break the last axis, the "
            "heads come first and their features behind them.",
        ),
        Wrong(
            "split and merged interleaved",
            edit((_SPLIT, _INTERLEAVED), (_MERGE, "x.permute(0, 2, 3, 1).flatten(2)")),
            "Head h holds every H-th feature, and merging undoes it: consistent, and not what is asked for. Weights "
            "from elsewhere would not fit. Head h has the d features from h * d on.",
        ),
        Wrong(
            "the heads stay behind the positions",
            edit((_SPLIT, "x.view(batch, length, num_heads, d_model // num_heads)")),
            "The features are shared out, but the heads' axis still stands behind the positions. Attention works on "
            "the last two axes, so these have to be positions and features.",
        ),
        Wrong(
            "the heads stand before the batch",
            edit((_SPLIT, "x.view(batch, length, num_heads, d_model // num_heads).permute(2, 0, 1, 3)")),
            "The heads' axis came to stand before the batch. The order asked for is batch, heads, positions, features.",
        ),
        Wrong(
            "positions and features are swapped within each head",
            edit((_SPLIT, "x.view(batch, length, num_heads, d_model // num_heads).permute(0, 2, 3, 1)")),
            "Each head has its features on the axis before the last. Positions come before features.",
        ),
        Wrong(
            "every head gets all the features",
            edit((_SPLIT, "x.unsqueeze(1).expand(-1, num_heads, -1, -1)")),
            "Every head got the whole vector. The features are shared out: each head gets d = D / H of them.",
        ),
        Wrong(
            "the heads come in reverse order",
            edit((_SPLIT, _SPLIT + ".flip(1)")),
            "Head 0 got the last block of features. The first d features belong to head 0.",
        ),
        Wrong(
            "a width that does not divide is cut",
            edit(
                (
                    '        raise ValueError(f"num_heads must divide d_model, got {num_heads} heads and x '
                    '{tuple(x.shape)}")\n',
                    "        x = x[:, :, : d_model - d_model % num_heads]\n",
                )
            ),
            "Where the heads do not divide the width, features were dropped in silence. The docstring asks for an "
            "error there.",
        ),
        Wrong(
            "a width that does not divide raises another error",
            edit(
                (
                    "    if d_model % num_heads:\n"
                    '        raise ValueError(f"num_heads must divide d_model, got {num_heads} heads and x '
                    '{tuple(x.shape)}")\n',
                    "",
                )
            ),
            "Where the heads do not divide the width, it is torch that complains, about a shape nobody asked for. "
            "Raise a ValueError with the two numbers before anything else.",
        ),
        Wrong(
            "merged without swapping the axes back",
            edit((_MERGE, "x.reshape(len(x), x.shape[2], -1)")),
            "The shape is right and the numbers are in other places: what stands at a position comes from several "
            "positions of one head. Bring the heads' axis behind the positions first. See section 5.2.",
        ),
        Wrong(
            "merged with the heads interleaved",
            edit((_MERGE, "x.permute(0, 2, 3, 1).flatten(2)")),
            "The first features of all heads stand side by side, then the second ones. Each head's features stay "
            "together, head 0 first.",
        ),
        Wrong(
            "view where the numbers would have to move",
            edit((_MERGE, "x.transpose(1, 2).view(len(x), x.shape[2], -1)")),
            "After a transpose the numbers no longer lie in the order of the axes, and view, which moves nothing, "
            "has to refuse. reshape or flatten copies them where it must.",
        ),
        Wrong(
            "the heads are added up",
            edit((_MERGE, "x.sum(dim=1)")),
            "The heads were summed, which leaves d features. Merging puts them side by side: H * d features.",
        ),
        Wrong(
            "the heads stay behind the positions, and are merged so",
            edit((_SPLIT, "x.view(batch, length, num_heads, d_model // num_heads)"), (_MERGE, "x.flatten(2)")),
            "The features are shared out, but the heads' axis still stands behind the positions, and the merge expects "
            "it there: consistent, and not what is asked for. Attention works on the last two axes, so these have to "
            "be positions and features.",
        ),
        Wrong(
            "the features of a head are turned round",
            edit((_SPLIT, _SPLIT + ".flip(3)")),
            "Each head has its own features, the last of them first. They stay in order.",
        ),
        Wrong(
            "the features of a head are moved round by one",
            edit((_SPLIT, _SPLIT + ".roll(1, dims=3)")),
            "Each head has its own features, and the last of them stands first. They stay in order.",
        ),
        Wrong(
            "every head gets the first block",
            edit((_SPLIT, "x[:, :, : d_model // num_heads].unsqueeze(1).repeat(1, num_heads, 1, 1)")),
            "Every head got the first d features. Head h gets those from h * d on.",
        ),
        Wrong(
            "sentences are mixed up",
            edit(
                (
                    _SPLIT,
                    "x.view(-1, num_heads, d_model // num_heads).transpose(0, 1).reshape(batch, num_heads, length, -1)",
                )
            ),
            "With one sentence it is right; with several, heads got positions of other sentences. The batch axis was "
            "folded into the positions and cut up in another order. Leave it where it is.",
        ),
        Wrong(
            "heads and their width are exchanged",
            edit((_SPLIT, "x.view(batch, length, d_model // num_heads, num_heads).transpose(1, 2)")),
            "There are as many heads as a head should have features, and the other way round. num_heads says how many "
            "there are; each has D / H features.",
        ),
        Wrong(
            "the gradient is cut",
            edit((_SPLIT, _SPLIT + ".detach()"), (_MERGE, _MERGE + ".detach()")),
            "The numbers are right, and no gradient comes back through them: nothing in front of the split would ever "
            "learn. Nothing has to be detached here.",
        ),
        Wrong(
            "the numbers become float32",
            edit((_SPLIT, _SPLIT + ".float()")),
            "What came in as float64 went out as float32. Moving numbers changes no kind: leave it as it is.",
        ),
        Wrong(
            "the last head stays empty",
            edit(
                (
                    f"return {_SPLIT}",
                    "d = d_model // num_heads\n"
                    "    heads = x.new_zeros(batch, num_heads, length, d)\n"
                    "    for h in range(num_heads - 1):\n"
                    "        heads[:, h] = x[:, :, h * d : (h + 1) * d]\n"
                    "    return heads",
                )
            ),
            "The last head holds nothing but zeros: the loop over the heads ends one too early. There are num_heads of "
            "them, and each gets its features.",
        ),
        Wrong(
            "one head too many",
            edit(
                (
                    f"return {_SPLIT}",
                    f"heads = {_SPLIT}\n    return torch.cat([heads, torch.zeros_like(heads[:, :1])], dim=1)",
                )
            ),
            "There is one head more than asked for, an empty one. num_heads says how many there are: count the axis "
            "before you fill it.",
        ),
    ],
    correct=[
        Correct(
            "reshape and permute",
            """
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads for {D} features")
    return x.reshape(B, T, num_heads, -1).permute(0, 2, 1, 3)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(B, T, H * d)
""",
        ),
        Correct(
            "chunks, stacked and put side by side",
            """
def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError((num_heads, x.shape[-1]))
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=2)
""",
        ),
        Correct(
            "unflatten",
            """
def split_heads(x, num_heads):
    if x.shape[2] // num_heads * num_heads != x.shape[2]:
        raise ValueError("num_heads must divide the width")
    return x.unflatten(2, (num_heads, -1)).transpose(-3, -2).contiguous()


def merge_heads(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
""",
        ),
        Correct(
            "head by head",
            """
def split_heads(x, num_heads):
    width = x.shape[2]
    if width % num_heads:
        raise ValueError(f"{num_heads} does not divide {width}")
    d = width // num_heads
    heads = x.new_empty(x.shape[0], num_heads, x.shape[1], d)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads


def merge_heads(x):
    B, H, T, d = x.shape
    merged = x.new_empty(B, T, H * d)
    for h in range(H):
        merged[:, :, h * d : (h + 1) * d] = x[:, h]
    return merged
""",
        ),
        Correct(
            "an einsum that moves axes",
            """
def split_heads(x, num_heads):
    batch, length, width = x.shape
    if width % num_heads > 0:
        raise ValueError(f"{width} features cannot be shared out to {num_heads} heads")
    return torch.einsum("bthd->bhtd", x.reshape(batch, length, num_heads, width // num_heads))


def merge_heads(x):
    return torch.einsum("bhtd->bthd", x).reshape(x.shape[0], x.shape[2], -1)
""",
        ),
        Correct(
            "gathered feature by feature, merged by a matrix of ones and zeros",
            """
def split_heads(x, num_heads):
    B, T, D = x.shape
    d, rest = divmod(D, num_heads)
    if rest:
        raise ValueError(f"{D} features, {num_heads} heads")
    which = torch.arange(D).view(num_heads, 1, d).expand(B, num_heads, T, d)
    return torch.gather(x.unsqueeze(1).expand(B, num_heads, T, D), 3, which)


def merge_heads(x):
    H, d = x.shape[1], x.shape[3]
    return torch.einsum("bhtd,hde->bte", x, torch.eye(H * d, dtype=x.dtype).view(H, d, H * d))
""",
        ),
    ],
)

# ---- test_split_heads -----------------------------------------------------------------------------------------------

test_split_heads = Bank(
    "test_split_heads",
    wrong=[
        Wrong(
            "the shape alone",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    return split_heads(x, 3).shape == (2, 3, 5, 4)
""",
            "A shape says nothing of which number stands where, and most wrong forms have the right shape. Compare "
            "one head's numbers with the features that it should have.",
        ),
        Wrong(
            "it is never called",
            """
def test_split_heads(split_heads):
    return split_heads is not None
""",
            "What is given is never called. Call it on a small tensor and look at what comes back.",
        ),
        Wrong(
            "constant numbers",
            """
def test_split_heads(split_heads):
    heads = split_heads(torch.ones(2, 5, 12), 3)
    return torch.equal(heads, torch.ones(2, 3, 5, 4))
""",
            "Where all numbers are the same, nobody sees which went where. Give it numbers that all differ.",
        ),
        Wrong(
            "one position",
            """
def test_split_heads(split_heads):
    x = torch.arange(12.0).view(1, 1, 12)
    heads = split_heads(x, 3)
    return torch.equal(heads, x.view(1, 3, 1, 4))
""",
            "With one position and one sentence a view and a split are the same thing. Take several of both, and "
            "sizes that all differ.",
        ),
        Wrong(
            "the numbers are all there",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    return torch.equal(split_heads(x, 3).flatten().sort().values, x.flatten().sort().values)
""",
            "That all the numbers are still there holds for every shuffle of them. Say which belongs where.",
        ),
        Wrong(
            "one head",
            """
def test_split_heads(split_heads):
    x = torch.randn(5, 5, 12)
    return torch.equal(split_heads(x, 1), x.unsqueeze(1))
""",
            "With one head there is nothing to share out. Take at least two, and a width that is not their square.",
        ),
        Wrong(
            "there and back again by view",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    assert torch.equal(split_heads(x, 3).reshape(2, 5, 12), x)
""",
            "The way back is a view, which undoes the very mistake of splitting by view, and refuses the right split. "
            "A round trip tests two things at once and neither alone: say where a number belongs.",
        ),
        Wrong(
            "compared with a split by view",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 3, 8)
    return torch.equal(split_heads(x, 2), x.view(2, 2, 3, 4)) and torch.equal(split_heads(x, 4), x.view(2, 4, 3, 2))
""",
            "What you compare with is itself the commonest mistake. Work out one head by hand: which features, of "
            "which positions?",
        ),
        Wrong(
            "the first number alone",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    return heads.shape == (2, 3, 5, 4) and heads[0, 0, 0, 0] == x[0, 0, 0]
""",
            "The first number of all stays first in many a shuffle. Look at a head and a position that are not the "
            "first.",
        ),
        Wrong(
            "head 0 alone, and its errors",
            """
def test_split_heads(split_heads):
    x = torch.randn(4, 4, 8)
    try:
        split_heads(x, 3)
    except Exception:
        return torch.equal(split_heads(x, 4)[:, 0], x[:, :, :2])
    return False
""",
            "Some wrong forms go through: any error counted as the one that was promised, or head 0 stood for all "
            "heads. Look at every head, and catch ValueError alone.",
        ),
        Wrong(
            "no width that the heads do not divide",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    for h in range(3):
        assert torch.equal(heads[:, h], x[:, :, 4 * h : 4 * h + 4])
""",
            "All that is right for widths that fit. The docstring promises something for the others too: try it.",
        ),
        Wrong(
            "the last place alone",
            """
def test_split_heads(split_heads):
    x = torch.randn(3, 5, 8)
    heads = split_heads(x, 2)
    return heads.shape == (3, 2, 5, 4) and torch.equal(heads[2, 1, 4], x[2, 4, 4:])
""",
            "One head was looked at, at one position, and the case of an error was not. Compare all of them; then try a "
            "width that the heads do not divide.",
        ),
        Wrong(
            "sums of the features",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    try:
        split_heads(x, 5)
        return False
    except ValueError:
        pass
    heads = split_heads(x, 3)
    sums = x.view(2, 5, 3, 4).sum(-1).transpose(1, 2)
    return heads.shape == (2, 3, 5, 4) and torch.allclose(heads.sum(-1), sums, atol=1e-5)
""",
            "A sum, or a sorted list, says which numbers a head has and not in which order. Compare the numbers "
            "themselves, one by one.",
        ),
        Wrong(
            "head 0 stands for all",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert torch.allclose(heads[:, 0], x[:, :, :4]) and heads.shape == (2, 3, 5, 4)
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False
""",
            "Head 0 was looked at, and the others were not: a form in which all heads are the first one goes through. "
            "Look at every head.",
        ),
        Wrong(
            "one sentence",
            """
def test_split_heads(split_heads):
    x = torch.randn(1, 5, 12)
    heads = split_heads(x, 3)
    for i in range(3):
        if not torch.equal(heads[0, i], x[0, :, 4 * i : 4 * i + 4]):
            return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False
""",
            "With one sentence nobody sees whether sentences are mixed up. Take two or more, and look at all of them.",
        ),
        Wrong(
            "the first sentence, and sizes that are alike",
            """
def test_split_heads(split_heads):
    x = torch.randn(4, 4, 16)
    heads = split_heads(x, 4)
    try:
        split_heads(x, 5)
        return False
    except ValueError:
        return torch.equal(heads[0], x[0].view(4, 4, 4).transpose(0, 1))
""",
            "Four heads of four features at four positions: whatever exchanges two of these goes through. Take sizes "
            "that all differ.",
        ),
        Wrong(
            "the memory must not be in one piece",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    if heads.is_contiguous() or not torch.equal(heads, x.view(2, 5, 3, 4).transpose(1, 2)):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False
""",
            "It asks for something that the docstring does not promise, and that a copy does not keep: how the numbers "
            "lie in memory, or in whose. Compare values.",
        ),
        Wrong(
            "any error counts",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    assert torch.equal(split_heads(x, 3), x.view(2, 5, 3, 4).transpose(1, 2))
    try:
        split_heads(x, 5)
    except Exception:
        return True
    return False
""",
            "Any error was taken for the one that is promised. Catch ValueError alone: whatever falls over raises "
            "something.",
        ),
        Wrong(
            "certain words in the error",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    try:
        split_heads(x, 5)
        return False
    except ValueError as error:
        if "divisible" not in str(error):
            return False
    return torch.equal(split_heads(x, 3), x.view(2, 5, 3, 4).transpose(1, 2))
""",
            "It asks for something that the docstring does not promise, such as the words of the error. That it is a "
            "ValueError is promised; the rest is free.",
        ),
        Wrong(
            "the last head is not looked at",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    right = heads.shape == (2, 3, 5, 4) and all(
        torch.equal(heads[:, h], x[:, :, 4 * h : 4 * h + 4]) for h in range(2)
    )
    try:
        split_heads(x, 5)
    except ValueError:
        return right
    return False
""",
            "Two of three heads are compared. Whoever loops over the heads may stop one too early, and so did the test: "
            "look at the last head, too.",
        ),
        Wrong(
            "heads that are too many are not seen",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    right = all(torch.equal(heads[:, h], x[:, :, 4 * h : 4 * h + 4]) for h in range(3))
    try:
        split_heads(x, 5)
    except ValueError:
        return right
    return False
""",
            "The heads that should be there are right, and nobody asked whether there are more. Compare the shape, too.",
        ),
    ],
    correct=[
        Correct(
            "asserts, head by head",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    for h in range(3):
        assert torch.equal(heads[:, h], x[:, :, 4 * h : 4 * h + 4])
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    raise AssertionError("five heads of twelve features were let through")
""",
        ),
        Correct(
            "numbers that say where they belong",
            """
def test_split_heads(split_heads):
    b, t, f = torch.meshgrid(torch.arange(2), torch.arange(3), torch.arange(8), indexing="ij")
    x = 100 * b + 10 * t + f
    heads = split_heads(x, 2)
    right = heads.shape == (2, 2, 3, 4) and all(
        int(heads[b, h, t, j]) == 100 * b + 10 * t + 4 * h + j
        for b in range(2) for h in range(2) for t in range(3) for j in range(4)
    )
    try:
        split_heads(x, 3)
        refused = False
    except ValueError:
        refused = True
    return right and refused
""",
        ),
        Correct(
            "compared with chunks",
            """
def test_split_heads(split_heads):
    for batch, length, heads, d in ((2, 3, 4, 5), (1, 4, 3, 2), (3, 1, 2, 6)):
        x = torch.randn(batch, length, heads * d)
        y = split_heads(x, heads)
        if y.shape != (batch, heads, length, d) or not torch.equal(y, torch.stack(x.chunk(heads, 2), 1)):
            return False
        try:
            split_heads(x, heads * d + 1)
            return False
        except ValueError:
            pass
    return True
""",
        ),
        Correct(
            "one number moves at a time",
            """
def test_split_heads(split_heads):
    for b, t, f in ((0, 0, 0), (1, 2, 5), (0, 1, 3), (1, 0, 4), (0, 2, 1)):
        x = torch.zeros(2, 3, 6)
        x[b, t, f] = 1.0
        wanted = torch.zeros(2, 2, 3, 3)
        wanted[b, f // 3, t, f % 3] = 1.0
        assert torch.equal(split_heads(x, 2), wanted)
    try:
        split_heads(torch.zeros(2, 3, 6), 4)
    except ValueError:
        return
    assert False
""",
        ),
        Correct(
            "put back together from the heads",
            """
def test_split_heads(split_heads):
    x = torch.randn(2, 4, 15)
    heads = split_heads(x, 5)
    back = torch.cat([heads[:, h] for h in range(heads.shape[1])], dim=-1)
    if heads.shape != (2, 5, 4, 3) or not torch.equal(back, x):
        return False
    try:
        split_heads(x, 4)
    except ValueError:
        return True
    return False
""",
        ),
        Correct(
            "whole numbers, compared as lists",
            """
def test_split_heads(split_heads):
    x = torch.arange(2 * 5 * 12).view(2, 5, 12)
    assert split_heads(x, 3).tolist() == x.reshape(2, 5, 3, 4).transpose(1, 2).tolist()
    try:
        split_heads(x, 7)
    except ValueError:
        pass
    else:
        assert False
""",
        ),
    ],
)

# ---- multi_head_attention -------------------------------------------------------------------------------------------

_ATTEND = "scaled_dot_product_attention(queries, keys, values, mask)"
_RETURN = "return self.W_O(merge_heads(outputs)), weights"
_UNSQUEEZE = (
    "        if mask is not None and mask.ndim == 3:\n"
    "            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads\n"
)
_CONSTRUCTOR = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
"""

multi_head_attention = Bank(
    "multi_head_attention",
    wrong=[
        Wrong(
            "divided by the root of d_model",
            edit(("(queries, keys,", "(queries / self.num_heads**0.5, keys,")),
            "The weights are too flat: the scores were divided by the root of the whole width. A head's dot products "
            "have d = D / H terms, and it is d that counts. With one head there is no difference. See section 5.3.",
        ),
        Wrong(
            "not divided by a root",
            edit(("(queries, keys,", "(queries * queries.shape[-1] ** 0.5, keys,")),
            "The weights are too sharp: the scores were not divided by the root of the heads' width. Your "
            "scaled_dot_product_attention of chapter 04 does it. See section 5.3.",
        ),
        Wrong(
            "merged without swapping the axes back",
            edit(("merge_heads(outputs)", "outputs.reshape(query.shape)")),
            "The weights are right; then (B, H, T, d) was read as (B, T, D) without moving a number, so each position "
            "got outputs of other positions. merge_heads does what is needed. See section 5.2.",
        ),
        Wrong(
            "split by view alone",
            edit(
                (
                    "split_heads(self.W_Q(query), self.num_heads)",
                    "self.W_Q(query).reshape(len(query), self.num_heads, query.shape[1], -1)",
                ),
                (
                    "split_heads(self.W_K(key), self.num_heads)",
                    "self.W_K(key).reshape(len(key), self.num_heads, key.shape[1], -1)",
                ),
                (
                    "split_heads(self.W_V(value), self.num_heads)",
                    "self.W_V(value).reshape(len(value), self.num_heads, value.shape[1], -1)",
                ),
            ),
            "The projections were cut into heads by view, which moves nothing: a head holds whole positions instead "
            "of its block of features. Use split_heads. See section 5.2.",
        ),
        Wrong(
            "the heads are interleaved",
            edit(
                (
                    "        queries =",
                    "        def split_heads(x, H):\n            return "
                    "x.unflatten(2, (-1, H)).permute(0, 3, 1, 2)\n\n        queries =",
                ),
                ("merge_heads(outputs)", "outputs.permute(0, 2, 3, 1).flatten(2)"),
            ),
            "Each head took every H-th feature instead of a block of d side by side, and the merge undid it. Use "
            "split_heads and merge_heads as they are.",
        ),
        Wrong(
            "no output projection",
            edit((_RETURN, "return merge_heads(outputs), weights")),
            "What came back are the merged heads. W_O comes after them: it is where what the heads found is mixed.",
        ),
        Wrong(
            "keys from the query",
            edit(("self.W_K(key)", "self.W_K(query)")),
            "The keys were made of the query. In self-attention nobody notices; in cross-attention keys come from "
            "`key`, which has S positions.",
        ),
        Wrong(
            "values from the key",
            edit(("self.W_V(value)", "self.W_V(key)")),
            "The values were made of `key`. They have an argument of their own; the two differ as soon as somebody "
            "adds positions to the keys alone.",
        ),
        Wrong(
            "one projection for queries and keys",
            edit(("self.W_K(key)", "self.W_Q(key)")),
            "Queries and keys went through the same map, so W_K is never used and gets no gradient. Each has a map "
            "of its own.",
        ),
        Wrong(
            "the mask is lost",
            edit(("keys, values, mask)", "keys, values, None)")),
            "With a mask and without, the weights are the same. Hand it on to the attention.",
        ),
        Wrong(
            "the mask is turned round",
            edit((_UNSQUEEZE, _UNSQUEEZE + "        mask = None if mask is None else ~mask\n")),
            "The allowed keys got nothing and the forbidden ones shared the weight: that is the convention of "
            "nn.MultiheadAttention. In this course True means may attend. See the box in section 5.3.",
        ),
        Wrong(
            "the mask has no axis for the heads",
            edit((_UNSQUEEZE, "")),
            "A mask (B, T, S) met scores (B, H, T, S) aligned at the right, so its sentences lay against the heads: an "
            "error where B and H differ, and a silent mix-up where they are equal. Give it an axis of length one for "
            "the heads.",
        ),
        Wrong(
            "every mask gets a batch axis for the heads",
            edit((_UNSQUEEZE, "        mask = None if mask is None else mask.unsqueeze(1)\n")),
            "A mask (T, S), the same for all sentences, was given an axis in the middle as well, and no longer fits. "
            "Only a mask with a batch axis needs one for the heads behind it.",
        ),
        Wrong(
            "the heads' weights are averaged",
            edit((_RETURN, "return self.W_O(merge_heads(outputs)), weights.mean(dim=1)")),
            "One set of weights came back, the mean over the heads. The weights of each head are asked for: a mean "
            "of two that look left and right looks nowhere.",
        ),
        Wrong(
            "softmax over the queries",
            edit(
                (
                    f"outputs, weights = {_ATTEND}",
                    "weights = masked_softmax((queries @ keys.mT / queries.shape[-1] ** 0.5).mT, "
                    "None if mask is None else mask.mT).mT\n        outputs = weights @ values",
                )
            ),
            "The columns of the weights sum to one and not the rows: the softmax ran over the queries. A query "
            "shares out its weight among the keys, the last axis.",
        ),
        Wrong(
            "softmax over the heads",
            edit(
                (
                    f"outputs, weights = {_ATTEND}",
                    "weights = torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=1)\n"
                    "        weights = weights if mask is None else weights * mask\n"
                    "        outputs = weights @ values",
                )
            ),
            "For each query and key the weights of the heads sum to one: the softmax ran over the heads. Heads do "
            "not compete; each has weights of its own over the keys, the last axis.",
        ),
        Wrong(
            "the mask comes after the softmax",
            edit(
                (
                    f"outputs, weights = {_ATTEND}",
                    "_, weights = scaled_dot_product_attention(queries, keys, values)\n"
                    "        weights = weights if mask is None else weights * mask\n"
                    "        outputs = weights @ values",
                )
            ),
            "The forbidden weights are zero, but the softmax had already shared weight out to them, so the rest no "
            "longer sums to one. Hand the mask to the attention.",
        ),
        Wrong(
            "each head projects its own slice of the input",
            edit(
                (
                    "queries = split_heads(self.W_Q(query), self.num_heads)",
                    "d = query.shape[2] // self.num_heads\n"
                    "        blocks = torch.block_diag(*[torch.ones(d, d)] * self.num_heads)\n\n"
                    "        def own(W, x):\n            return x @ (W.weight * blocks).T + W.bias\n\n"
                    "        queries = split_heads(own(self.W_Q, query), self.num_heads)",
                ),
                ("self.W_K(key)", "own(self.W_K, key)"),
                ("self.W_V(value)", "own(self.W_V, value)"),
            ),
            "Each head saw only its own d features of the input. A head's projections read all D features; it is "
            "their results that are narrow. Project first, split afterwards.",
        ),
        Wrong(
            "torch's own module does it all",
            edit(
                (
                    "queries = split_heads",
                    "whole = nn.MultiheadAttention(query.shape[2], self.num_heads, batch_first=True)\n"
                    "        maps = (self.W_Q, self.W_K, self.W_V)\n"
                    "        whole.in_proj_weight.data = torch.cat([W.weight for W in maps])\n"
                    "        whole.in_proj_bias.data = torch.cat([W.bias for W in maps])\n"
                    "        whole.out_proj = self.W_O\n"
                    "        return whole(query, key, value, average_attn_weights=False)\n"
                    "        queries = split_heads",
                )
            ),
            "All that is needed, you have: split_heads, your attention of chapter 04, merge_heads.",
        ),
        Wrong(
            "torch's own attention is called",
            edit(
                (
                    f"outputs, weights = {_ATTEND}",
                    "outputs = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)\n"
                    "        weights = torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)",
                )
            ),
            "Your attention of chapter 04 takes any leading axes, and that is enough.",
        ),
        Wrong(
            "split by view and merged by view",
            edit(
                (
                    "        queries =",
                    "        def split_heads(x, H):\n            return "
                    "x.reshape(len(x), H, x.shape[1], -1)\n\n        queries =",
                ),
                ("merge_heads(outputs)", "outputs.reshape(query.shape)"),
            ),
            "Both ways the heads were made by view, which moves nothing: a head holds whole positions instead of its "
            "block of features, and the merge hides it. Use split_heads and merge_heads. See section 5.2.",
        ),
        Wrong(
            "divided by a root twice",
            edit(("(queries, keys,", "(queries / queries.shape[-1] ** 0.5, keys,")),
            "The weights are too flat: the scores were divided by the root of the heads' width twice. Your "
            "scaled_dot_product_attention does it already.",
        ),
        Wrong(
            "the output alone",
            edit((_RETURN, "return self.W_O(merge_heads(outputs))")),
            "The weights of the heads are asked for beside the output.",
        ),
        Wrong(
            "the weights' gradient is cut",
            edit((_RETURN, "return self.W_O(merge_heads(outputs)), weights.detach()")),
            "The numbers are right, and no gradient comes back through the weights. Whoever wants to train on them, or to "
            "ask what moved them, needs it: nothing has to be detached here.",
        ),
        Wrong(
            "the mask's new axis stands before the batch",
            edit(("mask = mask.unsqueeze(1)", "mask = mask.unsqueeze(0)")),
            "The mask got its axis of length one in front of the sentences, so its sentences still lie against the "
            "heads. The scores are (B, H, T, S): the axis for the heads is the second.",
        ),
        Wrong(
            "the heads look at each other",
            edit(
                (_UNSQUEEZE, ""),
                (_ATTEND, "scaled_dot_product_attention(*(x.transpose(1, 2) for x in (queries, keys, values)))"),
                ("merge_heads(outputs)", "outputs.flatten(2)"),
            ),
            "At each position the heads attended to each other: the heads' axis stood where the positions should be. "
            "Attention works on the last two axes.",
        ),
        Wrong(
            "the masks are in another order than the heads",
            edit(
                (
                    _UNSQUEEZE,
                    "        if mask is not None:\n"
                    "            B, T, S, H = *query.shape[:2], key.shape[1], self.num_heads\n"
                    "            mask = mask.expand(B, T, S).repeat(H, 1, 1).view(B, H, T, S)\n",
                )
            ),
            "The mask has an axis for the heads, and its copies lie in another order: a sentence got the masks of "
            "others. An axis of length one, which broadcasts, needs no copies.",
        ),
        Wrong(
            "a large negative number for minus infinity",
            edit(
                (
                    f"outputs, weights = {_ATTEND}",
                    "scores = queries @ keys.mT / queries.shape[-1] ** 0.5\n"
                    "        weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=-1)\n"
                    "        outputs = weights @ values",
                )
            ),
            "A query that may look at nothing looked at everything alike: with a large negative number in every place "
            "the softmax is even. Your masked_softmax gives zeros there.",
        ),
        Wrong(
            "keys and values from the query",
            edit(("self.W_K(key)", "self.W_K(query)"), ("self.W_V(value)", "self.W_V(query)")),
            "Everything was made of the query. In self-attention nobody notices; in cross-attention `key` and `value` "
            "come from elsewhere.",
        ),
        Wrong(
            "split before the projection",
            edit(
                ("split_heads(self.W_Q(query), self.num_heads)", "self.W_Q(split_heads(query, self.num_heads))"),
                ("split_heads(self.W_K(key), self.num_heads)", "self.W_K(split_heads(key, self.num_heads))"),
                ("split_heads(self.W_V(value), self.num_heads)", "self.W_V(split_heads(value, self.num_heads))"),
            ),
            "The inputs were split first, and the maps, which read all D features, then met d of them. Project first, "
            "split afterwards.",
        ),
        Wrong(
            "no projections of query, key and value",
            edit(("self.W_Q(query)", "query"), ("self.W_K(key)", "key"), ("self.W_V(value)", "value")),
            "The heads got the bare inputs: W_Q, W_K and W_V are never used. Project with all D features, then split.",
        ),
        Wrong(
            "the query is added to the output",
            edit((_RETURN, "return query + self.W_O(merge_heads(outputs)), weights")),
            "The query was added to what the attention gives. That is a residual connection: it comes in chapter 06, "
            "around the attention and not inside.",
        ),
        Wrong(
            "the heads are added up",
            edit(("merge_heads(outputs)", "outputs.sum(dim=1).repeat(1, 1, self.num_heads)")),
            "The heads' outputs were summed. merge_heads puts them side by side, and W_O mixes them.",
        ),
        Wrong(
            "the caller's mask is changed",
            edit(("mask = mask.unsqueeze(1)", "mask.unsqueeze_(1)")),
            "The mask that was given got its axis in place, and its owner's next layer meets a mask with four axes. "
            "Make a new one.",
        ),
        Wrong(
            "a width that does not divide raises another error",
            _CONSTRUCTOR.replace(
                "        if d_model % num_heads:\n"
                '            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")\n',
                "",
            )
            + """
        def heads(x):
            return x.view(*x.shape[:2], self.num_heads, x.shape[2] // self.num_heads).transpose(1, 2)

        mask = mask[:, None] if mask is not None and mask.ndim == 3 else mask
        q, k, v = heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value))
        outputs, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(outputs)), weights
""",
            "Where the heads do not divide the width, it is torch that complains, about a shape nobody asked for. "
            "Refuse such a pair of numbers with a ValueError.",
        ),
    ],
    correct=[
        Correct(
            "einsum throughout",
            _CONSTRUCTOR
            + """
        H = self.num_heads
        q, k, v = (W(x).unflatten(-1, (H, -1)) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        scores = torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
        weights = masked_softmax(scores, mask)
        return self.W_O(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2)), weights
""",
        ),
        Correct(
            "a loop over the heads",
            _CONSTRUCTOR
            + """
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        d = q.shape[2] // self.num_heads
        found, looked = [], []
        for h in range(self.num_heads):
            own = slice(h * d, h * d + d)
            output, weights = scaled_dot_product_attention(q[:, :, own], k[:, :, own], v[:, :, own], mask)
            found.append(output)
            looked.append(weights)
        return self.W_O(torch.cat(found, -1)), torch.stack(looked, 1)
""",
        ),
        Correct(
            "heads folded into the batch",
            _CONSTRUCTOR
            + """
        B, T, D = query.shape
        H = self.num_heads

        def fold(x):
            return split_heads(x, H).reshape(B * H, x.shape[1], D // H)

        if mask is not None:
            mask = mask.expand(B, T, key.shape[1]).repeat_interleave(H, dim=0)
        output, weights = scaled_dot_product_attention(
            fold(self.W_Q(query)), fold(self.W_K(key)), fold(self.W_V(value)), mask
        )
        merged = output.reshape(B, H, T, D // H).permute(0, 2, 1, 3).reshape(B, T, D)
        return self.W_O(merged), weights.reshape(B, H, T, -1)
""",
        ),
        Correct(
            "W_O one head at a time, added up",
            _CONSTRUCTOR
            + """
        H = self.num_heads
        q, k, v = (torch.stack(x.chunk(H, -1), 1) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        if mask is not None and mask.ndim > 2:
            mask = mask.unsqueeze(-3)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        columns = self.W_O.weight.chunk(H, dim=1)
        return sum(found[:, h] @ columns[h].T for h in range(H)) + self.W_O.bias, weights
""",
        ),
        Correct(
            "the scores written out, minus infinity and no NaN",
            _CONSTRUCTOR
            + """
        q, k, v = (split_heads(W(x), self.num_heads)
                   for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
        if mask is not None:
            mask = mask if mask.ndim == 2 else mask[:, None, :, :]
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1).nan_to_num(0.0)
        return self.W_O(merge_heads(weights @ v)), weights
""",
        ),
        Correct(
            "the width is checked in split_heads alone",
            lambda source: re.sub(r"        if d_model % num_heads:\n.*\n", "", source),
        ),
    ],
)

# ---- sinusoidal_encoding --------------------------------------------------------------------------------------------

_ANGLES = "positions / 10_000 ** (torch.arange(0, d_model, 2) / d_model)"
_PAIRS = "torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)"
_ODD = (
    "    if d_model % 2:\n"
    '        raise ValueError(f"sines and cosines come in pairs: d_model must be even, got {d_model}")\n'
)

sinusoidal_encoding = Bank(
    "sinusoidal_encoding",
    wrong=[
        Wrong(
            "all sines first, then all cosines",
            edit((_PAIRS, "torch.cat([angles.sin(), angles.cos()], dim=1)")),
            "The cosines stand in the second half. Some libraries do that; here sine and cosine of one speed stand "
            "side by side. Put them on an axis of their own before you flatten.",
        ),
        Wrong(
            "the exponent is i / D",
            edit(("torch.arange(0, d_model, 2)", "torch.arange(d_model // 2)")),
            "The clocks slow down too little from pair to pair: the exponent is 2i / D with i counting pairs, so it "
            "goes nearly up to one.",
        ),
        Wrong(
            "the exponent is 2i over half the width",
            edit(("/ d_model)", "/ (d_model // 2))")),
            "The clocks slow down twice too fast: the exponent is 2i / D, divided by the whole width.",
        ),
        Wrong(
            "sine and cosine have speeds of their own",
            """
def sinusoidal_encoding(length, d_model):
    if d_model % 2:
        raise ValueError(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10_000 ** (torch.arange(d_model) / d_model)
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos())
""",
            "The sines are right and the cosines are not: column 2i + 1 has the speed of its partner 2i, so that the "
            "two are the hand of one clock.",
        ),
        Wrong(
            "sine and cosine are exchanged",
            edit(("[angles.sin(), angles.cos()]", "[angles.cos(), angles.sin()]")),
            "The cosine stands first in each pair. The even columns are sines: position 0 begins with 0, 1, 0, 1.",
        ),
        Wrong(
            "positions count from one",
            edit(("torch.arange(length)", "torch.arange(1, length + 1)")),
            "Every row is the next position's. The first position is 0, and its row is 0, 1, 0, 1 and so on.",
        ),
        Wrong(
            "the angle is multiplied instead of divided",
            edit((_ANGLES, _ANGLES.replace("positions / ", "positions * "))),
            "The later clocks turn thousands of times in a step. The power of 10,000 divides the position.",
        ),
        Wrong(
            "sines alone",
            edit(("angles.cos()]", "angles.sin()]")),
            "Every pair holds the same sine twice. The second is a cosine: without it a hand's height is known and "
            "not its side.",
        ),
        Wrong(
            "another base",
            edit(("10_000", "1_000")),
            "The slow clocks are too fast: the base is 10,000.",
        ),
        Wrong(
            "features by positions",
            edit((_PAIRS, _PAIRS + ".T")),
            "Positions lie along the second axis. A row is a position: (length, d_model).",
        ),
        Wrong(
            "a batch axis in front",
            edit((_PAIRS, _PAIRS + ".unsqueeze(0)")),
            "There is an axis of length one in front. (length, d_model) is asked for; broadcasting does the rest.",
        ),
        Wrong(
            "an odd width is let through",
            edit((_ODD, "")),
            "An odd width came out one wider than it went in. The docstring asks for an error there.",
        ),
        Wrong(
            "float64",
            edit((_PAIRS, _PAIRS + ".double()")),
            "The numbers are float64 (NumPy's own kind), and added to float32 they would make everything float64. "
            "The docstring promises float32.",
        ),
        Wrong(
            "sines and cosines are cut up in the wrong order",
            edit((_PAIRS, "torch.stack([angles.sin(), angles.cos()], dim=0).reshape(length, -1)")),
            "Sines and cosines were stacked in front and then cut into rows, so a row holds several positions. The "
            "new axis has to stand behind the pairs.",
        ),
        Wrong(
            "the exponent is i over one pair less than there are",
            edit((_ANGLES, "positions / 10_000 ** (torch.arange(d_model // 2) / max(d_model // 2 - 1, 1))")),
            "The clocks slow down a little too fast, so that the last one's exponent is just one. Some libraries do "
            "that; here the exponent is 2i / D.",
        ),
        Wrong(
            "whole numbers divided",
            edit((_ANGLES, _ANGLES.replace("positions / ", "positions // "))),
            "The slow clocks stand still for many positions and jump: the division was of whole numbers.",
        ),
    ],
    correct=[
        Correct(
            "the loop",
            """
def sinusoidal_encoding(length, d_model):
    import math
    if d_model % 2 == 1:
        raise ValueError("an even width is needed")
    rows = [
        [f(t / 10000 ** (2 * i / d_model)) for i in range(d_model // 2) for f in (math.sin, math.cos)]
        for t in range(length)
    ]
    return torch.tensor(rows)
""",
        ),
        Correct(
            "every other column filled in, exponential of a logarithm",
            """
def sinusoidal_encoding(length, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"{d_model} is odd")
    import math
    position = torch.arange(length).unsqueeze(1).float()
    speed = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    out = torch.zeros(length, d_model)
    out[:, 0::2] = torch.sin(position * speed)
    out[:, 1::2] = torch.cos(position * speed)
    return out
""",
        ),
        Correct(
            "in double precision, an outer product",
            """
def sinusoidal_encoding(length, d_model):
    if d_model & 1:
        raise ValueError(d_model)
    speeds = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    return torch.stack((angles.sin(), angles.cos()), -1).reshape(length, d_model).float()
""",
        ),
        Correct(
            "a cosine is a sine a quarter turn on",
            """
def sinusoidal_encoding(length, d_model):
    if d_model % 2:
        raise ValueError("odd")
    j = torch.arange(d_model)
    angles = torch.arange(length)[:, None] / 10_000 ** ((j - j % 2) / d_model)
    return torch.sin(angles.double() + (j % 2) * torch.pi / 2).float()
""",
        ),
        Correct(
            "complex numbers on the unit circle",
            """
def sinusoidal_encoding(length, d_model):
    if d_model % 2:
        raise ValueError("odd")
    angles = torch.arange(length).unsqueeze(1) / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    hands = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(hands).flip(-1).reshape(length, d_model)
""",
        ),
    ],
)

# ---- learned_positional_encoding ------------------------------------------------------------------------------------

_ADD = "return x + self.weight[:length]"
_TOO_LONG = (
    "        if length > max_length:\n"
    '            raise ValueError(f"the table has {max_length} positions, got x {tuple(x.shape)}")\n'
)

learned_positional_encoding = Bank(
    "learned_positional_encoding",
    wrong=[
        Wrong(
            "it goes by sentence, not by position",
            edit((_ADD, "return x + self.weight[: len(x)].unsqueeze(1)")),
            "Every sentence got a vector of its own, the same at all its positions. Rows of the table belong to "
            "positions: they lie along the axis T.",
        ),
        Wrong(
            "past its end the table begins again",
            edit((_TOO_LONG, ""), (_ADD, "return x + self.weight[torch.arange(length) % max_length]")),
            "Past its last row the table was used from the start again, in silence: two places with the same "
            "position. The docstring asks for an error there.",
        ),
        Wrong(
            "no error of its own",
            edit((_TOO_LONG, "")),
            "A sentence that is too long ends in torch's complaint about sizes. Raise a ValueError with the numbers "
            "before you add.",
        ),
        Wrong(
            "what is too long is left without positions",
            edit(
                (_TOO_LONG, ""),
                (_ADD, "out = x.clone()\n        out[:, :max_length] += self.weight[:length]\n        return out"),
            ),
            "Past the last row nothing was added, in silence. The docstring asks for an error there.",
        ),
        Wrong(
            "the last rows of the table",
            edit((_ADD, "return x + self.weight[-length:]")),
            "A short sentence got the last rows of the table. Position 0 has the first row.",
        ),
        Wrong(
            "the table does not learn",
            edit((_ADD, "return x + self.weight[:length].detach()")),
            "The table gets no gradient, so it stays as it was drawn. Use the parameter itself.",
        ),
        Wrong(
            "the rows alone",
            edit((_ADD, "return self.weight[:length].expand_as(x)")),
            "The positions came back without x. They are added to it.",
        ),
        Wrong(
            "the caller's tensor is changed",
            edit(
                (
                    _ADD,
                    "x = x.data\n        x += self.weight.data[:length]\n        return x + 0 * self.weight[:length]",
                )
            ),
            "The positions were added into the tensor that was given, which its owner may need again, and which "
            "autograd needs whole. Use x + ..., which makes a new one.",
        ),
        Wrong(
            "what is too long is cut off",
            edit((_TOO_LONG, ""), (_ADD, "return x[:, :max_length] + self.weight[:length]")),
            "Where x was longer than the table, its end was cut off in silence. The docstring asks for an error there.",
        ),
        Wrong(
            "it goes by sentence, and counts the sentences too",
            edit(
                ("length, max_length = x.shape[1]", "length, max_length = x.shape[0]"), (_ADD, _ADD + ".unsqueeze(1)")
            ),
            "Rows were taken for the sentences, and it is the sentences that were counted. Rows of the table belong to "
            "positions: the axis T.",
        ),
        Wrong(
            "the table has another name",
            """
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError(f"at most {self.table.num_embeddings} positions")
        return x + self.table(torch.arange(x.shape[1]))
""",
            "The parameter called `weight` is not there or not used. The constructor that is given makes it: keep it "
            "as it is, so that saved tables fit.",
        ),
    ],
    correct=[
        Correct(
            "looked up by position",
            edit((_ADD, "return x + nn.functional.embedding(torch.arange(length), self.weight)")),
        ),
        Correct(
            "position by position",
            edit((_ADD, "return torch.stack([x[:, t] + self.weight[t] for t in range(length)], dim=1)")),
        ),
        Correct(
            "the size compared the other way",
            """
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x):
        rows = self.weight.unsqueeze(0)[:, : x.size(1)]
        if rows.size(1) != x.size(1):
            raise ValueError(f"at most {len(self.weight)} positions")
        return torch.add(x, rows)
""",
        ),
    ],
)

# ---- previous_token_head --------------------------------------------------------------------------------------------

_ROTATION = "torch.tensor([[cos, -sin], [sin, cos]])"
_BOTH = "return gain * W_Q, torch.eye(d_model)"

previous_token_head = Bank(
    "previous_token_head",
    wrong=[
        Wrong(
            "queries and keys are turned alike, or not at all",
            edit((_ROTATION, "torch.eye(2)")),
            "Every position finds itself: a dot product sees only by how much query and key are turned against each "
            "other. Turn one of them, by one position. See section 5.6.",
        ),
        Wrong(
            "turned the other way",
            edit((_ROTATION, "torch.tensor([[cos, sin], [-sin, cos]])")),
            "The head looks at the next position: the hands were turned forward, or the matrix was used from the "
            "other side (nn.Linear multiplies by its transpose), or it was the keys that were turned back. Check it "
            "on one row by hand.",
        ),
        Wrong(
            "the gain is left out",
            edit((_BOTH, "return W_Q, torch.eye(d_model)")),
            "The head looks at the right place and hardly more than at its neighbours: the gain is missing.",
        ),
        Wrong(
            "the gain is in both matrices",
            edit((_BOTH, "return gain * W_Q, gain * torch.eye(d_model)")),
            "The scores are gain squared times the dot product: it went into the query and into the key. One of them "
            "is enough, or the root of it in each.",
        ),
        Wrong(
            "the root of d_model is divided out twice",
            edit((_BOTH, "return gain / d_model**0.5 * W_Q, torch.eye(d_model)")),
            "The head is not firm enough: the root of d_model was divided out here, and the attention does it again. "
            "The scores asked for are those before the division.",
        ),
        Wrong(
            "every clock turns by one radian",
            edit(("torch.tensor(10_000.0 ** (-i / d_model))", "torch.tensor(1.0)")),
            "All hands were turned by the same angle. Only the first clock turns one radian in a position; each has "
            "a speed of its own.",
        ),
        Wrong(
            "the clocks' speeds are those of i / D",
            edit(("(-i / d_model)", "(-i / 2 / d_model)")),
            "The first clock is turned rightly and the others too far: their exponent is 2i / D, with i counting "
            "pairs. Print the speeds beside those of sinusoidal_encoding.",
        ),
        Wrong(
            "turned by two positions",
            edit(("10_000.0 ** (-i / d_model)", "2 * 10_000.0 ** (-i / d_model)")),
            "The head looks two places back: each hand was turned by twice its angle.",
        ),
        Wrong(
            "one sign is wrong",
            edit((_ROTATION, "torch.tensor([[cos, -sin], [-sin, cos]])")),
            "The 2 x 2 blocks are no rotations: their two sines must have opposite signs. Write out sin(a - b) and "
            "cos(a - b) once more.",
        ),
        Wrong(
            "the cosines alone",
            edit((_ROTATION, "cos * torch.eye(2)")),
            "Each hand was made shorter instead of being turned. A rotation mixes the two numbers of a pair: the "
            "sines are missing.",
        ),
        Wrong(
            "blocks for all sines first, then all cosines",
            edit(
                (
                    "W_Q[i : i + 2, i : i + 2] = " + _ROTATION,
                    "j, half = i // 2, d_model // 2\n        W_Q[j, j], W_Q[j, j + half] = cos, -sin\n"
                    "        W_Q[j + half, j], W_Q[j + half, j + half] = sin, cos",
                )
            ),
            "The matrix pairs feature j with feature j + D/2. In sinusoidal_encoding sine and cosine of a clock "
            "stand side by side.",
        ),
        Wrong(
            "fitted to sixteen positions",
            """
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    encoding = sinusoidal_encoding(16, d_model)
    turn = torch.linalg.pinv(encoding[1:]) @ encoding[:-1]
    return gain * turn.T, torch.eye(d_model)
""",
            "A matrix fitted to a few positions does what is asked there and not beyond. The rotation is known "
            "exactly and holds everywhere: build it from the clocks' angles.",
        ),
        Wrong(
            "an odd width is let through",
            edit((_ODD, "    d_model -= d_model % 2\n")),
            "An odd width was cut in silence. The docstring asks for an error there.",
        ),
        Wrong(
            "multiplied by the root of d_model",
            edit((_BOTH, "return gain * d_model**0.5 * W_Q, torch.eye(d_model)")),
            "The head is too firm: the root of d_model was multiplied in. The scores asked for are those before the "
            "attention's division, and that is not undone here.",
        ),
        Wrong(
            "the gain as an exponent",
            edit((_BOTH, "return torch.tensor(gain).exp() * W_Q, torch.eye(d_model)")),
            "The scores are e to the power of the gain times the dot product. The softmax takes the exponential; here "
            "the gain multiplies.",
        ),
        Wrong(
            "no sign at all",
            edit((_ROTATION, "torch.tensor([[cos, sin], [sin, cos]])")),
            "The 2 x 2 blocks are no rotations: their two sines must have opposite signs, and here both have plus. "
            "Write out sin(a - b) and cos(a - b) once more.",
        ),
        Wrong(
            "float64",
            edit((_BOTH, "return (gain * W_Q).double(), torch.eye(d_model)")),
            "A matrix of float64 does not multiply the encoding, which is float32. Compute in float64 if you like; what is "
            "given back is float32.",
        ),
    ],
    correct=[
        Correct(
            "the keys are turned forward",
            """
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError("odd")
    blocks = []
    for i in range(d_model // 2):
        a = torch.tensor(10_000 ** (-2 * i / d_model))
        blocks.append(torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]))
    return gain * torch.eye(d_model), torch.block_diag(*blocks)
""",
        ),
        Correct(
            "half the turn and the root of the gain on each side",
            """
def previous_token_head(d_model, gain):
    if d_model % 2 != 0:
        raise ValueError(d_model)
    half = [torch.tensor(0.5 * 10_000.0 ** (-2 * i / d_model)) for i in range(d_model // 2)]
    back = torch.block_diag(*[torch.stack([torch.stack([a.cos(), -a.sin()]), torch.stack([a.sin(), a.cos()])])
                              for a in half])
    return gain**0.5 * back, gain**0.5 * back.T
""",
        ),
        Correct(
            "diagonals",
            """
def previous_token_head(d_model, gain):
    if d_model % 2 == 1:
        raise ValueError("an even width is needed")
    angles = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    off = torch.zeros(d_model - 1, dtype=torch.float64)
    off[0::2] = angles.sin()
    W = torch.diag(angles.cos().repeat_interleave(2)) - torch.diag(off, 1) + torch.diag(off, -1)
    return (gain * W).float(), torch.eye(d_model)
""",
        ),
        Correct(
            "the matrix exponential of a slow turn",
            """
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError("odd")
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(0, d_model, 2):
        speed = 10_000.0 ** (-i / d_model)
        generator[i, i + 1], generator[i + 1, i] = -speed, speed
    return torch.eye(d_model), gain * torch.linalg.matrix_exp(generator).T.float()
""",
        ),
        Correct(
            "angles read off the encoding itself",
            """
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError("odd")
    sin, cos = sinusoidal_encoding(2, d_model)[1].view(-1, 2).T
    W = torch.diag(cos.repeat_interleave(2))
    i = torch.arange(0, d_model, 2)
    W[i, i + 1], W[i + 1, i] = -sin, sin
    return gain * W, torch.eye(d_model)
""",
        ),
    ],
)

# ---- convolution_as_attention ---------------------------------------------------------------------------------------

_OFFSETS = "torch.arange(num_heads, device=x.device) - num_heads // 2"
_WANTED = "positions.unsqueeze(1) + offsets.view(-1, 1, 1)"
_SUMMED = "(weights @ values).sum(dim=1) + bias, weights"

convolution_as_attention = Bank(
    "convolution_as_attention",
    wrong=[
        Wrong(
            "the kernel is turned round",
            edit((_WANTED, "positions.unsqueeze(1) - offsets.view(-1, 1, 1)")),
            "Head k looks to the other side: that is the mathematician's convolution. nn.Conv1d does not turn its "
            "kernel round: head 0 looks back.",
        ),
        Wrong(
            "every head looks back",
            edit((_OFFSETS, "torch.arange(num_heads, device=x.device) - (num_heads - 1)")),
            "The last head looks at its own place, the others further back: that is a causal convolution. The middle "
            "head looks at its own place.",
        ),
        Wrong(
            "every head looks ahead",
            edit((_OFFSETS, "torch.arange(num_heads, device=x.device)")),
            "Head 0 looks at its own place. The middle head does: take K // 2 off every offset.",
        ),
        Wrong(
            "at the edge the last key is taken again",
            edit((_WANTED, f"({_WANTED}).clamp(0, length - 1)")),
            "Where there is no key at its offset, a head took the nearest there is. It must give no weight at all: "
            "zero padding.",
        ),
        Wrong(
            "the sentence is a ring",
            edit((_WANTED, f"({_WANTED}) % length")),
            "Where there is no key at its offset, a head went on at the other end, as negative indices do in "
            "silence. It must give no weight at all: zero padding.",
        ),
        Wrong(
            "at the edge the weight is shared out",
            edit(
                (
                    "weights = masked_softmax(torch.zeros(mask.shape, dtype=x.dtype, device=x.device), mask)",
                    "weights = torch.softmax(torch.where(mask, 0.0, -1e9), dim=2)",
                )
            ),
            "A row that allows nothing came out uniform. A head with no key at its offset gives no weight: "
            "masked_softmax knows what to do with such a row.",
        ),
        Wrong(
            "the kernel's channels are exchanged",
            edit(('"bsc,ock->bkso"', '"bsc,cok->bkso"')),
            "The kernel was read as (C_in, C_out, K). It is kept as (C_out, C_in, K).",
        ),
        Wrong(
            "the bias is left out",
            edit((_SUMMED, "(weights @ values).sum(dim=1), weights")),
            "The output lacks the bias. Add it once, after the heads have been added up.",
        ),
        Wrong(
            "every head adds the bias",
            edit((_SUMMED, "(weights @ values + bias).sum(dim=1), weights")),
            "The bias was added once for each head. It is added once.",
        ),
        Wrong(
            "the mean of the heads",
            edit((_SUMMED, "(weights @ values).mean(dim=1) + bias, weights")),
            "The heads' findings were averaged. They are added up.",
        ),
        Wrong(
            "one kernel slice for all heads",
            edit((_SUMMED, "(weights @ values[:, num_heads // 2 : num_heads // 2 + 1]).sum(dim=1) + bias, weights")),
            "All heads used the same slice of the kernel. Head k has values of its own, made with weight[:, :, k].",
        ),
        Wrong(
            "weights keys by queries",
            edit((_SUMMED, "(weights @ values).sum(dim=1) + bias, weights.transpose(1, 2)")),
            "The output is right, and the weights lie the other way round: rows are queries, columns are keys.",
        ),
        Wrong(
            "heads on the last axis",
            edit((_SUMMED, "(weights @ values).sum(dim=1) + bias, weights.permute(1, 2, 0)")),
            "The output is right, and the weights' heads stand last. (K, T, T) is asked for.",
        ),
        Wrong(
            "torch's convolution is called",
            edit((_SUMMED, "nn.functional.conv1d(x.mT, weight, bias, padding=num_heads // 2).mT, weights")),
            "This exercise asks for a convolution made of attention. Let the heads' weights meet their values.",
        ),
        Wrong(
            "a softmax over nothing",
            edit(
                (
                    "weights = masked_softmax(torch.zeros(mask.shape, dtype=x.dtype, device=x.device), mask)",
                    'weights = torch.softmax(torch.zeros(mask.shape).masked_fill(~mask, float("-inf")), dim=2)',
                )
            ),
            "At the edges a row allows no key, and a softmax of nothing but minus infinity is NaN. Your masked_softmax "
            "gives zeros there.",
        ),
        Wrong(
            "the bias goes into every head's values",
            edit((_SUMMED, "(weights @ (values + bias)).sum(dim=1) + 0 * bias, weights")),
            "The bias was added to each head's values, so it came once for each head that finds a key. Add it once, "
            "after the heads have been added up.",
        ),
        Wrong(
            "the kernel of the values is turned round",
            edit(('torch.einsum("bsc,ock->bkso", x, weight)', 'torch.einsum("bsc,ock->bkso", x, weight.flip(2))')),
            "The heads look where they should, and the first of them got the last slice of the kernel. Head k makes "
            "its values with weight[:, :, k]; nothing is turned round.",
        ),
        Wrong(
            "the middle is counted one too far",
            edit((_OFFSETS, "torch.arange(num_heads, device=x.device) - (num_heads + 1) // 2")),
            "All heads look one place too far back. The middle head, K // 2, looks at its own place.",
        ),
    ],
    correct=[
        Correct(
            "diagonals of ones",
            """
def convolution_as_attention(x, weight, bias):
    B, T, _ = x.shape
    K = weight.shape[2]
    weights = torch.stack([
        torch.diag(torch.ones(T - abs(o)), o) if abs(o) < T else torch.zeros(T, T) for o in range(-(K // 2), K // 2 + 1)
    ])
    output = bias + sum(weights[k] @ x @ weight[:, :, k].T for k in range(K))
    return output, weights
""",
        ),
        Correct(
            "query by query",
            """
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    weights = torch.zeros(K, T, T)
    for k in range(K):
        for t in range(T):
            if 0 <= t + k - K // 2 < T:
                weights[k, t, t + k - K // 2] = 1.0
    return torch.einsum("kts,bsc,ock->bto", weights, x, weight) + bias, weights
""",
        ),
        Correct(
            "positions as one-hot vectors, compared by dot products",
            """
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    far = torch.eye(T + 2 * K)
    keys = far[K : K + T]
    scores = torch.stack([far[K + k - K // 2 : K + T + k - K // 2] @ keys.T for k in range(K)])
    weights = (1e4 * (scores - 0.5)).softmax(-1) * (scores > 0.5)
    values = x.unsqueeze(1) @ weight.permute(2, 1, 0)
    return (weights @ values).sum(1) + bias, weights
""",
        ),
        Correct(
            "padded, then cut",
            """
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    wide = nn.functional.pad(torch.eye(T), (K // 2, K // 2, K // 2, K // 2))
    h = K // 2
    weights = torch.stack([wide[h + k - h : h + k - h + T, h : h + T] for k in range(K)])
    found = torch.einsum("kts,bsc->btkc", weights, x)
    return found.flatten(2) @ weight.permute(2, 1, 0).flatten(0, 1) + bias, weights
""",
        ),
        Correct(
            "the course's attention with one mask a head",
            """
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    distance = torch.arange(T) - torch.arange(T)[:, None]
    total, heads = bias, []
    for k in range(K):
        value = x @ weight[:, :, k].T
        found, weights = scaled_dot_product_attention(x * 0, x * 0, value, distance == k - K // 2)
        total = total + found
        heads.append(weights[0])
    return total, torch.stack(heads)
""",
        ),
    ],
)

# ---- ablate_heads ---------------------------------------------------------------------------------------------------

_COLUMNS = "without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0"
_NO_SUCH_HEAD = (
    "            if not 0 <= head < attention.num_heads:\n"
    '                raise ValueError(f"there are heads 0 to {attention.num_heads - 1}, got {head}")\n'
)

ablate_heads = Bank(
    "ablate_heads",
    wrong=[
        Wrong(
            "rows of W_O instead of columns",
            edit((_COLUMNS, "without.W_O.weight[head * d_head : (head + 1) * d_head] = 0.0")),
            "A block of output features is silent instead of a head: the rows of W_O.weight are its outputs. What "
            "comes from a head enters by columns.",
        ),
        Wrong(
            "every H-th column",
            edit((_COLUMNS, "without.W_O.weight[:, head :: attention.num_heads] = 0.0")),
            "Every H-th feature was silenced, a part of each head. A head's features stand side by side.",
        ),
        Wrong(
            "a block as wide as there are heads",
            edit(("attention.W_O.in_features // attention.num_heads", "attention.num_heads")),
            "The block that was silenced is num_heads wide. A head has D / H features.",
        ),
        Wrong(
            "the attention that was given is changed",
            edit(("copy.deepcopy(attention)", "attention")),
            "The attention that was given has lost its head too: it was changed itself, or its copy shares its "
            "parameters. Make a copy that owns all it has.",
        ),
        Wrong(
            "the bias of W_O goes too",
            edit(
                (
                    "    return without",
                    "    with torch.no_grad():\n        without.W_O.bias.zero_()\n    return without",
                )
            ),
            "The output lacks W_O's bias, which belongs to no head. Silence the head's columns alone.",
        ),
        Wrong(
            "the values' bias stays",
            edit((_COLUMNS, "without.W_V.weight[head * d_head : (head + 1) * d_head] = 0.0")),
            "The head still adds something: its values are no longer made of the input, but their bias is left, and "
            "goes through W_O. Silence the head where it enters W_O.",
        ),
        Wrong(
            "the head looks everywhere alike",
            edit(
                (
                    _COLUMNS,
                    "without.W_Q.weight[head * d_head : (head + 1) * d_head] = 0.0\n"
                    "            without.W_Q.bias[head * d_head : (head + 1) * d_head] = 0.0",
                )
            ),
            "Without a query the head looks everywhere alike and adds the mean of its values: it is blind and not "
            "silent, and its weights have changed. Silence what it adds.",
        ),
        Wrong(
            "only these heads are left",
            edit(
                ("for head in heads:", "for head in sorted(set(range(attention.num_heads)) - set(heads)):"),
                (
                    _NO_SUCH_HEAD,
                    "            if not set(heads) <= set(range(attention.num_heads)):\n"
                    "                raise ValueError(max(heads))\n",
                ),
            ),
            "The heads that were named are the only ones left. They are the ones to be switched off.",
        ),
        Wrong(
            "only the first of the heads",
            edit(("for head in heads:", "for head in list(heads)[:1]:")),
            "Only the first head of the list was switched off. Go through all of them.",
        ),
        Wrong(
            "heads count from one",
            edit((_COLUMNS, "without.W_O.weight[:, (head - 1) * d_head : head * d_head] = 0.0")),
            "The head before the one that was named was switched off. Heads count from 0.",
        ),
        Wrong(
            "the heads that are left are made louder",
            edit(
                (
                    "    return without",
                    "    left = attention.num_heads - len(set(heads))\n"
                    "    with torch.no_grad():\n"
                    "        without.W_O.weight *= attention.num_heads / max(left, 1)\n"
                    "    return without",
                )
            ),
            "The other heads' contributions were scaled up, as dropout does. They are to stay as they were.",
        ),
        Wrong(
            "a head that is not there is let through",
            edit((_NO_SUCH_HEAD, "")),
            "For a head that does not exist nothing happened, in silence: a slice beyond the end is empty. The "
            "docstring asks for an error there.",
        ),
        Wrong(
            "a negative number is let through",
            edit(("if not 0 <= head < attention.num_heads:", "if head >= attention.num_heads:")),
            "Head -1 was let through: its slice is empty, or it is another head's. There are heads 0 to H - 1.",
        ),
        Wrong(
            "heads that can be gone through once are gone through twice",
            edit(
                (
                    "    d_head =",
                    "    for head in heads:\n"
                    "        if not 0 <= head < attention.num_heads:\n"
                    "            raise ValueError(head)\n    d_head =",
                )
            ),
            "Heads that came from a generator were used up by the first loop, so the second switched nothing off. "
            "Make a list of them first, or go through them once.",
        ),
        Wrong(
            "only the last of the heads",
            edit(("for head in heads:", "for head in list(heads)[-1:]:")),
            "Only the last head of the list was switched off. Go through all of them.",
        ),
        Wrong(
            "its queries, keys and values go too",
            edit(
                (
                    _COLUMNS,
                    "own = slice(head * d_head, (head + 1) * d_head)\n"
                    "            for W in (without.W_Q, without.W_K, without.W_V):\n"
                    "                W.weight[own] = 0.0\n"
                    "                W.bias[own] = 0.0\n"
                    "            without.W_O.weight[:, own] = 0.0",
                )
            ),
            "The output is right, and the head's weights have become even: the weights must stay as they were. Silence "
            "the head where it enters W_O, and nothing else.",
        ),
    ],
    correct=[
        Correct(
            "columns multiplied by zero or one",
            """
def ablate_heads(attention, heads):
    heads = list(heads)
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(heads)
    alive = torch.tensor([float(h not in heads) for h in range(attention.num_heads)])
    new = copy.deepcopy(attention)
    new.W_O.weight.data = attention.W_O.weight.data * alive.repeat_interleave(
        attention.W_O.weight.shape[1] // attention.num_heads
    )
    return new
""",
        ),
        Correct(
            "a view with an axis for the heads",
            """
def ablate_heads(attention, heads):
    new = copy.deepcopy(attention)
    by_head = new.W_O.weight.detach().view(new.W_O.out_features, new.num_heads, -1)
    for h in heads:
        if h not in range(new.num_heads):
            raise ValueError(f"no head {h}")
        by_head[:, h] = 0
    return new
""",
        ),
        Correct(
            "values and their bias silenced",
            """
def ablate_heads(attention, heads):
    new = copy.deepcopy(attention)
    d = new.W_V.out_features // new.num_heads
    for h in heads:
        if not (0 <= h <= new.num_heads - 1):
            raise ValueError(f"head {h} of {new.num_heads}")
        new.W_V.weight.data[h * d : h * d + d].zero_()
        new.W_V.bias.data[h * d : h * d + d].zero_()
    return new
""",
        ),
        Correct(
            "the state taken out and put in",
            """
def ablate_heads(attention, heads):
    state = {name: value.clone() for name, value in attention.state_dict().items()}
    blocks = list(state["W_O.weight"].chunk(attention.num_heads, dim=1))
    for h in heads:
        if h >= len(blocks) or h < 0:
            raise ValueError(f"no head {h}")
        blocks[h] = torch.zeros_like(blocks[h])
    state["W_O.weight"] = torch.cat(blocks, dim=1)
    new = copy.deepcopy(attention)
    new.load_state_dict(state)
    return new
""",
        ),
        Correct(
            "a module that takes the heads' share away afterwards",
            """
def ablate_heads(attention, heads):
    heads = tuple(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(h)

    class Without(nn.Module):
        def __init__(self):
            super().__init__()
            self.whole = copy.deepcopy(attention)
            self.num_heads = attention.num_heads

        def forward(self, query, key, value, *rest):
            output, weights = self.whole(query, key, value, *rest)
            values = split_heads(self.whole.W_V(value), self.num_heads)
            columns = self.whole.W_O.weight.chunk(self.num_heads, dim=1)
            for h in set(heads):
                output = output - weights[:, h] @ values[:, h] @ columns[h].T
            return output, weights

    return Without()
""",
        ),
        Correct(
            "a hook that silences what W_O is given",
            """
def ablate_heads(attention, heads):
    heads = list(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(h)
    new = copy.deepcopy(attention)
    d = new.W_O.in_features // new.num_heads

    def hook(module, given):
        x = given[0].clone()
        for h in heads:
            x[..., h * d : (h + 1) * d] = 0
        return (x,)

    new.W_O.register_forward_pre_hook(hook)
    return new
""",
        ),
    ],
)

# ---- fix_the_borrowed_attention -------------------------------------------------------------------------------------

_TURNED = "blocked = ~mask"
_REPEATED = "blocked.repeat_interleave(attention.num_heads, dim=0)"
_ASKED = "return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)"

fix_the_borrowed_attention = Bank(
    "fix_the_borrowed_attention",
    wrong=[
        Wrong(
            "as it was found: the masks are in another order than the heads",
            edit((_REPEATED, "blocked.repeat(attention.num_heads, 1, 1)")),
            "`repeat` puts the whole batch of masks down, then the whole batch again. torch wants all heads of the "
            "first sentence, then all heads of the second. Write down for two sentences and two heads which mask "
            "stands in which of the four places.",
        ),
        Wrong(
            "the mask is not turned round",
            edit((_TURNED, "blocked = mask")),
            "The allowed keys got nothing and the forbidden ones shared the weight: nn.MultiheadAttention takes True "
            "as may NOT attend. See the box in section 5.3.",
        ),
        Wrong(
            "neither turned round nor in order",
            edit((_TURNED, "blocked = mask"), (_REPEATED, "blocked.repeat(attention.num_heads, 1, 1)")),
            "The forbidden keys share the weight, and sentences have each other's masks. Turn the mask round as it "
            "was, then look at the order of the copies.",
        ),
        Wrong(
            "the first sentence's mask for all",
            edit((_REPEATED, "blocked[0]")),
            "Every sentence got the first one's mask. A mask (T, S) is shared by the whole batch; each sentence needs "
            "its own.",
        ),
        Wrong(
            "one mask a sentence, the same for all queries",
            edit(
                (f"blocked = {_REPEATED}", "padding = blocked.all(dim=1)"),
                (_ASKED, "return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)"),
            ),
            "A key_padding_mask forbids a key to every query of a sentence. Here each query has a row of its own.",
        ),
        Wrong(
            "the mask is left out",
            edit((", attn_mask=blocked", "")),
            "The mask is gone, and every query sees every key.",
        ),
        Wrong(
            "the mask is added as a number",
            edit((_TURNED, "blocked = -(~mask).float()")),
            "A mask of numbers is added to the scores, and minus one does not forbid anything. Keep it boolean, or use "
            "minus infinity.",
        ),
        Wrong(
            "the heads' weights are averaged",
            edit((", average_attn_weights=False", "")),
            "One set of weights came back, the mean over the heads: that is what the module does unless it is told "
            "otherwise.",
        ),
        Wrong(
            "the caller's mask is changed",
            edit((_TURNED, "blocked = mask.logical_not_()")),
            "The mask was turned round in place, so its owner has the opposite one now. Make a new tensor.",
        ),
        Wrong(
            "copies of the queries instead of the sentences",
            edit((_REPEATED, "blocked.repeat_interleave(attention.num_heads, dim=1).reshape(-1, *blocked.shape[1:])")),
            "The rows of the masks were multiplied, one query after the other, and cut up afresh. It is whole masks "
            "that are needed several times, along the first axis.",
        ),
        Wrong(
            "the output alone",
            edit(("average_attn_weights=False)", "average_attn_weights=False)[0]")),
            "The weights of each head are asked for beside the output.",
        ),
    ],
    correct=[
        Correct(
            "expanded over an axis for the heads, then flattened",
            edit((_REPEATED, "blocked.unsqueeze(1).expand(-1, attention.num_heads, -1, -1).flatten(0, 1)")),
        ),
        Correct(
            "minus infinity, added",
            edit((_TURNED, 'blocked = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))')),
        ),
        Correct(
            "sentence by sentence",
            """
def attend_with_torch(attention, query, key, value, mask):
    outputs, weights = [], []
    for b in range(len(query)):
        own = slice(b, b + 1)
        o, w = attention(query[own], key[own], value[own], attn_mask=~mask[b], average_attn_weights=False)
        outputs.append(o)
        weights.append(w)
    return torch.cat(outputs), torch.cat(weights)
""",
        ),
        Correct(
            "stacked for each sentence",
            """
def attend_with_torch(attention, query, key, value, mask):
    forbidden = torch.stack([rows for rows in mask.logical_not() for _ in range(attention.num_heads)])
    return attention(query, key, value, need_weights=True, attn_mask=forbidden, average_attn_weights=False)
""",
        ),
        Correct(
            "repeated as found, and sorted afterwards",
            """
def attend_with_torch(attention, query, key, value, mask):
    H, B = attention.num_heads, len(mask)
    copies = (~mask).repeat(H, 1, 1)
    order = torch.arange(H * B).view(H, B).T.flatten()
    return attention(query, key, value, attn_mask=copies[order], average_attn_weights=False)
""",
        ),
    ],
)
