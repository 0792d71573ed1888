# %% wrong: padding is handed over as a padding mask
# Only the first query's row of each mask is used, as key_padding_mask. Right as long as all queries of a sentence may see the same keys, wrong
# for a causal mask or any other with rows that differ.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]  # (B, S)
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)

# %% wrong: the mask is turned over in place
# logical_not_ writes into the caller's mask: the first result is right, but the mask is inverted afterwards and a second call with it gives
# the opposite. (A mask made by expand raises.)

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not_().repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% wrong: a mask of numbers, one where it is blocked
# A mask of floats is added to the scores: 1 on the blocked keys makes them more likely instead of forbidding them. Shows wherever a key is
# blocked.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = (~mask).to(query.dtype)
    blocked = torch.repeat_interleave(blocked, attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% wrong: queries and keys are taken to be as many
# The order of sentences and heads is right, but the mask is brought to (B * H, T, T): in cross-attention with T unequal to S it raises.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    batch, length, _ = query.shape
    heads = attention.num_heads
    blocked = (~mask).unsqueeze(1).expand(batch, heads, length, length)
    blocked = blocked.reshape(batch * heads, length, length)
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
    for b in range(len(query)):
        one = slice(b, b + 1)
        output, looked = attention(
            query[one], key[one], value[one], attn_mask=mask[b].logical_not(), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(looked)
    return torch.cat(outputs), torch.cat(weights)

# %% correct: minus infinity on an axis of its own for the heads

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    penalty = torch.zeros_like(mask, dtype=query.dtype).masked_fill(mask.logical_not(), float("-inf"))
    for_each_head = torch.stack([penalty] * attention.num_heads, dim=1)  # (B, H, T, S)
    return attention(
        query, key, value, attn_mask=for_each_head.flatten(0, 1), need_weights=True, average_attn_weights=False
    )
