# %% wrong: the first query's row for all
# Padding goes in as key_padding_mask, one row for each sentence: the mask of query 0 is used for every query. Shows where
# queries of a sentence have different masks, such as a causal one.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padded = ~mask[:, 0]  # (B, S), True = padding
    return attention(query, key, value, key_padding_mask=padded, average_attn_weights=False)


# %% wrong: turns the caller's mask over
# logical_not_ works in place: after the call the mask that was given means the opposite. Shows when the mask is looked at
# afterwards, or used for a second call.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not_()
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: in evaluation mode
# Calls eval() to get the same weights each time. A module in training mode is left in evaluation mode, and its dropout is
# not applied. Shows for attention.train() with dropout of 0.5, and in attention.training afterwards.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    H = attention.num_heads
    blocked = (~mask).unsqueeze(1).expand(B, H, T, S).reshape(B * H, T, S)
    attention.eval()
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: rows repeated, not masks
# Repeats every row of a mask H times along the queries' axis and then cuts the result into masks of T rows: the shape is
# right, the rows belong to other queries. Shows for num_heads and T of 2 or more where the queries' masks differ.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = (~mask).repeat_interleave(attention.num_heads, dim=1)  # (B, T * H, S)
    blocked = blocked.reshape(B * attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% correct: numbers to add to the scores
def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    shut = torch.zeros(mask.shape, dtype=query.dtype, device=mask.device)
    shut = torch.where(mask, shut, float("-inf"))
    per_head = torch.stack([shut] * attention.num_heads, dim=1)  # (B, H, T, S)
    return attention(
        query, key, value, attn_mask=per_head.flatten(0, 1), need_weights=True, average_attn_weights=False
    )


# %% correct: which sentence each of the masks belongs to
def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    H = attention.num_heads
    number = torch.arange(len(mask) * H, device=mask.device)
    sentence = torch.div(number, H, rounding_mode="floor")  # 0, ..., 0, 1, ..., 1, ...
    return attention(
        query, key, value, attn_mask=mask[sentence].logical_not(), average_attn_weights=False
    )
