# %% wrong: a padding mask made of the first query's row
# key_padding_mask has one row for each sentence. Made from query 0's row, it gives all queries the keys of query 0: right for padding alone,
# wrong as soon as the queries of a sentence may look at different keys (with a causal mask, only at key 0).

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]  # (B, S)
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: the mask is inverted in place
# The result is right, but logical_not_ turns the caller's mask round: a second call with it allows what was forbidden.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not_().repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: repeated along the queries
# repeat_interleave over dim 1 repeats each query's row, and the view takes the first T of these rows for head 0: row t of a head is the
# mask of another query. Right only where all queries of a sentence have the same mask.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = (~mask).repeat_interleave(attention.num_heads, dim=1)
    blocked = blocked.view(B * attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: a mask of ones and zeros as numbers
# A mask of floats is added to the scores. Minus one on forbidden keys makes them less likely by a factor of e, and does not forbid them.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = -(~mask).to(query.dtype)
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
    outputs, weights = [], []
    for b in range(query.shape[0]):
        one = slice(b, b + 1)
        output, looked = attention(
            query[one], key[one], value[one], attn_mask=mask[b].logical_not(), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(looked)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: minus infinity, added

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    added = torch.zeros(B, attention.num_heads, T, S, dtype=query.dtype, device=query.device)
    added = added.masked_fill(mask.unsqueeze(1) == False, -torch.inf)  # noqa: E712
    return attention(query, key, value, attn_mask=added.flatten(0, 1), average_attn_weights=False)
