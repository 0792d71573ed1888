# %% wrong: shifted by the mean
# The mean is subtracted in place of the maximum: scores far apart still overflow, and one minus infinity makes NaN.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    centred = scores - scores.mean(dim, keepdim=True)
    weights = centred.exp()
    return weights / weights.sum(dim, keepdim=True)


# %% wrong: goes to float64 instead of shifting
# In float64 the exponential overflows above 709 and vanishes below -745 just the same, only later.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = torch.exp(scores.to(torch.float64))
    weights = exponentials / exponentials.sum(dim=dim, keepdim=True)
    return weights.to(scores.dtype)


# %% wrong: the lost axis is put back at the end
# Maximum and sum lose the axis dim and get it back at the end with unsqueeze(-1): right for the last axis only.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    top = scores.max(dim).values.unsqueeze(-1)
    e = torch.exp(scores - top)
    return e / e.sum(dim).unsqueeze(-1)


# %% wrong: minus infinity replaced in the scores given
# The caller's scores are changed in place, and -1e9 is not below every finite score.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores[scores == float("-inf")] = -1e9
    shifted = scores - torch.amax(scores, dim, keepdim=True)
    e = shifted.exp()
    return e / e.sum(dim, keepdim=True)


# %% wrong: shifted by the largest absolute value
# With all scores far below zero the shift makes them twice as low, and 0 / 0 comes out; minus infinity makes NaN.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    biggest = scores.abs().amax(dim=dim, keepdim=True)
    e = torch.exp(scores - biggest)
    return e / torch.sum(e, dim=dim, keepdim=True)


# %% correct: slice after slice with a running maximum

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return (scores - scores).exp()
    slices = scores.unbind(dim)
    if not slices:
        return scores.clone()
    top = slices[0]
    for other in slices[1:]:
        top = torch.where(other > top, other, top)
    parts = [(one - top).exp() for one in slices]
    total = sum(parts[1:], start=parts[0])
    return torch.stack([part / total for part in parts], dim=dim)


# %% correct: halves that are merged, by recursion

def _halves(scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Along the last axis: the maximum, exp(score - maximum), and the sum of these."""
    count = scores.shape[-1]
    if count == 1:
        one = torch.ones_like(scores)
        return scores, one, one
    left, right = _halves(scores[..., : count // 2]), _halves(scores[..., count // 2 :])
    top = torch.maximum(left[0], right[0])
    base = torch.where(top == -math.inf, torch.zeros_like(top), top)  # nothing finite so far: keep NaN away
    shrink_left, shrink_right = (left[0] - base).exp(), (right[0] - base).exp()
    parts = torch.cat([left[1] * shrink_left, right[1] * shrink_right], dim=-1)
    return top, parts, left[2] * shrink_left + right[2] * shrink_right


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.numel() == 0:
        return scores.clone()
    if scores.dim() == 0:
        return safe_softmax(scores.reshape(1), 0).reshape(())
    _, parts, total = _halves(scores.transpose(dim, -1))
    return (parts / total).transpose(dim, -1)
