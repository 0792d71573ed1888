# %% wrong: one maximum for the whole tensor
# The shift is the largest score of all, not the largest along dim. Where one row lies more than about 100 below another, all its
# exponentials are 0 in float32 and 0 / 0 gives NaN: scores [[0, 1], [-500, -501]] with dim=1. Promised: finite for every finite score.


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% wrong: shifted only where it would overflow
# Only a positive maximum is taken away, since "the exponential of a negative number cannot overflow". It can vanish: for [-203, -202, -201]
# (the third line of the text) all exponentials are 0 and the weights are NaN.


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shift = scores.amax(dim=dim, keepdim=True).clamp(min=0)
    exponentials = (scores - shift).exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% wrong: shifted in place through a view
# movedim gives a view, and -= writes through it into the caller's scores: "scores is left as it was" is broken for every input whose
# maximum is not 0 (and a leaf that requires a gradient raises RuntimeError).


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    rows = scores.movedim(dim, -1)
    rows -= rows.max(dim=-1, keepdim=True).values
    exponentials = rows.exp()
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).movedim(-1, dim)


# %% wrong: minus infinity turned into minus a billion
# Minus infinity is replaced by -1e9 "to be on the safe side". Finite scores may be lower than that: for [-inf, -2e9, -2e9] the forbidden
# one gets the weight 1 and the two finite ones 0.


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = scores.masked_fill(scores == -math.inf, -1e9)
    scores = scores - scores.amax(dim=dim, keepdim=True)
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% correct: the axis taken apart slice by slice


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    top = slices[0].detach()
    for one in slices[1:]:
        top = torch.maximum(top, one.detach())
    exponentials = [torch.exp(one - top) for one in slices]
    total = exponentials[0]
    for one in exponentials[1:]:
        total = total + one
    # dim counts the axes of scores, and stack counts those of its result: the same number
    return torch.stack([one / total for one in exponentials], dim=dim)


# %% correct: powers of two, the sum taken away as a logarithm


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    top = scores.detach().sort(dim=dim, descending=True).values.narrow(dim, 0, 1)
    bits = (scores - top) * math.log2(math.e)
    total = torch.exp2(bits).sum(dim, keepdim=True)  # at least 1, from the top itself
    return torch.exp2(bits - torch.log2(total))
