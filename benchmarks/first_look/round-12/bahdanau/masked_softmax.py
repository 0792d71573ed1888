# %% wrong: the logarithm of the mask is added
# Adding minus infinity does not replace what stands in a forbidden place: NaN and infinity stay NaN.
# Shows for a forbidden score of inf or NaN, and in the gradient of a row that allows nothing: NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.nan_to_num(weights)

# %% wrong: the shift looks at forbidden scores
# The largest score of all keys is subtracted: below a large forbidden one, all allowed exponentials round to 0.
# Shows for allowed scores 1, 2 and a forbidden one of 1000 (weights 0), and for a forbidden inf or NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    shifted = scores - scores.amax(dim=-1, keepdim=True).detach()
    exponentials = shifted.exp().masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)

# %% wrong: empty rows found in the mask as it came
# The rows to be emptied are looked up in a mask that was not broadcast: as an index it does not fit the weights.
# Shows for a mask (B, 1, S) with scores (B, T, S), T above 1: an IndexError.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1).clone()
    weights[~mask.any(dim=-1)] = 0.0
    return weights

# %% wrong: a fill that allowed scores go below
# -1,000 looks like no chance, but a row whose allowed scores lie around it, or lower, gives weight away.
# Shows for an allowed score of -1001 beside a forbidden one: the allowed key keeps a quarter.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -1e3), dim=-1)
    return weights * mask

# %% correct: row by row, the allowed scores alone

# Each row is cut down to its allowed keys, shared out there, and laid back among zeros.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    allowed = mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    rows = []
    for row, may in zip(scores.reshape(-1, scores.shape[-1]), allowed, strict=True):
        (places,) = may.nonzero(as_tuple=True)
        rows.append(torch.zeros_like(row).scatter(0, places, torch.softmax(row[places], dim=0)))
    return torch.stack(rows).view(scores.shape)

# %% correct: a score minus the logarithm of the sum

# Forbidden scores are replaced twice: before the log of the sum, and before the last exponential.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    some = mask.any(dim=-1, keepdim=True)
    harmless = torch.where(mask, scores, torch.zeros_like(scores))
    # in an empty row every key is let in, and thrown out again by the last line
    entering = torch.where(mask | ~some, harmless, torch.full_like(scores, -math.inf))
    top = entering.detach().amax(dim=-1, keepdim=True)
    logarithms = (harmless - top) - (entering - top).logsumexp(dim=-1, keepdim=True)
    return torch.where(mask, logarithms, torch.full_like(scores, -math.inf)).exp()
