# %% wrong: empty rows caught only when all are empty
# Asks whether the mask allows anything at all, not whether each row does.
# Shows for a batch with one empty row among others: that row is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return torch.zeros_like(scores) * scores
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)

# %% wrong: the logarithm of the mask, and the NaN mended at the end
# Minus infinity is added, so the NaN of an empty row goes back through the sum: its gradient is NaN though its weights are 0.
# Shows for the gradient of a row that allows nothing (and for an infinite or NaN forbidden score).

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))

# %% wrong: the largest score sought among the forbidden too
# Subtracts the maximum of the whole row before the exponential; a large forbidden score makes all allowed ones underflow.
# Shows for scores 0, 0, 200 with the last forbidden: 0, 0, 0 in place of 0.5, 0.5, 0.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    top = scores.max(dim=-1, keepdim=True).values
    exponentials = torch.exp(scores - top).masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))

# %% wrong: softmax over axis 1
# dim=1 is the last axis of scores (B, S) only.
# Shows for scores (B, T, S), where the columns are shared out, and for scores (S,), where it raises.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return F.softmax(scores, dim=1)
    filled = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = F.softmax(filled, dim=1)
    return weights.masked_fill(mask.logical_not(), 0.0).nan_to_num(0.0)

# %% correct: by the formula, the largest allowed score taken off

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    m = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    top = torch.where(m, scores.detach(), lowest).amax(dim=-1, keepdim=True)
    e = torch.where(m, scores - top, -torch.inf).exp()
    return e / (e.sum(dim=-1, keepdim=True) + ~m.any(dim=-1, keepdim=True))

# %% correct: the allowed scores of each row taken out and laid back

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if scores.numel() == 0:
        return scores.clone()
    S = scores.shape[-1]
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    rows = []
    for row, may in zip(scores.reshape(-1, S), allowed.reshape(-1, S), strict=True):
        shares = torch.softmax(row[may], dim=0)  # an empty tensor where nothing is allowed
        rows.append(torch.zeros_like(row).masked_scatter(may, shares))
    return torch.stack(rows).reshape(scores.shape)
