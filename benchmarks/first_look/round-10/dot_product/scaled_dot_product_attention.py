# %% wrong: forbidden keys get minus a billion
# Where a row's mask allows nothing, all its scores are the same -1e9 and the softmax shares them out equally: the weights are 1 / S and the
# output is the mean of the values, where both have to be zero.


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: the axes are counted from the front
# transpose(1, 2) and softmax(dim=2) are right for one leading axis only. Without a leading axis (query (T, d_k)) it raises IndexError; with
# two (B, H, T, d_k) heads and positions are exchanged, which raises or, with H = S, runs and is wrong.


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=2))
    return weights @ value, weights


# %% wrong: softmax first, then mask and divide again
# In exact arithmetic dividing again mends it. Where a forbidden score is some 100 above the allowed ones, their weights are 0 before the mask
# comes, and the row sums to 0 in place of one over the allowed keys: scores [0, 200] with mask [True, False].


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / torch.where(total == 0, torch.ones_like(total), total)
    return weights @ value, weights


# %% wrong: the mask is added, and NaN swept up afterwards
# In a row that allows nothing the softmax of minus infinities is NaN; nan_to_num makes zeros of it, but on the way back the NaN is still there
# and the gradients by query and key are NaN, where zero is promised. Forward all is right.


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return torch.einsum("...ts,...sd->...td", weights, value), weights


# %% correct: one more key that takes the weight of empty rows


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query / math.sqrt(query.shape[-1]), key.mT)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand(scores.shape)
    allowed = torch.cat([mask, ~mask.any(dim=-1, keepdim=True)], dim=-1)  # the key beside them: for empty rows alone
    scores = F.pad(scores, (0, 1)).masked_fill(~allowed, -math.inf)
    weights = torch.softmax(scores, dim=-1)[..., :-1]
    return torch.matmul(weights, value), weights


# %% correct: flattened to three axes, the softmax written out


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    leading, (T, d_k), S = query.shape[:-2], query.shape[-2:], key.shape[-2]
    count = math.prod(leading)
    q, k, v = query.reshape(count, T, d_k), key.reshape(count, S, d_k), value.reshape(count, S, value.shape[-1])
    scores = torch.bmm(q, k.transpose(1, 2)) * d_k**-0.5
    if mask is None:
        allowed = torch.ones(count, T, S, dtype=torch.bool, device=query.device)
    else:
        allowed = mask.expand(*leading, T, S).reshape(count, T, S)
    top = scores.detach().masked_fill(~allowed, -math.inf).amax(dim=2, keepdim=True)
    top = torch.where(top == -math.inf, torch.zeros_like(top), top)
    above = torch.where(allowed, scores - top, torch.zeros_like(scores))  # forbidden ones cannot overflow
    exponentials = above.exp() * allowed
    total = exponentials.sum(dim=2, keepdim=True)
    weights = exponentials / (total + (total == 0))
    return torch.bmm(weights, v).reshape(*leading, T, v.shape[2]), weights.reshape(*leading, T, S)
