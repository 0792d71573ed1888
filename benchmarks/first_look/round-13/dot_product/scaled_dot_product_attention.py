# %% wrong: the root of len(query)
# Taken over from the loop, where q was one query and len(q) its width. Here len(query) is the first axis: the number of
# queries, or the batch. Wrong wherever it is not d_k.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(len(query))
    weights = masked_softmax(scores, mask)
    return weights @ value, weights

# %% wrong: axes counted from the front
# transpose(1, 2) turns the key of a batch (B, S, d_k) alone. For (S, d_k) it raises an IndexError, and with two leading
# axes it exchanges a leading axis with S.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    d_k = query.shape[-1]
    scores = torch.matmul(query, key.transpose(1, 2)) / d_k**0.5
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights

# %% wrong: the largest score of all rows
# Against overflow the largest score of the whole tensor is subtracted, not that of each row: a row whose scores lie some
# hundreds below it has only zeros as exponentials, and gets zero weights though its keys are allowed.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    exponentials = torch.exp(scores - scores.max())
    if mask is not None:
        exponentials = exponentials.masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights

# %% wrong: divided after the softmax
# The root is divided out of the weights instead of the scores: the rows sum to 1 / sqrt(d_k), for every d_k > 1.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    weights = masked_softmax(query @ key.transpose(-2, -1), mask) / math.sqrt(query.shape[-1])
    return weights @ value, weights

# %% correct: one query at a time, by broadcasting and sums

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    full = None if mask is None else mask.expand(*query.shape[:-1], key.shape[-2])
    outputs, shares = [], []
    for t in range(query.shape[-2]):
        asked = query[..., t : t + 1, :] / math.sqrt(query.shape[-1])
        row = masked_softmax((asked * key).sum(dim=-1), None if full is None else full[..., t, :])
        shares.append(row)
        outputs.append((row.unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(outputs, dim=-2), torch.stack(shares, dim=-2)

# %% correct: flattened to one batch, baddbmm with the mask as fill

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    *lead, length, d_k = query.shape
    sources = key.shape[-2]
    count = math.prod(lead)
    q, k, v = (x.reshape(count, *x.shape[-2:]) for x in (query, key, value))
    zero = torch.zeros(1, 1, 1, dtype=query.dtype, device=query.device)
    scores = torch.baddbmm(zero, q, k.permute(0, 2, 1), alpha=d_k**-0.5)
    if mask is None:
        allowed = torch.ones(1, length, sources, dtype=torch.bool, device=query.device)
    else:
        allowed = mask.expand(*lead, length, sources).reshape(count, length, sources)
    scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=2).masked_fill(~allowed, 0.0)
    output = torch.bmm(weights, v)
    return output.reshape(*lead, length, v.shape[2]), weights.reshape(*lead, length, sources)
