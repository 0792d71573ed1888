# %% wrong: repeated along the queries
# repeat_interleave runs along the queries, and the reshape cuts (B, T * H, S) in the wrong places:
# query t gets the mask of query t // H or so. It shows where queries have masks of their own.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = ~mask
    blocked = blocked.repeat_interleave(attention.num_heads, dim=1)
    blocked = blocked.reshape(B * attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% wrong: a mask for the keys alone
# The first query's row goes in as the padding mask, for all queries of the sentence. The report looks
# mended. It shows where queries have different masks, e.g. a causal one.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]  # (B, S)
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)

# %% wrong: as many keys as queries
# The mask is reshaped to (B * H, T, T). It shows wherever S is not T: an error in the reshape, or
# from PyTorch, which wants T by S.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    T = query.shape[1]
    blocked = ~mask
    blocked = blocked.unsqueeze(1).expand(-1, attention.num_heads, -1, -1).reshape(-1, T, T)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% wrong: the caller's mask is inverted
# The order is right, but logical_not_ works in place: afterwards the caller's mask means the
# opposite. It shows for every mask, by looking at it, and by a second call.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not_().repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% correct: one sentence at a time, whose mask all heads share
def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for q, k, v, allowed in zip(*(x.split(1) for x in (query, key, value)), mask, strict=True):
        output, looked = attention(
            q, k, v, attn_mask=allowed.logical_not(), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(looked)
    return torch.cat(outputs), torch.cat(weights)

# %% correct: row i of the masks belongs to sentence i // H
def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    rows = torch.arange(len(mask) * attention.num_heads, device=mask.device)
    sentence = torch.div(rows, attention.num_heads, rounding_mode="floor")
    blocked = (mask == False)[sentence]  # noqa: E712
    low = torch.zeros(blocked.shape, dtype=query.dtype, device=query.device)
    low = low.masked_fill(blocked, -torch.inf)
    return attention(query, key, value, attn_mask=low, average_attn_weights=False)
