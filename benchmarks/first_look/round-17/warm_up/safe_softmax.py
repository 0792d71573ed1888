# %% wrong: minus the log of the sum
# exp(s - logsumexp(s)) is right on paper, but at 100,000 a float32 is exact only to 0.008, so the logarithm of the sum is rounded away and
# the weights do not sum to one. Shows for float32 scores such as [100000., 100000.]: the sum is 0.998.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    return torch.exp(scores - torch.logsumexp(scores, dim=dim, keepdim=True))

# %% wrong: minus infinity replaced by the smallest allowed score
# -100,000 is the smallest number, so it "stands for" minus infinity. Shows where the real scores are down there too: [-100000., -inf] gives
# [0.5, 0.5].

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = scores.masked_fill(scores == -math.inf, -100_000.0)  # the lowest score there is; no nan from inf - inf
    top = scores.max(dim, keepdim=True).values
    powers = (scores - top).exp()
    return powers / powers.sum(dim, keepdim=True)

# %% wrong: shifted by the largest size
# Subtracts the largest absolute value instead of the largest value. Shows for negative scores such as [-203., -202., -201.] (0/0 is nan), and
# with a score of minus infinity, whose size is infinite.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    largest = scores.abs().amax(dim=dim, keepdim=True)
    powers = torch.exp(scores - largest)
    return powers / powers.sum(dim=dim, keepdim=True)

# %% wrong: one over the sum of all ratios
# w_i = 1 / sum_j exp(s_j - s_i) needs no maximum, and infinity gives 0. But minus infinity minus itself is nan, and behind an infinite sum the
# gradient is nan. Shows for a score of minus infinity (its own difference), and for the gradient at scores [0., 1000.].

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    moved = scores.movedim(dim, -1)
    ratios = (moved.unsqueeze(-2) - moved.unsqueeze(-1)).exp()  # [..., i, j] = exp(s_j - s_i)
    return (1 / ratios.sum(-1)).movedim(-1, dim)

# %% correct: a running maximum and sum along the axis

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    top = torch.full_like(slices[0], torch.finfo(scores.dtype).min)  # finite, so that no difference is nan
    total = torch.zeros_like(slices[0])
    for piece in slices:
        higher = torch.maximum(top, piece.detach())
        total = total * (top - higher).exp() + (piece - higher).exp()
        top = higher
    return torch.stack([(piece - top).exp() / total for piece in slices], dim=dim)

# %% correct: last of the running maxima, and normalize to a 1-norm of one

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    last = scores.shape[dim] - 1
    top = scores.cummax(dim).values.narrow(dim, last, 1)
    return F.normalize((scores - top).exp(), p=1.0, dim=dim)  # all are positive, the largest is 1
