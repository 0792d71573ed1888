# %% wrong: a key_padding_mask from the first row
# Takes the first query's row for the whole sentence. Right where all rows of a sentence are alike, as with
# padding; with a causal mask every query sees key 0 only.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0, :]  # (B, S), True = padding
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: rows repeated in place of sentences
# repeat_interleave goes along the queries: each row is there H times in turn, and the reshape to (B * H, T, S)
# mixes rows of different queries. Right where all rows of a sentence are alike; wrong for a causal mask.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    H = attention.num_heads
    blocked = (~mask).repeat_interleave(H, dim=1).view(B * H, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: the mean of the heads
# The order of the mask is mended, and average_attn_weights is lost in the rewriting: the weights are (B, T, S),
# their mean over the heads, and not (B, H, T, S).

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    per_head = torch.repeat_interleave(mask, attention.num_heads, dim=0)  # sentence 0 for all heads, sentence 1 ...
    output, weights = attention(query, key, value, attn_mask=torch.logical_not(per_head), need_weights=True)
    return output, weights


# %% wrong: the caller's mask turned round
# logical_not_ changes the mask that was given, so afterwards it means the opposite: the second call with the
# same mask attends where it may not.

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


# %% correct: sentence by sentence

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    found = [
        attention(q[None], k[None], v[None], attn_mask=allowed.logical_not(), average_attn_weights=False)
        for q, k, v, allowed in zip(query, key, value, mask, strict=True)
    ]
    outputs, weights = zip(*found, strict=True)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: minus infinity added to the scores

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    zero, never = query.new_zeros(()), query.new_full((), -math.inf)
    added = torch.where(mask, zero, never)
    per_head = torch.stack([added] * attention.num_heads, dim=1).flatten(end_dim=1)  # head runs faster than sentence
    output, weights = attention(
        query, key, value, attn_mask=per_head, need_weights=True, average_attn_weights=False
    )
    return output, weights
