# %% wrong: root after the softmax
# The weights are divided by the root in place of the scores: the rows sum to 1/sqrt(d_k) and the softmax is as sharp as unscaled.
# Hint: what does a row of your weights sum to?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1)
    weights = masked_softmax(scores, mask) / math.sqrt(query.shape[-1])
    return weights @ value, weights


# %% wrong: softmax over the queries
# The softmax runs over the axis of the queries, so a key shares itself out among the queries and no row sums to one.
# Hint: who has one unit of weight to give, a query or a key?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        mask = mask.expand_as(scores).transpose(-2, -1)
    weights = masked_softmax(scores.transpose(-2, -1), mask).transpose(-2, -1)
    return weights @ value, weights


# %% wrong: axes counted from the front
# transpose(1, 2) is right for (B, S, d_k) only; with another leading axis, or none, it exchanges the wrong ones or fails.
# Hint: try it with (T, d_k), and with (B, heads, T, d_k); from which end are the last two axes always the same?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: root of the values' width
# The scores are divided by the root of d_v, which is that of d_k only where values are as wide as keys.
# Hint: of which vectors is the dot product, and how many products are in the sum?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.transpose(-1, -2)) / value.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights


# %% correct: einsum, the queries scaled beforehand

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query * query.size(-1) ** -0.5, key)
    weights = masked_softmax(scores=scores, mask=mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


# %% correct: a softmax of its own, one query at a time

def _weights_of_rows(scores, allowed):
    some = allowed.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~allowed, -math.inf).masked_fill(~some, 0.0)
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp().masked_fill(~allowed, 0.0)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    d_k = query.shape[-1]
    scores = torch.stack([(q.unsqueeze(-2) * key).sum(dim=-1) for q in query.unbind(dim=-2)], dim=-2)
    scores = scores / math.sqrt(d_k)
    allowed = scores.new_ones(scores.shape, dtype=torch.bool) if mask is None else mask.broadcast_to(scores.shape)
    weights = _weights_of_rows(scores, allowed)
    output = (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(dim=-2)
    return output, weights
