# %% wrong: always the last axis
# dim is not used: maximum and sum are always taken along the last axis.
# Breaks "along dim" for every other axis. Hint: call it with dim=0 on a (2, 3) tensor and sum the columns.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exps = shifted.exp()
    return exps / exps.sum(dim=-1, keepdim=True)


# %% wrong: the sum loses its axis
# The sum is taken without keepdim, so it lines up with the wrong axes: an error for most shapes, and for square ones wrong weights.
# Breaks "they sum to one along dim". Hint: write the shapes of both sides of the division under each other, right ends aligned.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exps = torch.exp(scores - scores.max(dim=dim, keepdim=True).values)
    return exps / exps.sum(dim=dim)


# %% wrong: one maximum for the whole tensor
# The shift is by the largest score of the whole tensor, so a row that lies far below it underflows to 0/0.
# Breaks "finite for every finite score". Hint: try rows [1, 2] and [-1000, -999]; does each row have its own shift?

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exps = (scores - scores.max()).exp()
    return exps / exps.sum(dim=dim, keepdim=True)


# %% wrong: shifted in place
# The shift is done with -= on the caller's own tensor.
# Breaks "scores is left as it was" (and fails for scores that require gradients). Hint: what does the caller find in scores afterwards?

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.amax(dim=dim, keepdim=True)
    weights = scores.exp()
    return weights / weights.sum(dim=dim, keepdim=True)


# %% correct: in logarithms, back at the end

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    top = scores.detach().amax(dim=dim, keepdim=True)
    below = scores - top
    return torch.exp(below - torch.log(torch.exp(below).sum(dim=dim, keepdim=True)))


# %% correct: the axis moved to the end and back

def _share_out(rows: Tensor) -> Tensor:
    """Softmax of each row of (N, K)."""
    highest, _ = torch.max(rows, dim=1)
    grown = math.e ** (rows - highest.unsqueeze(1))
    total = torch.einsum("nk->n", grown)
    return torch.div(grown, total.unsqueeze(1))


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return _share_out(scores.reshape(1, 1)).reshape(())
    last = scores.movedim(dim, -1)
    weights = _share_out(last.reshape(-1, last.shape[-1]))
    return weights.reshape(last.shape).movedim(-1, dim)
