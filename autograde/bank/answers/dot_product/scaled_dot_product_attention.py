# %% wrong: the scores are not scaled
# The weights are those of scores that were not divided by the root of d_k. Divide before the softmax. See section 4.4.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after

# %% wrong: divided by d_k instead of its root
# The scores were divided by d_k itself, so the weights are flatter than the equation says. It trains nearly as well
# (section 4.4), and is not what everybody else computes: take the root.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after
    scores = scores / query.shape[-1]

# %% wrong: softmax over the queries
# Here the queries compete for each key. A query shares its weight out among the keys, so the softmax runs over the
# last axis of the scores. See section 4.3.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores.mT, None if mask is None else mask.mT).mT

# %% wrong: no softmax
# The scores themselves were used as weights: the rows sum to anything. A softmax over the keys comes between.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = scores if mask is None else scores * mask

# %% wrong: softmax twice
# The weights are nearly equal, because a softmax was taken of weights. Take it once, of the scores.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(masked_softmax(scores, mask), mask)

# %% wrong: the mask comes after the softmax
# The forbidden weights are zero, but they had taken their share before. Mask the scores, as your masked_softmax of
# chapter 02 does.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores, None) if mask is None else masked_softmax(scores, None) * mask

# %% wrong: the mask is turned round
# The forbidden keys got the weight. In this course, and in PyTorch's function of this name, True means that a query
# may attend.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores, None if mask is None else ~mask)

# %% wrong: the mask is not used
# The mask changes nothing. Pass it to your masked_softmax.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores, None)

# %% wrong: forbidden scores are set to zero
# A forbidden score was multiplied to 0, and exp(0) is 1: the key takes part like any other. Its score has to be minus
# infinity before the softmax.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores * mask, dim=-1)

# %% wrong: a large negative number in place of minus infinity
# All scores of that row are one and the same number, so the softmax makes equal shares of them. All else is right. Set
# the weights of such rows to zero, as your masked_softmax does.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=-1)

# %% wrong: minus infinity, and nothing for a row that allows nothing
# A row of minus infinities has no softmax: it is 0/0. Use your masked_softmax of chapter 02, or set such rows to zero
# before and after the softmax.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1)

# %% wrong: the keys are blended in place of the values
# The output is a mean of the keys. Keys are for finding; what is handed out are the values.

# --- before
    return weights @ value, weights
# --- after
    return weights @ key, weights

# %% wrong: the weights come back without their gradient
# The weights that come back are cut from the graph. They are a result like the output: a loss may be made of them.

# --- before
    return weights @ value, weights
# --- after
    return weights @ value, weights.detach()

# %% wrong: the output alone
# Only one result came back. Return the output and the weights, so that figures can be drawn of them.

# --- before
    return weights @ value, weights
# --- after
    return weights @ value

# %% wrong: axes counted from the front
# Axes 1 and 2 are the right ones for (B, T, d) alone. Without a batch there is no axis 2, and with two leading axes
# they are the wrong ones: count from the end, -1 and -2.

# --- before
    scores = query @ key.transpose(-2, -1)
# --- after
    scores = query @ key.transpose(1, 2)

# %% wrong: reshaped in place of transposed
# The key got the right shape by reshape, which reads the numbers in their old order and so mixes different keys.
# Exchange two axes instead.

# --- before
    scores = query @ key.transpose(-2, -1)
# --- after
    scores = query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])

# %% wrong: the mask is added to the scores
# Adding a boolean mask gives the allowed scores one more, and lets the others through as they are. The score of a
# forbidden key has to become minus infinity.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores + mask, dim=-1)

# %% wrong: forbidden scores are set to -100
# A forbidden score was set to -100, or some such number. Where the allowed ones are lower still, the forbidden key
# wins: take minus infinity, or the lowest number that there is.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -100), dim=-1)
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)

# %% wrong: the first line is gone
# All is right where the shapes fit; where they do not, nothing says so. Put back the stub's first line.

# --- before
    check_scaled_dot_product(query, key, value, mask)
# --- after

# %% correct: a bias for the forbidden keys
def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    weights = torch.matmul(query, torch.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    if mask is not None:
        lowest = torch.finfo(weights.dtype).min / 2
        weights = weights + torch.zeros_like(mask, dtype=weights.dtype).masked_fill_(~mask, lowest)
    weights = weights.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ value, weights

# %% correct: broadcast, and one exponential
def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    s = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / query.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask.logical_not(), -1e9)
    weights = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
    if mask is not None:
        weights = weights * mask
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights

# %% correct: einsum with an ellipsis
def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    scores = torch.einsum("...td,...sd->...ts", query, key) * query.size(-1) ** -0.5
    weights = masked_softmax(scores, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights

# %% correct: a large negative number, and empty rows set to zero
def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return weights @ value, weights

# %% correct: minus infinity, and NaN replaced
def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    scores = torch.matmul(query, key.mT).div(query.size(-1) ** 0.5)
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0.0)
    return torch.matmul(weights, value), weights
