# %% wrong: root of len(query), as in the loop
# `math.sqrt(len(q))` is taken over from attention_loop, where q was one vector; here len(query) is T or the batch.
# Shows for every input whose first axis is not d_k long, e.g. query (5, 3), key (7, 3).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(len(query))
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: a bias of minus infinity is added, NaN swept up afterwards
# As in the pseudo-code of PyTorch's documentation: the mask is added, not filled in, and nan_to_num mends only the
# forward pass. Where a row's mask allows nothing, the gradients of query and key are NaN instead of zero.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        bias = bias.masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return weights @ value, weights


# %% wrong: makes room for the heads in the mask by itself
# With four axes a mask of three is taken for (B, T, S) and gets an axis at 1. But a mask (H, T, S) broadcasts to
# (B, H, T, S) already: with query (2, 3, 5, 4) and a mask (3, 5, 7) it no longer fits (with B = H it masks wrongly).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    if mask is not None and query.dim() == 4 and mask.dim() == 3:
        mask = mask.unsqueeze(1)  # the heads share one mask
    scores = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


# %% wrong: query and key both divided by the root
# "Keep both small": dividing each of the two by sqrt(d_k) divides the scores by d_k.
# Shows for every input with d_k > 1 and scores that are not all alike.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    root = math.sqrt(key.shape[-1])
    query, key = query / root, key / root
    weights = masked_softmax(torch.matmul(query, key.transpose(-1, -2)), mask)
    return torch.matmul(weights, value), weights


# %% correct: one query at a time, over its allowed keys only

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    *lead, T, d_k = query.shape
    S, d_v = value.shape[-2:]
    if mask is None:
        mask = torch.ones(S, dtype=torch.bool, device=query.device)
    allowed = mask.broadcast_to(*lead, T, S).reshape(-1, T, S)
    q, k, v = query.reshape(-1, T, d_k), key.reshape(-1, S, d_k), value.reshape(-1, S, d_v)
    rows = []
    for n in range(len(q)):
        for t in range(T):
            may = allowed[n, t]
            scores = (k[n][may] * (q[n, t] * d_k**-0.5)).sum(dim=1)
            rows.append(scores.new_zeros(S).masked_scatter(may, torch.softmax(scores, dim=0)))
    weights = torch.stack(rows).view(-1, T, S)
    output = (weights.unsqueeze(3) * v.unsqueeze(1)).sum(dim=2)
    return output.view(*lead, T, d_v), weights.view(*lead, T, S)


# %% correct: each weight from the differences to all other scores

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(query.size(-1))
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    mask = mask.expand(scores.shape)
    some = mask | ~mask.any(dim=-1, keepdim=True)  # an empty row counts as full till the end
    scores = scores.masked_fill(~some, 0.0)
    # one over weight s is the sum over r of exp(score r - score s)
    apart = scores.unsqueeze(-2) - scores.unsqueeze(-1)  # (..., T, s, r)
    apart = apart.masked_fill(~some.unsqueeze(-2), -torch.inf)
    log_weights = -torch.logsumexp(apart, dim=-1)
    weights = torch.exp(log_weights.masked_fill(~mask, -torch.inf))
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
