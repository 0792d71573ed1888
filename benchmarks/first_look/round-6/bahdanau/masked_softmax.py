# %% wrong: log of the mask added, nan replaced at the end
# The weights come out right, but minus infinity was added and not filled in: the gradient of a row
# that allows nothing is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is not None:
        scores = scores + torch.log(mask.to(scores.dtype))
    return torch.softmax(scores, dim=-1).nan_to_num(0.0)


# %% wrong: the scores are filled in place
# masked_fill_ writes minus infinity into the scores of the caller, which should be left as they were.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores.masked_fill_(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)


# %% wrong: the formula as it stands, exponentials times mask
# A large score overflows to infinity, and infinity times zero or over infinity is NaN: a forbidden score does matter.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    exponentials = torch.exp(scores)
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)


# %% wrong: the empty row is looked for in the whole batch
# Zeros come back only where no row of the batch allows anything; one empty row among others gets equal weights.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return scores.masked_fill(~mask, 0.0)
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return torch.softmax(filled, dim=-1)


# %% wrong: boolean index that does not broadcast
# The weights are set to zero by an index with the mask, which must then have the very shape of scores: (1, S) or (B, 1, S) fails.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -1e30), dim=-1).clone()
    weights[~mask] = 0.0
    return weights


# %% correct: by exponentials above the largest allowed score

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if scores.numel() == 0:
        return scores.clone()
    if mask is None:
        allowed = torch.ones_like(scores, dtype=torch.bool)
    else:
        allowed = mask.expand(scores.shape)
    lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
    peak = torch.where(allowed, scores, lowest).amax(dim=-1, keepdim=True).detach()
    lifted = torch.where(allowed, scores, peak) - peak  # 0 where forbidden
    parts = torch.where(allowed, lifted.exp(), torch.zeros_like(scores))
    total = parts.sum(dim=-1, keepdim=True)
    return parts / torch.where(total > 0, total, torch.ones_like(total))


# %% correct: row by row among the allowed scores alone

def _shared_out(row, allowed):
    if not bool(allowed.any()):
        return torch.where(allowed, row, torch.zeros_like(row))
    places = allowed.nonzero().squeeze(1)
    return torch.zeros_like(row).index_put((places,), torch.softmax(row[places], dim=0))


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if scores.numel() == 0:
        return scores.clone()
    size = scores.shape[-1]
    everything = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
    allowed = everything if mask is None else everything & mask
    rows = zip(scores.reshape(-1, size).unbind(0), allowed.reshape(-1, size).unbind(0))
    return torch.stack([_shared_out(row, free) for row, free in rows]).reshape(scores.shape)
