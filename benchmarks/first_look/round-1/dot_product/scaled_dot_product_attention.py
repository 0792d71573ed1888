# %% wrong: axes counted from the front
# transpose(1, 2) is right for (B, S, d) alone; without a batch it fails, with heads in between it swaps heads and positions. A good message: "fails for (S, d) and (B, H, S, d): count the axes from the end".

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.transpose(1, 2)) / math.sqrt(query.shape[2])
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights

# %% wrong: the root of the values' width
# Takes the width for the scale from value: right only where d_v equals d_k. A good message: "right for d_v = d_k: the root belongs to the width of query and key".

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / value.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return weights @ value, weights

# %% wrong: divided after the softmax
# The weights are divided by the root in place of the scores: they sum to less than one. A good message: "the rows of the weights sum to 1 / sqrt(d_k): divide the scores".

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    weights = masked_softmax(query @ key.transpose(-2, -1), mask) / math.sqrt(query.size(-1))
    return weights @ value, weights

# %% wrong: a very large negative number for the mask
# Fills with -1e9: a row that allows nothing gets equal weights in place of zeros (and float16 cannot hold the number). A good message: "a row without any allowed key has weights 1/S and not 0".

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights

# %% wrong: mask flattened with the rest
# Leading axes are merged for bmm, and the mask is viewed in the same way; a mask that only broadcasts, (T, S) or (B, 1, 1, S), has not that many numbers. A good message: "a mask (T, S) must do for all sequences: expand it first".

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    lead, (T, d), (S, v) = query.shape[:-2], query.shape[-2:], value.shape[-2:]
    q, k, w = query.reshape(-1, T, d), key.reshape(-1, S, d), value.reshape(-1, S, v)
    scores = torch.bmm(q, k.transpose(1, 2)) / d**0.5
    weights = masked_softmax(scores, None if mask is None else mask.reshape(-1, T, S))
    return torch.bmm(weights, w).view(*lead, T, v), weights.view(*lead, T, S)

# %% correct: einsum, the fourth root on both sides

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    gain = query.shape[-1] ** -0.25
    weights = masked_softmax(torch.einsum("...td,...sd->...ts", query * gain, key * gain), mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights

# %% correct: leading axes merged, one query after another, own softmax

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    lead, (T, d), S = query.shape[:-2], query.shape[-2:], key.shape[-2]
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    mask = mask.broadcast_to(*lead, T, S)
    rows = []
    for t in range(T):
        scores = (key @ query[..., t, :, None]).squeeze(-1) / math.sqrt(d)  # (..., S)
        allowed = mask[..., t, :]
        scores = scores.masked_fill(~allowed, -math.inf)
        top = scores.detach().amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)
        e = (scores - top).exp()
        rows.append(e / e.sum(dim=-1, keepdim=True).masked_fill(~allowed.any(dim=-1, keepdim=True), 1.0))
    weights = torch.stack(rows, dim=-2)
    return weights @ value, weights
