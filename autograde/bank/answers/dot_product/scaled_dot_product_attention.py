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

# %% wrong: divided by the root of the number of keys
# The scores were divided by the root of S, the number of keys. The d_k of the equation is the width of a query, its
# last axis.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after
    scores = scores / key.shape[-2] ** 0.5

# %% wrong: divided by the root of the values' width
# The scores were divided by the root of d_v. What makes a score large is how many products are summed in it, and that
# is d_k, the width of queries and keys.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after
    scores = scores / value.shape[-1] ** 0.5

# %% wrong: multiplied by the root of d_k
# The scores were multiplied by the root of d_k, which makes the weights sharper with every feature. Divide by it. See
# section 4.4.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after
    scores = scores * query.shape[-1] ** 0.5

# %% wrong: the weights are divided after the softmax
# The rows no longer sum to one: the root of d_k divides the weights here, and belongs to the scores, before the
# softmax.

# --- before
    scores = scores / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores, mask) / query.shape[-1] ** 0.5

# %% wrong: softmax over the queries
# Here the queries compete for each key. A query shares its weight out among the keys, so the softmax runs over the
# last axis of the scores. See section 4.3.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores.mT, None if mask is None else mask.mT).mT

# %% wrong: softmax over the first axis
# The softmax ran over the first axis, so sequences of the batch share weight with one another. It runs over the keys,
# the last axis.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=0)

