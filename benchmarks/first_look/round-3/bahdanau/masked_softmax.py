# %% wrong: mask after the softmax
# The forbidden weights are set to zero after the softmax and the rest is not shared out again: the rows do not sum to one.
# Hint: what do the weights of the allowed keys sum to?

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights


# %% wrong: minus a billion
# Forbidden scores become -1e9: a row that allows nothing is shared out evenly among forbidden keys and is not zero.
# Hint: what does a softmax make of a row in which all scores are equal?

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    return torch.softmax(scores, dim=-1)


# %% wrong: logarithm of the mask added
# Minus infinity is added in place of replacing, and the NaN mended at the end: the values of an empty row are right, its gradient is NaN.
# Hint: the paragraph above the exercise says which of two ways lets the NaN through to the gradient; try backward() on a row that allows nothing.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% wrong: maximum over all the keys
# The maximum that is taken away is that of the whole row, forbidden keys too: a large forbidden score drives all allowed exponentials to zero.
# Hint: put 1000 where the mask forbids; may that matter?

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True)).masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))


# %% correct: where, and empty rows made harmless first

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return F.softmax(scores, dim=-1)
    allowed = torch.broadcast_to(mask, scores.shape)
    empty = ~allowed.any(dim=-1, keepdim=True)
    minus_infinity = torch.full_like(scores, -math.inf)
    zeros = torch.zeros_like(scores)
    safe = torch.where(empty, zeros, torch.where(allowed, scores, minus_infinity))
    return torch.where(allowed, F.softmax(safe, dim=-1), zeros)


# %% correct: by hand with the maximum of the allowed keys

def _largest_allowed(scores, allowed):
    top = scores.detach().masked_fill(~allowed, torch.finfo(scores.dtype).min)
    return top.max(dim=-1, keepdim=True).values


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    shifted = (scores - _largest_allowed(scores, allowed)).masked_fill(~allowed, 0.0)
    parts = shifted.exp() * allowed.to(scores.dtype)
    total = parts.sum(dim=-1, keepdim=True)
    return parts / total.masked_fill(total == 0, 1.0)
