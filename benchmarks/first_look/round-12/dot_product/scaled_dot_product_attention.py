# %% wrong: the root of the values' width
# The scores are divided by the root of d_v: it is the queries' and keys' width, d_k, that enters.
# Shows wherever d_v differs from d_k.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ value, weights

# %% wrong: axes counted from the front
# transpose(1, 2) is right with one leading axis only.
# Shows without a leading axis (an error) and with two (an error, or wrong scores).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return weights @ value, weights

# %% wrong: scales the caller's query
# /= divides the query itself: it comes back changed, and a second call gives other weights.
# Shows in query after every call with d_k above 1.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    query /= math.sqrt(query.shape[-1])
    weights = masked_softmax(query @ key.transpose(-2, -1), mask)
    return weights @ value, weights

# %% wrong: zeroes the weights when the output is made
# A row that allows nothing gets equal weights first; they are zeroed for the return, but the output has used them.
# Shows where a row's mask allows nothing: its output is the mean of all values.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    output = weights @ value
    return output, weights.masked_fill(~mask, 0.0)

# %% correct: every product entry by entry

# No matrix product: queries and keys are stretched over each other, multiplied and summed, and so are weights and values.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    meeting = query.unsqueeze(-2) * key.unsqueeze(-3)  # (..., T, S, d_k)
    weights = masked_softmax(meeting.sum(dim=-1) * query.shape[-1] ** -0.5, mask)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(dim=-2), weights

# %% correct: one leading axis for all, half of the root on each side

# All leading axes are flattened into one for baddbmm, and query and key are each divided by the fourth root of d_k.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    *leading, queries, width = query.shape
    keys = key.shape[-2]
    half = width**-0.25
    q = (half * query).reshape(-1, queries, width)
    k = (half * key).reshape(-1, keys, width)
    v = value.reshape(-1, keys, value.shape[-1])
    scores = torch.baddbmm(q.new_zeros(()), q, k.transpose(1, 2), beta=0)
    weights = masked_softmax(scores.view(*leading, queries, keys), mask)
    output = torch.bmm(weights.reshape(-1, queries, keys), v)
    return output.view(*leading, queries, v.shape[-1]), weights
