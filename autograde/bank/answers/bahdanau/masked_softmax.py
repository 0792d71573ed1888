# %% wrong: a large number is subtracted from forbidden scores
# A forbidden score was lowered by a number, so a larger score wins all the same, and infinity stays infinity. What
# stands there must not matter: replace it.

def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores - 1e9 * (~mask).float(), dim=-1) * mask

# %% wrong: the mask comes after the softmax
# The forbidden weights are zero, but softmax had already shared weight out to them, so the rest of the row no longer
# sums to one. Mask the scores before the softmax. See section 2.3.

# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
# --- after
# --- before
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
# --- after

# %% wrong: forbidden scores are set to zero
# A score of 0, or of 1e-9, is a score like any other: its exponential is 1. A forbidden score must vanish under the
# exponential. See section 2.3.

# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
# --- after
    scores = scores.masked_fill(~mask, 0.0)
# --- before
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
# --- after
    return torch.softmax(scores, dim=-1)

# %% wrong: the mask is turned round
# The allowed keys got nothing and the forbidden ones shared the weight. In this course True means that a key may be
# attended to. See section 2.3.

# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
# --- after
    scores = scores.masked_fill(mask, float("-inf"))
# --- before
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
# --- after
    return torch.softmax(scores, dim=-1)

# %% wrong: the mask is not used
# The weights are those of a plain softmax: the mask changes nothing. Use it before the softmax. See section 2.3.

def masked_softmax(scores, mask):
    check_mask(scores, mask)
    return torch.softmax(scores, dim=-1)

# %% wrong: the mask is added as a number
# Added to the scores, True raises a score by one and False leaves it, so a forbidden key still gets weight. Replace
# the forbidden scores instead.

def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores + mask.float(), dim=-1)

# %% wrong: a fully masked row is NaN
# A row of minus infinities has no softmax: it is 0/0. The docstring says what comes back for a row that allows
# nothing. See section 2.3.

# --- before
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
# --- after
    return torch.softmax(scores, dim=-1)

# %% wrong: a fully masked row is uniform
# With a large negative number a row that allows nothing comes out uniform, 1/S for every forbidden key. Set such a row
# to zero at the end. See section 2.3.

# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
# --- after
    scores = scores.masked_fill(~mask, -1e9)
# --- before
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
# --- after
    return torch.softmax(scores, dim=-1)

# %% wrong: softmax over the rows instead of the keys
# The columns sum to one and not the rows: the softmax ran over the axis before the last. The keys are the last axis.

def masked_softmax(scores, mask):
    check_mask(scores, mask)
    axis = max(scores.ndim - 2, 0)
    if mask is None:
        return torch.softmax(scores, dim=axis)
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=axis).nan_to_num(0.0).masked_fill(~mask, 0.0)

# %% wrong: softmax twice
# The weights are nearly equal: what went into the last softmax were weights already, all between 0 and 1. One softmax
# is enough.

# --- before
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
# --- after
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    scores = torch.softmax(scores, dim=-1).masked_fill(~mask, -1e9)

# %% wrong: the formula as it reads
# The exponential of a large score overflows to infinity, and infinity times 0 is NaN; that of a very low one is 0, and
# 0/0 is NaN too. Take forbidden scores out of the way first, and let torch.softmax, which subtracts the highest score,
# do the rest. See exercise 0.3 on the safe softmax.

def masked_softmax(scores, mask):
    check_mask(scores, mask)
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    e = torch.exp(scores) * mask
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: forbidden scores are set to -100
# Minus a hundred is low beside most scores and high beside scores near -130: there the forbidden keys take the weight.
# Use a number that no score reaches; minus infinity is one.

# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
# --- after
    scores = scores.masked_fill(~mask, -100.0)

# %% wrong: the check of the mask is left out
# A mask of numbers, or of another shape, does not raise what the docstring promises. The first line of the stub, which
# is given, does it: put it back.

# --- before
    check_mask(scores, mask)
# --- after

# %% wrong: the mask comes after the softmax, and the rest is divided again
# Dividing again makes ordinary rows right. But a forbidden score that is far above the others had taken all the weight
# in the softmax, and nothing is left to divide. Mask the scores before the softmax. See section 2.3.

def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)

# %% wrong: forbidden scores are set to -1,000
# Beside allowed scores below -1,000 that number is the highest of all, and the forbidden keys take the weight. The
# exercise allows scores down to -1,000,000: use a number far below them, or minus infinity.

# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
# --- after
    scores = scores.masked_fill(~mask, -1e3)

# %% correct: torch.where and nan_to_num
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return scores.softmax(-1)
    return torch.where(mask, scores, float("-inf")).softmax(-1).nan_to_num(0.0)

# %% correct: a large negative number, empty rows zeroed
# --- before
    scores = scores.masked_fill(~mask, float("-inf"))
    # A row of minus infinities has no softmax (0/0), forwards or backwards: let it be
    # uniform, then take it away.
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
# --- after
    return torch.softmax(scores.masked_fill(mask == False, -1e9), dim=-1) * mask.any(dim=-1, keepdim=True)

# %% correct: exponentials by hand
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores).bool()
    scores = torch.where(mask, scores, torch.full_like(scores, -1e30))
    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    return e / (e.sum(-1, keepdim=True) + 1e-20)

# %% correct: row by row, over the allowed keys alone
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    mask = mask.expand(scores.shape)
    flat_scores, flat_mask = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(flat_scores, flat_mask):
        weights = torch.zeros_like(row)
        weights[keep] = torch.softmax(row[keep], dim=0)
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)

# %% correct: log_softmax, in float64
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.exp(torch.log_softmax(scores, -1))
    wide = scores.double().masked_fill(mask.logical_not(), -1e12)
    weights = torch.exp(torch.log_softmax(wide, dim=-1))
    return torch.where(mask, weights, torch.zeros_like(weights)).to(scores.dtype)
