# %% wrong: a row that allows nothing is shared out evenly
# Forbidden scores are replaced by a large negative number. Where everything is forbidden all of them are equal, and the row gets equal weights in place of zeros.
# Hint: what does your function return for a mask with no True in it?

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    return torch.softmax(scores, dim=-1)


# %% wrong: masked after the softmax and shared out again
# The softmax runs over all the scores, then the forbidden weights are set to zero and the rest is divided by its sum. A huge forbidden score pushes all allowed weights to zero, and an infinite or NaN one spoils the row.
# Hint: let a forbidden score be 1000, or inf, and look at the weights of the allowed ones.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)


# %% wrong: the logarithm of the mask is added and NaN replaced at the end
# Minus infinity is added to the forbidden scores, and NaN rows are set to zero afterwards. The values look right, but the gradient of a row that allows nothing is NaN, and an infinite forbidden score wipes out its whole row.
# Hint: call backward on the sum of your weights with one row that allows nothing, and print the gradient of the scores.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    log_mask = torch.log(mask.to(scores.dtype))
    weights = torch.softmax(scores + log_mask, dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% wrong: the caller's scores are overwritten
# The fill is done in place, so the scores that were handed in hold minus infinity afterwards; scores that are parameters cannot be masked at all.
# Hint: print the scores before and after the call. What does the underscore at the end of a method's name mean?

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores.masked_fill_(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(~mask, 0.0)


# %% wrong: the softmax runs over axis one
# The axis is counted from the front, as if scores were always (B, S). With one axis it stops, and with three it normalises over the middle axis.
# Hint: the docstring says over which axis. How do you count axes so that the number in front does not matter?

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=1)
    filled = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(filled, dim=1)
    return weights.masked_fill(~mask, 0.0)


# %% correct: rows that allow nothing are given zeros before the softmax and cleared after it

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return scores.softmax(-1)
    forbidden = mask.logical_not()
    nothing = forbidden.all(dim=-1, keepdim=True)
    safe = scores.masked_fill(forbidden, -math.inf).masked_fill(nothing, 0.0)
    return safe.softmax(-1).masked_fill(nothing, 0.0)


# %% correct: a loop that softmaxes the allowed entries of each row alone

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    num_rows, num_keys = math.prod(scores.shape[:-1]), scores.shape[-1]
    rows = scores.reshape(num_rows, num_keys)
    allowed = mask.expand(scores.shape).reshape(num_rows, num_keys)
    weights = torch.zeros_like(rows)
    for r in range(num_rows):
        here = allowed[r].nonzero().flatten()
        weights[r, here] = torch.softmax(rows[r, here], dim=0)
    return weights.reshape(scores.shape)
