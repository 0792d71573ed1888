# %% wrong: the largest score is sought among the forbidden too
# Where a forbidden score lies 200 above the allowed ones, all allowed exponentials are 0 and so are their
# weights; a forbidden NaN or infinity spoils the row.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    exponentials = shifted.exp() * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))


# %% wrong: the mask's logarithm is added, NaN replaced at the end
# In a row that allows nothing the weights are zeros, but the gradient of the scores is NaN; a forbidden
# score of plus infinity gives NaN, so its whole row becomes zeros.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% wrong: the empty row is looked for in the whole mask
# Zeros come back only where no row allows anything. Shows for one empty row among others: it is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


# %% wrong: the most negative number, and no zeros at the end
# finfo.min in place of minus infinity avoids the NaN, but a row that allows nothing shares out 1 / S to each
# of the forbidden keys.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return F.softmax(scores, dim=-1)


# %% correct: row by row, a softmax over the allowed scores alone

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    size = scores.shape[-1]
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.broadcast_to(scores.shape)
    rows = []
    for row, here in zip(scores.reshape(-1, size), allowed.reshape(-1, size), strict=True):
        chosen = here.nonzero().squeeze(1)
        shares = torch.softmax(row.index_select(0, chosen), dim=0)
        rows.append(torch.zeros_like(row).index_add(0, chosen, shares))
    return torch.stack(rows).reshape(scores.shape)


# %% correct: one forbidden score more, that no mask can take away

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = scores.new_ones(scores.shape[-1], dtype=torch.bool)
    kept = torch.where(mask, scores, scores.new_full((), -math.inf))
    nothing = ~mask.broadcast_to(scores.shape).any(dim=-1, keepdim=True)
    # A last column that is 0 in a row with nothing allowed, and minus infinity in every other, takes up the rest.
    spare = torch.zeros_like(kept[..., :1]).masked_fill(~nothing, -math.inf)
    logs = torch.cat([kept, spare], dim=-1)
    return torch.softmax(logs, dim=-1)[..., :-1]
