# %% wrong: mask after the softmax
# Forbidden weights are zeroed but the rest is not shared out again: rows sum to less than one with any forbidden key.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights

# %% wrong: the logarithm of the mask is added
# A row that allows nothing is mended in the output only: its gradient is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)

# %% wrong: fill too high
# Filled with -1e4: with allowed scores of -500,000 the forbidden key gets all the weight (then zeroed: the rest are 0).

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)
    return weights * mask

# %% wrong: adds a penalty to the scores
# A forbidden NaN or infinity stays what it is: scores + (-1e9) is NaN for a forbidden NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + (~mask).to(scores.dtype) * -1e9, dim=-1)
    return weights.masked_fill(~mask, 0.0)

# %% correct: where, exponentials, and a safe sum

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand(scores.shape)
    safe = torch.where(mask, scores, torch.zeros_like(scores))
    top = safe.detach().masked_fill(~mask, -1e7).amax(dim=-1, keepdim=True)
    shifted = torch.where(mask, safe - top, torch.zeros_like(safe))
    exps = torch.where(mask, torch.exp(shifted), torch.zeros_like(safe))
    total = exps.sum(dim=-1, keepdim=True)
    return exps / torch.where(mask.any(dim=-1, keepdim=True), total, torch.ones_like(total))

# %% correct: the log-softmax, exponentiated and filled twice

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return F.log_softmax(scores, dim=-1).exp()
    forbidden = torch.logical_not(mask)
    logs = F.log_softmax(scores.masked_fill(forbidden, -1e9), dim=-1)
    return logs.exp().masked_fill(forbidden, 0)
