# %% wrong: softmax over all keys, then the forbidden ones struck out and the rest shared out anew
# The softmax runs over forbidden keys too. Where a forbidden key's score is some hundreds above the allowed ones, their
# weights have underflowed to 0 before the division, and the row sums to 0 instead of 1.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-12)
    return weights @ value, weights

# %% wrong: minus infinity added, and NaN replaced in the weights
# Forward it is right. In a row that allows nothing the softmax's backward meets NaN, and an addition passes it on
# to the scores: the gradients of query and key are NaN, not zero, for any mask with an empty row.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        blocked = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
        scores = scores + blocked
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    return weights @ value, weights

# %% wrong: the largest score of the whole tensor is subtracted
# One maximum serves all rows. A row whose scores lie some hundreds below the largest score of another row underflows
# entirely: its weights are 0 (or a share of 1e-12) and do not sum to one.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(query.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    exponentials = torch.exp(scores - scores.max()) * mask
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True).clamp_min(1e-12)
    return weights @ value, weights

# %% wrong: where a row allows nothing the output is zero, but not the weights
# The large negative number gives equal weights in a row whose mask allows nothing; only the output is set to zero there.
# The docstring promises that both are zero: shows for any mask with an empty row.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    output = weights @ value
    if mask is not None:
        output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return output, weights

# %% correct: one more key that takes everything where nothing is allowed

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        allowed = mask.expand(scores.shape)
        empty = ~allowed.any(dim=-1, keepdim=True)
        # beside the S keys a nobody: score 0 where the row is empty, out of the race everywhere else
        nobody = torch.zeros_like(scores[..., :1]).masked_fill(~empty, -torch.inf)
        race = torch.cat([scores.masked_fill(~allowed, -torch.inf), nobody], dim=-1)
        weights = race.softmax(dim=-1)[..., :-1]
    return torch.einsum("...ts,...sv->...tv", weights, value), weights

# %% correct: key after key, with a running maximum

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    num_keys, root = key.shape[-2], math.sqrt(key.shape[-1])
    shape = (*query.shape[:-1], num_keys)
    if mask is None:
        mask = torch.ones(num_keys, dtype=torch.bool, device=query.device)
    mask = mask.expand(shape)
    columns = [(query * key[..., s, :].unsqueeze(-2)).sum(dim=-1) / root for s in range(num_keys)]
    # the largest allowed score of each query, 0 where there is none: a shift, through which no gradient needs to flow
    top = torch.full_like(columns[0].detach(), -torch.inf)
    for s, column in enumerate(columns):
        top = torch.where(mask[..., s], torch.maximum(top, column.detach()), top)
    top = torch.where(mask.any(dim=-1), top, torch.zeros_like(top))
    total, parts = torch.zeros_like(columns[0]), []
    for s, column in enumerate(columns):
        # forbidden scores are replaced before exp, which they could overflow
        above = torch.where(mask[..., s], column - top, torch.zeros_like(top))
        parts.append(torch.where(mask[..., s], above.exp(), torch.zeros_like(top)))
        total = total + parts[-1]
    total = torch.where(mask.any(dim=-1), total, torch.ones_like(total))
    weights = torch.stack([part / total for part in parts], dim=-1)
    output = sum(weights[..., s, None] * value[..., s, :].unsqueeze(-2) for s in range(num_keys))
    return output, weights
