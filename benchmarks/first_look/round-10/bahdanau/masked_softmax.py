# %% wrong: minus a billion, then times the mask
# Rows that allow nothing are zero, as they should be. But scores are only promised to be finite: where the allowed ones
# lie below -1e9 (say -1e10) the forbidden ones take all the weight, and the rest sums to 0, not to one.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights * mask


# %% wrong: the mask after the softmax
# Weights are taken over all keys, cut, and shared out anew: forbidden scores matter. Where one is 200 above the allowed
# ones these have underflowed and the row is all zeros; where it is inf or NaN the row is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-12)


# %% wrong: the logarithm of the mask added, NaN replaced at the end
# The weights are right, but in a row that allows nothing zero times NaN goes back through the addition: its gradient is
# NaN, and zero is promised. (A forbidden inf or NaN makes its whole row zeros, too.) Shows in backward with such a row.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% wrong: one maximum for all rows
# The exponentials are kept from overflowing by the largest allowed score of the whole tensor. A row that lies some 200
# below another one has only exponentials of 0: its weights are zeros, not a softmax that sums to one.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    allowed = torch.where(mask, scores, torch.zeros_like(scores))
    exponentials = torch.exp(allowed - allowed.max().detach()) * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total == 0, torch.ones_like(total), total)


# %% correct: each row's allowed scores alone, laid back into a row of zeros

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    keys = scores.shape[-1]
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    rows = []
    for row, may in zip(scores.reshape(-1, keys), allowed.reshape(-1, keys), strict=True):
        places = may.nonzero()[:, 0]
        shares = torch.softmax(row.index_select(0, places), dim=0)
        rows.append(torch.zeros_like(row).index_copy(0, places, shares))
    return torch.stack(rows).reshape(scores.shape)


# %% correct: exponentials by hand, forbidden places filled with the row's own maximum

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = scores.new_ones((), dtype=torch.bool)
    with torch.no_grad():
        top = scores.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
        top = top.masked_fill(top == -torch.inf, 0.0)  # nothing allowed
    distance = torch.where(mask, scores, top) - top
    exponentials = torch.where(mask, distance.exp(), torch.zeros_like(distance))
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)