# %% wrong: softmax over the features
# The softmax was taken of queries and keys, over their features. It belongs to the scores: one row for each query,
# shared out over the keys. See section 4.3.

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    q, k = torch.softmax(query, dim=-1), torch.softmax(key, dim=-1)
    weights = q @ k.transpose(-2, -1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights

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
# The mask changes nothing. Hand it on to the softmax.

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

# %% wrong: the first axis and the last are exchanged
# The key's first axis was exchanged with its last. Exchange the last two, counted from the end, so that any leading
# axes stay where they are.

# --- before
    scores = query @ key.transpose(-2, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
# --- after
    scores = query @ key.transpose(0, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)

# %% wrong: written for three axes alone
# It is right for (B, T, d) and stops for any other number of axes. Chapter 05 will put an axis for the heads in
# between: let the leading axes be whatever they are.

# --- before
    scores = query @ key.transpose(-2, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
# --- after
    scores = torch.einsum("btd,bsd->bts", query, key)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
# --- before
    return weights @ value, weights
# --- after
    return torch.einsum("bts,bsd->btd", weights, value), weights

# %% wrong: weights first, output second
# The two results came back in the other order. The output comes first, then the weights.

# --- before
    return weights @ value, weights
# --- after
    return weights, weights @ value

# %% wrong: the output alone
# Only one result came back. Return the output and the weights, so that figures can be drawn of them.

# --- before
    return weights @ value, weights
# --- after
    return weights @ value

# %% wrong: the scores in place of the weights
# The output is right, and what came back beside it are the scores. Return the weights that the output was made with.

# --- before
    return weights @ value, weights
# --- after
    return weights @ value, scores

# %% wrong: the weights are cut off from the graph
# The numbers are right, and the weights that came back carry no gradient (detach, or no_grad). A loss may be made of
# them too: return them as they are.

# --- before
    return weights @ value, weights
# --- after
    return weights @ value, weights.detach()

# %% wrong: no gradient through the weights at all
# The numbers are right, and no gradient reaches query and key: the weights were made outside the graph (detach, or
# no_grad), so nothing could learn where to look.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores, mask).detach()

# %% wrong: axes counted from the front
# Axes 1 and 2 are the right ones for (B, T, d) alone. Without a batch there is no axis 2, and with two leading axes
# they are others: count from the end, -1 and -2.

# --- before
    scores = query @ key.transpose(-2, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
# --- after
    scores = query @ key.transpose(1, 2)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)

# %% wrong: the root is rounded to a whole number
# The scores were divided by the root of d_k without its decimals, so only widths such as 1 and 49 come out right.
# math.isqrt and // round.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after
    scores = scores / int(query.shape[-1] ** 0.5)

# %% wrong: divided by the root of the number of queries
# The scores were divided by the root of T, the number of queries. The d_k of the equation is the width of a query, its
# last axis.

# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after
    scores = scores / query.shape[-2] ** 0.5

# %% wrong: the keys ask and the queries answer
# The scores stand the other way round: a row for each key, a column for each query. The queries ask, so they are the
# rows.

# --- before
    scores = query @ key.transpose(-2, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
# --- after
    scores = key @ query.transpose(-2, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)

# %% wrong: reshaped in place of transposed
# The key got the right shape by reshape, which reads the numbers in their old order and so mixes different keys.
# Exchange two axes instead.

# --- before
    scores = query @ key.transpose(-2, -1)  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
# --- after
    scores = query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)

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

# %% wrong: masked after the softmax and divided by what is left
# A forbidden key with a large score takes all the weight in the softmax, and what is left for the others is rounded to
# zero, which no division brings back. Mask the scores before.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-12)

# %% wrong: exponentials of the scores as they are
# In float32 exp overflows above 88. A softmax takes the row's largest allowed score away first (exercise 0.3); so does
# your masked_softmax.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    e = torch.exp(scores) if mask is None else torch.exp(scores) * mask
    weights = e / e.sum(-1, keepdim=True).clamp_min(1e-20)

# %% wrong: one largest score for all rows
# The largest score of all was taken away, and a row that lies far below it comes out as nothing. Take each row's own
# largest allowed score.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    e = torch.exp(scores - scores.max())
    total = e.sum(-1, keepdim=True)
    weights = e / total.masked_fill(total == 0, 1.0)

# %% wrong: rounded to float32 on the way
# Somewhere between, numbers are made float32. Section 4.11 compares gradients in float64: compute in the type that
# comes in.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores.float(), mask).to(value.dtype)

# %% wrong: the first line is gone
# All is right where the shapes fit; where they do not, nothing says so. Leave the first line as it was given.

# --- before
    check_scaled_dot_product(query, key, value, mask)
# --- after

# %% wrong: the query is changed in place
# The caller's query is changed, by an operator such as /= or a function such as div_. Make a new tensor.

# --- before
    check_scaled_dot_product(query, key, value, mask)
# --- after
    check_scaled_dot_product(query, key, value, mask)
    query /= query.shape[-1] ** 0.5
# --- before
    scores = scores / query.shape[-1] ** 0.5
# --- after

# %% wrong: the mask gets another axis
# An axis was put into the mask. It already broadcasts to the scores: hand it on as it is.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))

# %% wrong: the logarithm of the mask is added
# Adding log(0) is adding minus infinity, and a row of those has no softmax: it is 0/0. Use your masked_softmax, or set
# such rows to zero before and after the softmax.

# --- before
    weights = masked_softmax(scores, mask)
# --- after
    weights = torch.softmax(scores if mask is None else scores + mask.to(scores.dtype).log(), -1)

# %% wrong: softmax over the features, and divided
# The softmax was taken of queries and keys, over their features. It belongs to the scores: one row for each query,
# shared out over the keys. See section 4.3.

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    weights = torch.softmax(query, dim=-1) @ torch.softmax(key, dim=-1).mT / query.shape[-1] ** 0.5
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights

# %% correct: a bias for the forbidden keys

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    weights = torch.matmul(query, torch.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    if mask is not None:
        lowest = torch.finfo(weights.dtype).min / 2
        weights = weights + torch.zeros(mask.shape, dtype=weights.dtype).masked_fill_(~mask, lowest)
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

# %% correct: both sides scaled by the fourth root

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    root = query.shape[-1] ** 0.25
    weights = masked_softmax((query / root) @ (key / root).mT, mask)
    return weights @ value, weights

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

# %% correct: exponentials by hand

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    top = scores.masked_fill(~allowed, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    parts = torch.where(allowed, torch.exp(torch.where(allowed, scores - top, 0.0)), 0.0)
    total = parts.sum(-1, keepdim=True)
    weights = parts / torch.where(total > 0, total, 1.0)
    return weights @ value, weights

# %% correct: one query at a time

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    outputs, rows = [], []
    for t in range(query.shape[-2]):
        scores = (query[..., t, None, :] * key).sum(-1) / query.shape[-1] ** 0.5
        allowed = None if mask is None else mask.expand(*scores.shape[:-1], query.shape[-2], -1)[..., t, :]
        row = masked_softmax(scores, allowed)
        outputs.append((row.unsqueeze(-1) * value).sum(-2))
        rows.append(row)
    return torch.stack(outputs, -2), torch.stack(rows, -2)

# %% correct: all leading axes folded into one

def scaled_dot_product_attention(query, key, value, mask=None):
    check_scaled_dot_product(query, key, value, mask)

    lead, T, S = query.shape[:-2], query.shape[-2], key.shape[-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    scores = torch.bmm(q, k.transpose(1, 2)).view(*lead, T, S) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.bmm(weights.reshape(-1, T, S), v).view(*lead, T, -1), weights
