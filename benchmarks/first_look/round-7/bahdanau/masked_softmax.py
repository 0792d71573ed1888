# %% wrong: mask after the softmax
# Shares out among all keys and then strikes out the forbidden ones: the rest does not sum to one,
# and depends on the forbidden scores. Shows wherever the mask forbids some keys of a row.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights


# %% wrong: filled in the caller's scores
# masked_fill_ with the underscore writes minus infinity into the caller's scores (and raises for a leaf that
# requires gradients). The weights are right.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill_(~mask, float("-inf")), dim=-1)
    return weights.masked_fill(~mask, 0.0)


# %% wrong: logarithm of the mask added, NaN replaced
# Adds minus infinity in place of filling it in: the zeros of an empty row are right, its gradient is NaN.
# A NaN in a forbidden score also turns its whole row into zeros.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is not None:
        scores = scores + mask.to(scores.dtype).log()
    return torch.softmax(scores, dim=-1).nan_to_num(0.0)


# %% wrong: the largest score of all, forbidden ones included
# Subtracts the row's maximum over all keys. Where a forbidden score is far above the allowed ones their exponentials
# underflow and the row is all zeros; NaN or infinity in a forbidden score spoils the row.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True).values) * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.clamp(min=torch.finfo(scores.dtype).tiny)


# %% correct: row by row, a plain softmax of the allowed scores laid back in their places

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    S = scores.shape[-1]
    rows = []
    for row, allowed in zip(scores.reshape(-1, S), mask.expand(scores.shape).reshape(-1, S), strict=True):
        places = allowed.nonzero().squeeze(1)
        rows.append(torch.zeros_like(row).index_put((places,), row[places].softmax(dim=0)))
    return torch.stack(rows).reshape(scores.shape) if rows else torch.zeros_like(scores)


# %% correct: exponentials by hand, forbidden places filled with the row's own maximum

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    with torch.no_grad():
        top = torch.where(mask, scores, float("-inf")).amax(dim=-1, keepdim=True)
        top = torch.where(mask.expand(scores.shape).any(dim=-1, keepdim=True), top, 0.0)
    powers = torch.where(mask, torch.exp(torch.where(mask, scores, top) - top), 0.0)
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total == 0, 1.0, total)
