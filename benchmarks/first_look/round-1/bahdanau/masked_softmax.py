# %% wrong: softmax first, mask after
# The softmax is over all keys, and what the mask allows is divided by its sum again. Huge forbidden scores make all allowed weights underflow to 0/0 (here 0 by the small number added), and infinite or NaN ones come through. A good message: "a forbidden score of 1000 changes the weights: mask before the softmax".

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights * mask
    return weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)

# %% wrong: asks whether the whole mask is empty
# The row with nothing allowed is handled only when no row allows anything. In a mixed batch its row is NaN. A good message: "in a batch with other rows, the empty row is NaN: any(dim=-1), for each row".

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)

# %% wrong: a mask as an index
# scores[~mask] = -inf: an index is not broadcast as a mask is. Right where the mask has the shape of scores; a mask (S,) or (B, 1, S) raises an error or picks whole rows. A good message: "mask (B, 1, S) for scores (B, T, S) must work: masked_fill broadcasts, indexing does not".

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return scores.softmax(-1)
    scores = scores.clone()
    scores[~mask] = -torch.inf
    weights = scores.softmax(-1).clone()
    weights[~mask] = 0.0
    return weights

# %% wrong: exponentials times the mask, no shift
# The formula as it reads, without the largest score taken away; the empty row is 0/0 and repaired by nan_to_num. Scores of 100 overflow and their row becomes zeros, and the gradient of the empty row is NaN. A good message: "scores of 100 give zeros; and the empty row's gradient is NaN, though its weights are not".

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    e = torch.exp(scores)
    if mask is not None:
        e = e.masked_fill(~mask, 0)
    return torch.nan_to_num(e / e.sum(-1, keepdim=True))

# %% correct: empty rows lent some scores, and wiped

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, -1)
    mask = mask.expand(scores.shape)
    empty = mask.logical_not().all(-1, keepdim=True)
    lent = torch.where(mask, scores, torch.where(empty, 0.0, -math.inf).to(scores.dtype))
    return torch.where(mask, torch.softmax(lent, -1), 0)

# %% correct: own exponentials, the divisor 1 where there is nothing to divide

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if scores.numel() == 0:
        return scores * 1
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    top = scores.detach().max(dim=-1, keepdim=True).values
    top = torch.where(top == -torch.inf, torch.zeros_like(top), top)
    exponentials = torch.exp(scores - top)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total == 0, torch.ones_like(total), total)
