# %% wrong: the root of the values' width
# Divides by the root of d_v in place of d_k. Shows wherever the values are wider or narrower than the keys,
# such as query (2, 3, 4), key (2, 5, 4), value (2, 5, 6).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    d_k = value.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights


# %% wrong: masks after the softmax and divides by what is left
# Where a forbidden key's score is hundreds above the allowed ones, the allowed exponentials underflow to zero and the
# row's weights come out as zeros in place of a sum of one.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        total = weights.sum(dim=-1, keepdim=True)
        # rows that may look at nothing: 0 / 1 instead of 0 / 0
        weights = weights / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ value, weights


# %% wrong: adds the logarithm of the mask
# A row that allows nothing gives zeros going forward (nan_to_num), but its query's gradient is NaN: minus infinity was
# added, not put in the scores' place. Mask with an all-False row, backward through the output.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask.to(scores.dtype).log()
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong: makes room for heads in the mask
# With query (B, H, T, d_k) a mask (H, T, S) broadcasts to the scores as it is. Here it gets a new axis and becomes
# (H, 1, T, S): an error, or the wrong rows where H equals B.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    if mask is not None and mask.dim() == 3 and query.dim() == 4:
        mask = mask.unsqueeze(1)  # the same for all heads
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


# %% correct: each query alone, with the keys that it is allowed
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    *leading, T, d_k = query.shape
    S, d_v = value.shape[-2:]
    if mask is None:
        mask = torch.ones(S, dtype=torch.bool, device=query.device)
    mask = mask.expand(*leading, T, S).reshape(-1, T, S)
    queries, keys = query.reshape(-1, T, d_k), key.reshape(-1, S, d_k)
    values = value.reshape(-1, S, d_v)
    outputs, weights = [], []
    for q_all, k_all, v_all, allowed in zip(queries, keys, values, mask, strict=True):
        for t in range(T):
            places = allowed[t].nonzero().flatten()
            scores = (k_all[places] * q_all[t]).sum(dim=1) / d_k**0.5
            shares = torch.softmax(scores, dim=0)
            weights.append(torch.zeros_like(k_all[:, 0]).index_copy(0, places, shares))
            outputs.append((shares.unsqueeze(1) * v_all[places]).sum(dim=0))
    return (
        torch.stack(outputs).reshape(*leading, T, d_v),
        torch.stack(weights).reshape(*leading, T, S),
    )


# %% correct: the logarithm of the weights first
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...tk,...sk->...ts", query * query.shape[-1] ** -0.5, key)
    if mask is None:
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    else:
        mask = mask.expand(scores.shape)
        nothing = ~mask.any(dim=-1, keepdim=True)
        # in a row without keys every score counts as zero, until its weights are taken away
        kept = torch.where(mask | nothing, scores, -torch.inf)
        kept = torch.where(nothing, torch.zeros_like(kept), kept)
        logs = kept - kept.logsumexp(dim=-1, keepdim=True)
        weights = torch.where(mask, logs.exp(), torch.zeros_like(logs))
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
