# %% wrong: the polarity back again
# The order of the copies is mended and the mask is given as it is: True means may not attend in nn.MultiheadAttention, so every
# query sees what it must not. Hint: try one row by hand; what does True mean over there?

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: the mean of the heads
# average_attn_weights is left at its default, so the weights come back averaged, (B, T, S), where those of each head are promised.
# Hint: print the shape of the weights.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = torch.repeat_interleave(~mask, attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked)


# %% wrong: taken for a padding mask
# The first row of each mask is given as key_padding_mask: right where all queries may see the same keys, as with padding, and
# wrong for a mask that differs from query to query. Hint: try a causal mask.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]  # (B, S), True = padding
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: eight heads always
# Each mask is repeated eight times, the number of heads in the text; an attention with another number refuses the mask.
# Hint: from where can you read how many heads this attention has?

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = (~mask).unsqueeze(1).expand(B, 8, T, S).reshape(B * 8, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% correct: one sentence at a time

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for q, k, v, allowed in zip(query, key, value, mask, strict=True):
        output, weight = attention(
            q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), attn_mask=allowed.logical_not(), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(weight)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: a mask of numbers that is added

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    added = torch.zeros(mask.shape, dtype=query.dtype, device=query.device).masked_fill(~mask, -torch.inf)
    of_each_head = torch.stack([added] * attention.num_heads, dim=1)  # (B, H, T, S)
    return attention(
        query=query, key=key, value=value, attn_mask=of_each_head.flatten(0, 1), need_weights=True, average_attn_weights=False
    )
