# %% wrong: subtracts the largest size, not the largest score
# For [-203, -202, -201] it subtracts 203, every exponential underflows, and 0/0 is nan; a score of minus infinity
# makes the shift infinite.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    largest = scores.abs().amax(dim=dim, keepdim=True)
    e = torch.exp(scores - largest)
    return e / e.sum(dim=dim, keepdim=True)


# %% wrong: the logarithm of the sum, without a shift of the scores
# Near 100,000 float32 has steps of 0.008, so the rounded logsumexp is off by up to 0.004: the weights of
# [100000, 100000] sum to 0.998, not to one in four digits.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    return (scores - torch.logsumexp(scores, dim=dim, keepdim=True)).exp()


# %% wrong: minus infinity replaced by a large negative number
# -1e4 is not below every score: in [-inf, -50000, -50001] the hidden entry gets the weight 1, and it must be 0.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = scores.masked_fill(scores == float("-inf"), -1e4)
    scores = scores - scores.max(dim=dim, keepdim=True).values
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% wrong: the shift is written into the caller's scores
# `shifted` is the same tensor as scores, and -= changes it: after the call the caller's scores have a largest entry
# of 0 along dim. Shows for any scores whose maximum is not 0.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores
    with torch.no_grad():
        shifted -= shifted.amax(dim, keepdim=True)
    top = shifted.exp()
    return top / top.sum(dim, keepdim=True)


# %% correct: slice by slice, first the maximum and then the sum
def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    highest, total = None, None
    for slice_ in scores.detach().unbind(dim):
        if highest is None:
            highest = slice_
        else:
            highest = torch.maximum(highest, slice_)
    for slice_ in scores.unbind(dim):
        part = (slice_ - highest).exp()
        total = part if total is None else total + part
    return torch.stack([(slice_ - highest).exp() / total for slice_ in scores.unbind(dim)], dim=dim)


# %% correct: powers of two, and the top from a sort
def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    last_first = scores.transpose(dim, -1)
    top = last_first.sort(dim=-1, descending=True).values[..., :1]
    powers = torch.pow(2.0, (last_first - top) * (1 / math.log(2)))
    return (powers * powers.sum(dim=-1, keepdim=True).reciprocal()).transpose(dim, -1)
