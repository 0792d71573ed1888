# %% wrong: the log of the mask is added and nan replaced at the end
# In a row that allows nothing the weights are NaN on the way; nan_to_num makes the numbers zero, but the gradient of
# that row is NaN. A NaN or plus infinity in a forbidden score comes through as well.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    if mask is None:
        return F.softmax(scores, dim=-1)
    weights = F.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% wrong: the maximum of forbidden scores is taken off too
# Where a forbidden score is much larger than the allowed ones, their exponentials underflow and the whole row becomes
# zero: what stands in a forbidden score matters.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    exponentials = torch.exp(shifted).masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.clamp(min=torch.finfo(scores.dtype).tiny)


# %% wrong: empty rows are seen only if the whole mask is empty
# The special case asks whether the mask allows anything anywhere. One empty row among others still gives NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return scores.masked_fill(~mask, 0.0) * 0.0
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


# %% wrong: softmax over the first axis
# dim=0 is the last axis only for the single row of the example; in a batch the weights are shared out among sentences.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=0)
    allowed = mask.expand_as(scores)
    filled = scores.masked_fill(~allowed, float("-inf"))
    return torch.softmax(filled, dim=0).masked_fill(~allowed, 0.0)


# %% wrong: without a mask the scores are changed in place
# With mask None, filled is the caller's own tensor, and -= takes the maximum off it (an error if it is a leaf that
# needs a gradient). With a mask all is well, since masked_fill makes a copy.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    filled = scores
    if mask is not None:
        filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    filled -= filled.amax(dim=-1, keepdim=True).detach()
    exponentials = filled.exp()
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)


# %% correct: exponentials and a quotient, safe in every place

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    if mask is None:
        allowed = torch.ones_like(scores, dtype=torch.bool)
    else:
        allowed = torch.broadcast_to(mask, scores.shape)
    zero = torch.zeros((), dtype=scores.dtype, device=scores.device)
    with torch.no_grad():
        top = torch.where(allowed, scores, zero - float("inf")).amax(dim=-1, keepdim=True)
        top = torch.where(torch.isinf(top), zero, top)
    raised = torch.where(allowed, torch.exp(torch.where(allowed, scores, top) - top), zero)
    total = raised.sum(dim=-1, keepdim=True)
    return raised / torch.where(total > 0, total, zero + 1)


# %% correct: row by row, only the allowed scores

def _one_row(row, allowed):
    places = allowed.nonzero().squeeze(1)
    shares = torch.softmax(row.index_select(0, places), dim=0)
    return torch.zeros_like(row).index_add(0, places, shares)


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask allows."""
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if scores.numel() == 0:
        return scores * 0
    width = scores.shape[-1]
    rows = scores.reshape(-1, width)
    masks = mask.expand(scores.shape).reshape(-1, width)
    done = [_one_row(row, allowed) for row, allowed in zip(rows, masks, strict=True)]
    return torch.stack(done).reshape(scores.shape)
