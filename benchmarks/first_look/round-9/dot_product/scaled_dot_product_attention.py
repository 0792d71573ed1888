# %% wrong: counts the axes from the front
# transpose(1, 2) and dim=2 fit three axes only; with an axis for heads in between they mean others.
# Shows for query (B, H, T, d_k): an error, or wrong weights where sizes agree; and for (T, d_k) an error.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2])
    if mask is None:
        weights = torch.softmax(scores, dim=2)
    else:
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=2)
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights

# %% wrong: a large negative number for forbidden
# With -1e9 in every place, a row that may attend to nothing is uniform: each forbidden key gets 1/S.
# Shows where a row's mask allows nothing: weights and output should be zero.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    return torch.matmul(weights, value), weights

# %% wrong: a mask of zeros and minus infinities, and NaN painted over
# Adds the mask and replaces NaN by zero afterwards: the numbers are right, but the gradient still goes through NaN.
# Shows where a row's mask allows nothing: the gradient of query and key is NaN.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        added = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        scores = scores + added.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return weights @ value, weights

# %% wrong: masked after the softmax, with a small number against 0/0
# Softmax over all keys, forbidden ones set to zero, then divided by what is left plus 1e-6.
# Shows where a forbidden key has by far the largest score: the row's weights sum to much less than one, or to zero.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    weights = torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1]), dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-6)
    return weights @ value, weights

# %% correct: one more key that takes what nobody may have

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query / math.sqrt(query.shape[-1]), key)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    allowed = mask.expand(scores.shape)
    spare = torch.zeros_like(scores[..., :1]).masked_fill(allowed.any(dim=-1, keepdim=True), -torch.inf)
    longer = torch.cat([scores.masked_fill(~allowed, -torch.inf), spare], dim=-1)
    weights = longer.softmax(dim=-1)[..., :-1]
    return torch.einsum("...ts,...sv->...tv", weights, value), weights

# %% correct: exponentials by hand, one batch axis, divided at the end

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    lead, (T, d_k), (S, d_v) = query.shape[:-2], query.shape[-2:], value.shape[-2:]
    q, k, v = query.reshape(-1, T, d_k), key.reshape(-1, S, d_k), value.reshape(-1, S, d_v)
    scores = torch.bmm(q, k.transpose(1, 2)).div(d_k**0.5)
    if mask is not None:
        forbidden = mask.logical_not().expand(*lead, T, S).reshape(-1, T, S)
        scores = scores.masked_fill(forbidden, -math.inf)
    top = scores.detach().amax(dim=2, keepdim=True)
    top = torch.where(top == -math.inf, torch.zeros_like(top), top)
    exponentials = torch.exp(scores - top)
    total = exponentials.sum(dim=2, keepdim=True)
    total = total + (total == 0)
    output = torch.bmm(exponentials, v) / total
    return output.reshape(*lead, T, d_v), (exponentials / total).reshape(*lead, T, S)
