# %% wrong: a large negative number for the forbidden
# Forbidden scores become -1e9: a row that allows nothing has all its scores alike and gets weights of 1 / S and the mean of
# the values in place of zeros. Shows for a mask with an empty row.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: axes counted from the front
# transpose(1, 2) and dim=2 fit a batch (B, T, d_k) alone: without a leading axis there is no axis 2, and with two of them
# heads and positions are exchanged.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.transpose(1, 2)) / query.shape[2] ** 0.5
    if mask is None:
        weights = torch.softmax(scores, dim=2)
    else:
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=2)
        weights = weights.masked_fill(~mask, 0.0)
    return torch.matmul(weights, value), weights


# %% wrong: NaN wiped off the weights
# Minus infinity is added, and the NaN of an empty row replaced by zero behind the softmax: output and weights are right, but
# the softmax's backward has seen the NaN. Shows in the gradients of query and key where a row's mask allows nothing.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return weights @ value, weights


# %% wrong: mask after the softmax
# The forbidden weights are set to zero when the softmax has already shared out to them: the rows no longer sum to one. Shows
# for every mask with a row that forbids some keys and allows others.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    d_k = query.size(-1)
    weights = F.softmax(query @ key.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


# %% correct: a sink that takes what nobody may have

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query / math.sqrt(query.shape[-1]), key)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    nobody = ~allowed.any(dim=-1, keepdim=True)
    closed = torch.full_like(scores, -torch.inf)
    sink = torch.where(nobody, torch.zeros_like(nobody, dtype=scores.dtype), -torch.inf)
    extended = torch.cat([torch.where(allowed, scores, closed), sink], dim=-1)  # (..., T, S + 1)
    weights = torch.softmax(extended, dim=-1)[..., :-1]
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


# %% correct: exponentials and a column of ones

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = (key @ query.mT).mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    top = F.pad(scores.detach(), (0, 1), value=-torch.inf).amax(dim=-1, keepdim=True)
    powers = torch.exp(scores - top.masked_fill(top == -torch.inf, 0.0))
    ones = torch.ones_like(value[..., :1])
    sums = powers @ torch.cat([value, ones], dim=-1)  # the values' sum, and beside it the denominator
    total = sums[..., -1:]
    total = total + (total == 0).to(total.dtype)
    return sums[..., :-1] / total, powers / total
