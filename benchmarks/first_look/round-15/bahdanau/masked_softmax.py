# %% wrong: the shift comes from a forbidden score
# The maximum is taken over all scores before the mask. Where a forbidden score is 200 above the allowed ones, all their
# exponentials underflow and the row is zero; infinity or NaN there spoils the row too.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    parts = shifted.exp().masked_fill(~mask, 0.0)
    total = parts.sum(dim=-1, keepdim=True)
    return parts / total.masked_fill(total == 0, 1.0)


# %% wrong: the mask is used as an index
# A boolean index needs the shape of the scores; it does not broadcast. A mask (S,) or (B, 1, S) beside scores (B, T, S)
# raises an IndexError.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    filled = scores.clone()
    filled[~mask] = -1e9
    weights = torch.softmax(filled, dim=-1)
    return weights * mask


# %% wrong: only a mask that forbids everything is looked after
# `mask.any()` asks about the whole batch. Where some rows allow a key and one row allows none, that row is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return scores.masked_fill(torch.ones_like(scores, dtype=torch.bool), 0.0)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


# %% wrong: the fill is no lower than the lowest score allowed
# Forbidden scores become -1e4, and allowed ones may lie there too. Where all allowed scores of a row are near -10,000 the
# forbidden ones take their share, which is then set to zero: the row sums to less than one.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)
    return weights.masked_fill(~mask, 0.0)


# %% correct: a last key that takes what nobody may have

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    nobody = torch.full_like(scores[..., :1], -1e9)  # gets all the weight of a row that allows nothing, and else none
    return torch.softmax(torch.cat([scores, nobody], dim=-1), dim=-1)[..., :-1]


# %% correct: exponentials of differences, with a one in place of an empty sum

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    allowed = mask.expand_as(scores)
    highest = scores.detach().masked_fill(~allowed, -20_000.0).amax(dim=-1, keepdim=True)
    gaps = torch.where(allowed, scores, highest) - highest
    parts = torch.where(allowed, gaps.exp(), torch.zeros_like(gaps))
    total = parts.sum(dim=-1, keepdim=True)
    return parts / torch.where(total > 0, total, torch.ones_like(total))
