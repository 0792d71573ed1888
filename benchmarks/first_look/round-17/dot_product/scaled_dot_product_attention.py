# %% wrong: rows without a key are opened in the caller's mask
# A row that allows nothing gets its first key "for now" so that the softmax has something to do, but in the mask that was
# given: after the call the caller's own mask allows key 0 there. A mask with a row (or all) False shows it, also a second
# call with the same mask, whose row then has weight 1 on key 0.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        nothing = ~mask.any(dim=-1)
        mask[..., 0] |= nothing  # a softmax over nothing would be NaN
        weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
        weights = weights.masked_fill(nothing.unsqueeze(-1), 0.0)
    return weights @ value, weights


# %% wrong: scores cut off so that exp does not overflow
# Scores are clamped to -80 ... 80 before the exponential, so that two scores of 100 and 300 get the same weight, where the
# second should get all. Shows where scores are in the hundreds (query and key about ten times as large as usual).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.clamp(-80, 80)  # exp(89) is infinite in float32
    exponentials = torch.exp(scores)
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ value, weights


# %% wrong: the empty row thought of only where the whole mask is empty
# Zeros come back only where the mask allows nothing at all. A single row without a key, among rows that have some (causal
# mask and padding in front), gives NaN.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        if not mask.any():
            weights = scores * 0.0
            return weights @ value, weights
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


# %% wrong: forbidden scores overwritten by indexing with the mask
# scores[~mask] needs a mask of the scores' own shape. A mask (T, S), (B, 1, S) or (S,) with scores (B, T, S) is promised to
# broadcast, and raises an IndexError here (or, where B = T = S by chance, blocks other entries).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.clone()
        scores[~mask] = float("-inf")
        weights = torch.softmax(scores, dim=-1)
        weights = torch.nan_to_num(weights, nan=0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


# %% correct: one key after the other with a running maximum

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    root = math.sqrt(query.shape[-1])
    S = key.shape[-2]
    shape = query.shape[:-1] + (S,)
    allowed = None if mask is None else torch.broadcast_to(mask, shape)
    columns, top = [], None
    for s in range(S):
        score = (query * key[..., s : s + 1, :]).sum(dim=-1) / root
        if allowed is not None:
            score = torch.where(
                allowed[..., s], score, torch.full_like(score, torch.finfo(score.dtype).min)
            )
        columns.append(score)
        top = score.detach() if top is None else torch.maximum(top, score.detach())
    total = 0
    for s in range(S):
        columns[s] = torch.exp(columns[s] - top)
        if allowed is not None:
            columns[s] = columns[s] * allowed[..., s]
        total = total + columns[s]
    total = torch.where(total == 0, torch.ones_like(total), total)
    columns = [column / total for column in columns]
    output = 0
    for s in range(S):
        output = output + columns[s].unsqueeze(-1) * value[..., s : s + 1, :]
    return output, torch.stack(columns, dim=-1)


# %% correct: weights as exponentials of a log-sum-exp, by einsum

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    share = query.shape[-1] ** -0.25  # half of the division on either side
    scores = torch.einsum("...td,...sd->...ts", query * share, key * share)
    if mask is None:
        weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    else:
        low = torch.finfo(scores.dtype).min / 4
        scores = torch.where(mask, scores, torch.full_like(scores, low))
        weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
        weights = torch.where(mask, weights, torch.zeros_like(weights))
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
