# %% wrong: one maximum for the whole tensor
# The largest score of ALL rows is subtracted; a row that lies far below another one underflows to zeros.
# Two rows with scores near 1000 and near -1000: the second row is all zeros though its mask allows keys.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    filled = scores.masked_fill(~mask, float("-inf"))
    largest = filled.detach().max()
    if torch.isinf(largest):
        largest = torch.zeros_like(largest)
    exponentials = (filled - largest).exp()
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))


# %% wrong: fills with something below the smallest score
# The fill is computed from all scores, the forbidden ones too: a forbidden NaN, infinity or minus infinity makes it
# NaN or infinite, and then rows with a forbidden key (or rows that allow nothing) turn NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    low = scores.detach().min() - 10_000.0
    filled = torch.where(mask, scores, low)
    return torch.softmax(filled, dim=-1) * mask


# %% wrong: a mask with fewer axes is taken for one per sentence
# A mask with one axis less than the scores gets a new axis 1, as if it were always (B, S).
# For scores (B, T, S) and a mask (T, S), which broadcasts from the right, it fails, or is wrong where B == T.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if mask.dim() == 2 and scores.dim() == 3:
        mask = mask.unsqueeze(1)
    filled = scores.masked_fill(~mask, -1e9)
    return torch.softmax(filled, dim=-1) * mask


# %% wrong: masks the exponentials, not the scores
# The values are right, but exp is taken of forbidden scores before they are replaced: with a forbidden score of
# NaN or infinity the gradient of the scores is NaN there (zero times infinity).

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    allowed = scores.detach().masked_fill(~mask, float("-inf"))
    largest = allowed.amax(dim=-1, keepdim=True)
    largest = largest.masked_fill(torch.isinf(largest), 0.0)
    exponentials = torch.where(mask, (scores - largest).exp(), torch.zeros_like(scores))
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)


# %% correct: row by row, the allowed scores alone

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    everywhere = torch.ones_like(scores, dtype=torch.bool)
    allowed = everywhere if mask is None else everywhere & mask
    size = scores.shape[-1]
    rows = []
    for row, may in zip(scores.reshape(-1, size), allowed.reshape(-1, size), strict=True):
        empty = row.masked_fill(torch.ones_like(may), 0.0)  # zeros that a backward pass can start from
        rows.append(empty.masked_scatter(may, torch.softmax(row[may], dim=0)) if may.any() else empty)
    return torch.stack(rows).reshape(scores.shape)


# %% correct: exponential of a difference of logarithms

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones(1, dtype=torch.bool, device=scores.device)
    allowed = mask.expand(scores.shape)
    some = allowed.any(dim=-1, keepdim=True)
    # a row without any allowed key keeps zeros here, so that nothing infinite arises
    shown = torch.where(allowed, scores, torch.where(some, -3e6, 0.0).to(scores.dtype))
    shown = shown - shown.detach().amax(dim=-1, keepdim=True)
    weights = torch.exp(shown - torch.logsumexp(shown, dim=-1, keepdim=True))
    return torch.where(allowed, weights, torch.zeros_like(weights))
