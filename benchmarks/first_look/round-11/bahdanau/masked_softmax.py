# %% wrong: masked after the softmax, and shared out again
# Forbidden scores take part in the first softmax. Where a forbidden score is 200 above the allowed ones these come out
# as zero, and where it is infinite or NaN all is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-12)


# %% wrong: the fill by arithmetic
# score * mask + fill * (1 - mask): zero times infinity is NaN, and so is zero times NaN. Shows where a forbidden score
# is infinite or NaN; with finite ones all is right.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    allowed = mask.to(scores.dtype)
    weights = torch.softmax(scores * allowed - 1e9 * (1 - allowed), dim=-1)
    return weights * allowed


# %% wrong: the formula without a shift
# The equation as it stands: exponentials, divided by their sum. Allowed scores may be 10,000: from about 90 on the
# exponential is infinite in float32 and the weights are NaN, and from -104 down all are zero.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    exponentials = torch.where(mask, scores, torch.zeros_like(scores)).exp() * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))


# %% wrong: missing axes of the mask put in second place
# For a mask (B, S) and scores (B, T, S) the new axis belongs there; broadcasting puts it first. A mask (T, S) for scores
# (B, T, S) becomes (T, 1, S): an error where B is neither T nor 1, another mask where B equals T.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    while mask.dim() < scores.dim():
        mask = mask.unsqueeze(1) if mask.dim() > 1 else mask.unsqueeze(0)
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask, 0.0)


# %% correct: each row by itself, among its allowed keys

# Allowed scores are taken out of the row, a softmax is put back; forbidden ones are never read.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    rows = scores.reshape(-1, scores.shape[-1])
    allowed = mask.expand(scores.shape).reshape(rows.shape)
    shared = []
    for row, may in zip(rows, allowed, strict=True):
        places = may.nonzero().squeeze(1)
        weights = torch.softmax(row.index_select(0, places), dim=0)
        shared.append(torch.zeros_like(row).scatter(0, places, weights))
    return torch.stack(shared).reshape(scores.shape)


# %% correct: by hand, from the largest allowed score

# Exponentials of the distance from the row's largest allowed score, whose sum is at least 1 unless nothing is allowed.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    mask = torch.full_like(scores, True, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    nothing = ~mask.any(dim=-1, keepdim=True)
    with torch.no_grad():
        top = scores.masked_fill(~mask, float("-inf")).amax(dim=-1, keepdim=True).masked_fill(nothing, 0.0)
    below = (scores - top).masked_fill(~mask, 0.0)
    exponentials = below.exp().masked_fill(~mask, 0.0)
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + nothing.to(scores.dtype))
