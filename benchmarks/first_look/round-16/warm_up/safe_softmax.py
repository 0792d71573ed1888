# %% wrong: shifts by the maximum only where it is positive
# "Only large exponentials overflow", so a negative maximum is taken as 0. All exponentials underflow for
# scores such as [-203, -202, -201]: 0/0 is nan.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shift = scores.amax(dim=dim, keepdim=True).clamp(min=0)
    exponentials = (scores - shift).exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% wrong: the axis is moved to the end twice instead of back
# movedim(dim, -1) undoes itself for the last axis and in tables, but not for three axes and dim = 0 or -3: the
# result comes back with its axes in another order.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    last = scores.movedim(dim, -1)
    exponentials = (last - last.max(dim=-1, keepdim=True).values).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return weights.movedim(dim, -1)


# %% wrong: minus infinity becomes the smallest allowed score
# -inf is replaced by -100,000 "since no score is below it". Where the other scores are near -100,000, the masked
# place gets a share: [-100000, -inf] gives [0.5, 0.5] and not [1, 0].

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = torch.where(torch.isinf(scores), torch.full_like(scores, -100_000.0), scores)
    exponentials = (scores - scores.amax(dim, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)


# %% wrong: zero for everything that is far below zero
# Takes every score below -10,000 for a masked one and sets its weight to 0 after the shift. Wrong for a row in which all
# scores are that low, e.g. [-20000, -20001]: all weights are 0 and do not sum to one.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    masked = scores < -1e4
    shifted = scores - scores.amax(dim=dim, keepdim=True)
    exponentials = shifted.exp()
    weights = exponentials / exponentials.sum(dim=dim, keepdim=True)
    return weights.masked_fill(masked, 0.0)


# %% correct: one pass along the axis with a running maximum and sum

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    top = slices[0].detach()
    for s in slices[1:]:
        top = torch.where(s.detach() > top, s.detach(), top)
    raised = [torch.exp(s - top) for s in slices]
    total = raised[0]
    for r in raised[1:]:
        total = total + r
    return torch.stack([r / total for r in raised], dim=dim)


# %% correct: powers of two, the largest found by sorting

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    size = scores.shape[dim]
    largest = scores.detach().sort(dim=dim).values.narrow(dim, size - 1, 1)
    powers = torch.exp2((scores - largest) * math.log2(math.e))
    total = powers.cumsum(dim).narrow(dim, size - 1, 1)
    return powers * total.reciprocal()
