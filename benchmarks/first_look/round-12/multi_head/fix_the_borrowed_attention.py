# %% wrong: in the right order, but not inverted
# Each sentence's mask now stands at its own heads, and the inversion got lost on the way: torch takes True as "may not attend".
# It shows for every mask that is not all True (one that is gives NaN).

def attend_with_torch(
    attention: nn.MultiheadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    heads = mask.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=heads, average_attn_weights=False)


# %% wrong: one row of the mask for all the queries
# Uses key_padding_mask with the mask of each sentence's first query. Right for padding, wrong where the queries of a sentence
# have masks of their own: a causal mask lets all see the first key only.

def attend_with_torch(
    attention: nn.MultiheadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: the mask inverted in place
# logical_not_ turns the caller's own mask round, so a second call with it gets the opposite.

def attend_with_torch(
    attention: nn.MultiheadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not_()
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: the mean over the heads
# Sentence by sentence, which is right, but without average_attn_weights=False: the weights are the heads' mean, (B, T, S).

def attend_with_torch(
    attention: nn.MultiheadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for b in range(len(query)):
        one = slice(b, b + 1)
        output, weight = attention(query[one], key[one], value[one], attn_mask=~mask[b])
        outputs.append(output)
        weights.append(weight)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: sentence by sentence, without a batch

def attend_with_torch(
    attention: nn.MultiheadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    answers = [
        attention(q, k, v, attn_mask=torch.logical_not(m), average_attn_weights=False)
        for q, k, v, m in zip(query, key, value, mask, strict=True)
    ]
    outputs, weights = zip(*answers, strict=True)
    return torch.stack(outputs), torch.stack(weights)


# %% correct: minus infinity to be added

def attend_with_torch(
    attention: nn.MultiheadAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    batch, length, memory = mask.shape
    added = torch.full((batch, 1, length, memory), float("-inf"), dtype=query.dtype, device=query.device)
    added = torch.where(mask[:, None], 0.0, added)
    added = added.expand(-1, attention.num_heads, -1, -1).reshape(-1, length, memory)
    return attention(query, key, value, attn_mask=added, average_attn_weights=False)
