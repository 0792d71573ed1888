# %% wrong: an additive mask and nan to num
# Minus infinity is added to the scores and the NaN of empty rows replaced afterwards: what comes out is right, but
# the gradient of a row whose mask allows nothing is NaN (an addition passes it on to query and key).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        bias = bias.masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return weights @ value, weights


# %% wrong: one maximum for the whole tensor
# The softmax by hand takes away the largest score of all rows, not of its own: in a row that lies far below the others
# all the exponentials are zero, so that its weights do not sum to one.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    exponentials = torch.exp(scores - scores.max())
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ value, weights


# %% wrong: the query is divided in place
# The division by the root changes the caller's tensor; in self-attention, where all three are one tensor, keys and
# values are divided as well.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    query /= math.sqrt(query.shape[-1])
    scores = query @ key.transpose(-2, -1)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


# %% wrong: masked after the softmax, with a small number
# The weights are made without the mask, zeroed and divided by what is left plus a small number: where a forbidden key
# has by far the largest score, next to nothing is left and the allowed weights do not sum to one.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)
    return torch.matmul(weights, value), weights


# %% wrong: the mask used as an index
# An assignment by a boolean index does not broadcast: a mask (T, S) or (B, 1, S) with scores (B, T, S) raises an
# IndexError. Only a mask of the full shape works.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores[~mask] = float("-inf")
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.clone()
        weights[~mask] = 0.0
    return weights @ value, weights


# %% correct: einsum and a log of a sum of exponentials

def _log_total(scores: Tensor, allowed: Tensor) -> Tensor:
    total = torch.logsumexp(scores, dim=-1, keepdim=True)
    return total.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    dots = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    allowed = torch.ones((), dtype=torch.bool, device=dots.device) if mask is None else mask
    allowed = allowed.expand(dots.shape)
    dots = torch.where(allowed, dots, torch.full_like(dots, -math.inf))
    alpha = torch.exp(dots - _log_total(dots, allowed))
    return torch.einsum("...ts,...se->...te", alpha, value), alpha


# %% correct: recursion over the leading axes

def _one_sequence(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    rows = []
    for q, row in zip(query, allowed, strict=True):
        scores = key @ q / math.sqrt(len(q))
        if row.any():
            rows.append(scores.masked_fill(~row, -math.inf).softmax(dim=0))
        else:
            rows.append(scores.masked_fill(~row, 0.0))  # nothing is left of the scores
    weights = torch.stack(rows) if rows else query.new_zeros(0, len(key))
    return weights @ value, weights


def _descend(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    if query.dim() == 2:
        return _one_sequence(query, key, value, allowed)
    if len(query) == 0:
        return query.new_zeros(*query.shape[:-1], value.shape[-1]), query.new_zeros(allowed.shape)
    pairs = [_descend(*parts) for parts in zip(query, key, value, allowed, strict=True)]
    return torch.stack([output for output, _ in pairs]), torch.stack([weights for _, weights in pairs])


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    full = (*query.shape[:-1], key.shape[-2])
    if mask is None:
        mask = torch.ones(full, dtype=torch.bool, device=query.device)
    return _descend(query, key, value, mask.expand(full))
