# %% wrong: the order mended, the meaning turned
# repeat_interleave is right, but the ~ was thrown out with the repeat: torch's True means "may not". A good message: "the weights lie exactly where the mask forbids".

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    mask = mask.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=mask, average_attn_weights=False)

# %% wrong: only the first query's row counts
# The mask is handed over as key_padding_mask, taken from query 0: right for padding, wrong for every mask whose rows differ, a causal one first of all. A good message: "query 1's row of the mask is not obeyed".

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    return attention(query, key, value, key_padding_mask=~mask[:, 0], average_attn_weights=False)

# %% wrong: right mask, mean of the heads
# The order is mended, but average_attn_weights was dropped on the way: the weights come as (B, T, S), a mean over heads. A good message: "the weights' shape is (B, T, S), promised (B, H, T, S)".

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = (~mask).unsqueeze(1).expand(B, attention.num_heads, T, S).reshape(-1, T, S)
    return attention(query, key, value, attn_mask=blocked)

# %% correct: minus infinity, laid out by expand

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    added = torch.zeros_like(mask, dtype=query.dtype).masked_fill(~mask, float("-inf"))
    added = added[:, None].expand(-1, attention.num_heads, -1, -1).flatten(0, 1)
    return attention(query, key, value, attn_mask=added, average_attn_weights=False)

# %% correct: rows picked by number

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    sentence = torch.arange(len(mask) * attention.num_heads, device=mask.device) // attention.num_heads
    return attention(query, key, value, attn_mask=mask.logical_not()[sentence], average_attn_weights=False)
