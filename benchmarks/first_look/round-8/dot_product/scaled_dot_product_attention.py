# %% wrong: the width counted from the front
# query.shape[1] is d_k for a query (T, d_k), and T for (B, T, d_k): with a batch the scores are divided by the root of T (with two
# leading axes, by that of the second). Shows where T differs from d_k.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)  # a row without any allowed key is NaN so far
    return weights @ value, weights

# %% wrong: a very negative number in place of minus infinity
# -1e9 for what is forbidden: a row that allows nothing has S equal scores, and gets the weights 1/S and the mean of all
# values in place of zeros.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights

# %% wrong: masked after the softmax
# The forbidden weights are zeroed when the row has been shared out already: a row sums to less than one over the allowed keys.
# Shows for every mask with a False in it.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    weights = torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights

# %% wrong: NaN swept up, but not its gradient
# Minus infinity is added for what is forbidden, and the NaN of an empty row replaced by 0. The numbers that come out are right, but
# the gradient of query and key is NaN as soon as a row of the mask is empty.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        forbidden = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        scores = scores + forbidden.masked_fill(~mask, -torch.inf)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return weights @ value, weights

# %% correct: exponentials by hand, divided at the end

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    root = query.shape[-1] ** 0.25
    scores = torch.einsum("...td,...sd->...ts", query / root, key / root)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    allowed = mask.broadcast_to(scores.shape)
    lowest = torch.finfo(scores.dtype).min
    top = torch.where(allowed, scores.detach(), lowest).amax(dim=-1, keepdim=True)
    shifted = torch.where(allowed, scores - top, 0)  # at most 0 where allowed
    exponentials = torch.where(allowed, shifted.exp(), 0)
    total = exponentials.sum(dim=-1, keepdim=True)
    total = total + (total == 0)  # nothing allowed: 0 / 1
    return torch.einsum("...ts,...sv->...tv", exponentials, value) / total, exponentials / total

# %% correct: each query with the keys that it may see, and with no others

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = (query @ key.mT) * query.shape[-1] ** -0.5
    if mask is None:
        mask = torch.ones(scores.shape[-1], dtype=torch.bool, device=query.device)
    rows = scores.reshape(-1, scores.shape[-1])
    allowed = mask.expand(scores.shape).reshape(rows.shape)
    weights = []
    for row, may in zip(rows, allowed):
        (seen,) = may.nonzero(as_tuple=True)
        weights.append(torch.zeros_like(row).scatter(0, seen, torch.softmax(row[seen], dim=0)))
    weights = torch.stack(weights).reshape(scores.shape)
    return weights @ value, weights
