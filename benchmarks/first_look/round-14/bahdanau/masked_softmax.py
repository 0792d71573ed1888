# %% wrong: a maximum that zeros take part in
# Fills forbidden scores with 0 before the largest is taken, so the shift is never below 0. Shows where all allowed
# scores of a row are far below zero, such as -10,000: every exponential underflows and the weights are 0.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = torch.where(mask, scores, 0.0)
    numerators = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = numerators.sum(dim=-1, keepdim=True)
    return numerators / total.masked_fill(total == 0, 1.0)


# %% wrong: empty rows found in the unstretched mask
# Zeros the empty rows by an index made from the mask as it came in. Shows where a mask is smaller than the scores and
# has a row that allows nothing, such as (T, S) or (B, 1, S) beside (B, T, S): an IndexError, or the wrong rows.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    empty = ~mask.any(dim=-1)
    if empty.any():
        weights = weights.clone()
        weights[empty] = 0.0
    return weights


# %% wrong: softmax first, then the mask, then shares again
# Shares out among all keys and divides by what is left of the allowed. Shows where a forbidden score is much larger
# than the allowed ones, or infinite, or NaN: 0/0, or NaN throughout.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = torch.where(mask, weights, 0.0)
    total = weights.sum(dim=-1, keepdim=True)
    return weights / torch.where(total > 0, total, 1.0)


# %% wrong: minus infinity added as the mask's logarithm
# Adds log(mask), 0 or minus infinity. A forbidden infinity or NaN stays NaN, and in a row that allows nothing the NaN
# that is replaced at the end has already reached the gradient.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0.0)


# %% correct: row by row, over the allowed keys alone

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    length = scores.shape[-1]
    rows = []
    for row, may in zip(scores.reshape(-1, length), allowed.reshape(-1, length), strict=True):
        here = may.nonzero().squeeze(1)
        shares = torch.softmax(row.index_select(0, here), dim=0)  # of none: nothing
        rows.append(torch.zeros_like(row).index_copy(0, here, shares))
    return torch.stack(rows).reshape(scores.shape)


# %% correct: exponentials by hand, forbidden ones at the row's top

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.broadcast_to(scores.shape)
    lowest = torch.finfo(scores.dtype).min
    top = scores.detach().masked_fill(~allowed, lowest).amax(dim=-1, keepdim=True)
    heights = torch.where(allowed, scores, top) - top  # 0 where forbidden
    parts = heights.exp() * allowed
    some = allowed.any(dim=-1, keepdim=True)
    return parts / (parts.sum(dim=-1, keepdim=True) + (~some).to(scores.dtype))
