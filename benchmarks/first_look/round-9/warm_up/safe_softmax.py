# %% wrong: one maximum for all
# Takes away the largest score of the whole tensor; a row that lies far below it underflows to 0/0.
# Shows for [[0., 1.], [500., 501.]] along dim 1: the first row is NaN.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: puts the axis back at the end
# The maximum loses its axis and unsqueeze(-1) puts it back at the end, which is right for the last axis only.
# Shows for scores (3, 4) and dim 0: an error, and where all sizes are equal wrong shifts without a word.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores - scores.amax(dim).unsqueeze(-1)
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim).unsqueeze(-1)

# %% wrong: a second name is no copy
# `shifted` is scores itself and -= changes it in place, so the caller's scores are shifted afterwards.
# Shows for every input whose largest score along dim is not 0 (and it is an error where scores is a leaf with gradients).

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores
    shifted -= shifted.max(dim, keepdim=True).values
    weights = shifted.exp()
    return weights / weights.sum(dim, keepdim=True)

# %% wrong: shifted by the mean
# Any shift leaves the weights alone, but the mean does not bound the exponent: [0, 0, 300] still overflows.
# And where one score is minus infinity the mean is too, and the whole row is NaN.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    centred = scores - scores.mean(dim, keepdim=True)
    exponentials = centred.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% correct: slice by slice along the axis

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return torch.exp(scores - scores)
    slices = scores.unbind(dim)
    top = slices[0].detach()
    for one in slices[1:]:
        top = torch.maximum(top, one.detach())
    exponentials = [torch.exp(one - top) for one in slices]
    total = exponentials[0]
    for one in exponentials[1:]:
        total = total + one
    return torch.stack([one / total for one in exponentials], dim=dim)

# %% correct: a table of rows, in powers of two

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return torch.exp2(scores - scores)
    moved = scores.movedim(dim, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    top = torch.sort(rows.detach(), dim=1, descending=True).values[:, :1]
    powers = torch.exp2((rows - top) * math.log2(math.e))
    shares = powers * (powers @ powers.new_ones(powers.shape[1], 1)).reciprocal()
    return shares.reshape(moved.shape).movedim(-1, dim)
