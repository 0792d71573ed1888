# %% wrong: the shared-out axis put back at the end
# Drops the axis in max and sum and puts it back as the last one, whatever dim was. Shows for dim = 0 of a matrix: a
# RuntimeError, or with a square one wrong weights.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    top = scores.max(dim).values.unsqueeze(-1)
    numerators = (scores - top).exp()
    return numerators / numerators.sum(dim).unsqueeze(-1)


# %% wrong: shifted by the largest size
# Subtracts the largest absolute value. Where the scores are far below zero, -500 say, that is added to and not taken off:
# all exponentials underflow, and 0/0 is NaN. A score of minus infinity spoils its row too.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shift = scores.abs().amax(dim=dim, keepdim=True)
    numerators = (scores - shift).exp()
    return numerators / numerators.sum(dim=dim, keepdim=True)


# %% wrong: minus infinity as minus ten thousand
# Replaces minus infinity by -1e4 "to be safe", but scores may be as low as -100,000. Shows for [-50000, -inf]: all the
# weight goes to the score that should get none.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    finite = scores.masked_fill(scores == -math.inf, -1e4)
    numerators = (finite - finite.amax(dim=dim, keepdim=True)).exp()
    return numerators / numerators.sum(dim=dim, keepdim=True)


# %% wrong: shifted by the mean
# Any shift leaves softmax as it is on paper, so the mean is taken. With one score 200 above the mean exp overflows and NaN
# comes out; with a minus infinity the mean itself is minus infinity. Shows for [0, 0, 300].

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    numerators = torch.exp(scores - scores.mean(dim, keepdim=True))
    return numerators / numerators.sum(dim, keepdim=True)


# %% correct: one pass with a running maximum

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    top = torch.full_like(slices[0], torch.finfo(scores.dtype).min).detach()
    total = torch.zeros_like(slices[0])
    for one in slices:
        higher = torch.maximum(top, one.detach())
        total = total * (top - higher).exp() + (one - higher).exp()
        top = higher
    return torch.stack([(one - top).exp() / total for one in slices], dim=dim)


# %% correct: the largest by sorting, the sum by a matrix product

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    last = scores.movedim(dim, -1)
    top = last.detach().sort(dim=-1, descending=True).values[..., :1]
    numerators = torch.exp(last - top)
    ones = torch.ones(last.shape[-1], 1, dtype=scores.dtype, device=scores.device)
    return (numerators / (numerators @ ones)).movedim(-1, dim)
