# %% wrong: the largest score is taken over forbidden keys too
# Stable for allowed keys alone. Where a forbidden key's score lies hundreds above the allowed ones, their exponentials all underflow
# to zero, and a row that allows keys gets no weight at all.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    if mask is not None:
        exponentials = exponentials.masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights


# %% wrong: minus infinity is added, and NaN is replaced afterwards
# Forward it is right, zeros included. But a row that allows nothing has a NaN inside the softmax, and an addition, unlike
# masked_fill, hands the NaN on: the gradients of query and key are NaN as soon as one row is empty.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.mT) / query.size(-1) ** 0.5
    if mask is not None:
        penalty = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        penalty[~mask] = float("-inf")
        scores = scores + penalty
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return torch.matmul(weights, value), weights


# %% wrong: indexed with a mask that has to be broadcast
# scores[~mask] wants a mask of the scores' own shape. A mask (T, S), (S,) or (B, 1, S) with batched scores raises an IndexError.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        scores[~mask] = torch.finfo(scores.dtype).min
        weights = scores.softmax(dim=-1)
        weights = weights * mask.any(dim=-1, keepdim=True)
    return weights @ value, weights


# %% wrong: an empty row's output is zero, its weights are not
# The output of a row that allows nothing is set to zero, but the weights that come back for it are 1 / S on every forbidden key.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    output = weights @ value
    if mask is not None:
        nothing = ~mask.any(dim=-1, keepdim=True)
        output = output.masked_fill(nothing, 0.0)
    return output, weights


# %% correct: row by row, over the allowed keys alone

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    leading, (T, d_k), S = query.shape[:-2], query.shape[-2:], key.shape[-2]
    if mask is None:
        mask = torch.ones(T, S, dtype=torch.bool, device=query.device)
    allowed = mask.expand(*leading, T, S).reshape(-1, T, S)
    rows = []
    for q, k, ok in zip(query.reshape(-1, T, d_k), key.reshape(-1, S, d_k), allowed, strict=True):
        for t in range(T):
            places = ok[t].nonzero().flatten()
            chosen = torch.softmax(k[places] @ q[t] / math.sqrt(d_k), dim=0)
            rows.append(torch.zeros(S, dtype=chosen.dtype, device=chosen.device).index_put((places,), chosen))
    weights = torch.stack(rows).view(*leading, T, S)
    return weights @ value, weights


# %% correct: products by broadcasting, and a row that allows nothing opened and then closed

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    z = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(dim=-1).div(query.shape[-1] ** 0.5)
    if mask is None:
        weights = (z - z.logsumexp(dim=-1, keepdim=True)).exp()
    else:
        something = mask.any(dim=-1, keepdim=True)
        opened = mask | ~something  # no row is left empty, so that nothing is NaN on the way back
        z = torch.where(opened, z, -torch.inf)
        weights = torch.where(mask, (z - z.logsumexp(dim=-1, keepdim=True)).exp(), 0.0)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(dim=-2), weights
