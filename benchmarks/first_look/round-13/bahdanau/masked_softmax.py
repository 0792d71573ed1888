# %% wrong: NaN times zero
# The rows that allow nothing are multiplied by zero after the softmax, but they are NaN by then, and zero times NaN is
# NaN: shows for any row without an allowed key.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)

# %% wrong: only a whole batch of empty rows is caught
# `mask.any()` asks about the whole mask, not about each row: one empty row beside a filled one is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return scores * 0.0
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)

# %% wrong: the exponential before the mask
# The weights are right. But the exponential is also taken of forbidden scores: where one of them is infinite or NaN (or
# merely 1,000 above the allowed ones), its gradient is zero times infinity, which is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    lowest = torch.finfo(scores.dtype).min
    top = scores.detach().masked_fill(~mask, lowest).amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == lowest, 0.0)  # nothing allowed
    exponentials = torch.exp(scores - top)
    exponentials = torch.where(mask, exponentials, torch.zeros_like(scores))
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))

# %% wrong: a mask that broadcasts does not index
# Indexing with a boolean mask needs the mask in full shape: for a mask (B, 1, S) or (S,) with scores (B, T, S) it raises
# an IndexError instead of broadcasting.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    filled = scores.clone()
    filled[~mask] = float("-inf")
    return torch.nan_to_num(torch.softmax(filled, dim=-1), nan=0.0)

# %% correct: each weight from the differences to all allowed scores

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    clean = scores.masked_fill(~allowed, 0.0)
    # differences[..., j, i] = score i - score j; weight j is one over the sum of their exponentials over allowed i
    differences = clean.unsqueeze(-2) - clean.unsqueeze(-1)
    differences = differences.masked_fill(~allowed.unsqueeze(-2), float("-inf"))
    size = torch.logsumexp(differences, dim=-1)
    return torch.exp(-size.masked_fill(~allowed, float("inf")))

# %% correct: row by row, over the allowed places alone

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    rows = []
    flat_mask = mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    for row, allowed in zip(scores.reshape(-1, scores.shape[-1]), flat_mask, strict=True):
        places = allowed.nonzero().flatten()
        shares = torch.softmax(row.index_select(0, places), dim=0)
        rows.append(torch.zeros_like(row).index_put((places,), shares))
    return torch.stack(rows).reshape(scores.shape)
