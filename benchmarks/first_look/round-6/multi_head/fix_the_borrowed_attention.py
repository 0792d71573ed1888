# %% wrong: the first row of the mask stands for all
# The mask of query 0 goes in as a padding mask: right for padding, wrong wherever queries of a sentence differ.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = ~mask[:, 0]  # (B, S)
    return attention(query, key, value, key_padding_mask=blocked, average_attn_weights=False)


# %% wrong: turns the mask that was given round in place
# logical_not_ changes the mask that was given: a second call with it looks at just what is forbidden.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    if not mask.is_contiguous():
        mask = mask.contiguous()
    blocked = mask.logical_not_()
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: the weights are masked afterwards
# The weights come out right, cut and made to sum to one again; the output was computed from the uncut ones.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    output, weights = attention(query, key, value, average_attn_weights=False)
    weights = weights * mask.unsqueeze(1)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return output, weights


# %% wrong: the weights are averaged over the heads
# average_attn_weights got lost with the mending: the weights are (B, T, S) and not those of each head.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = ~mask.unsqueeze(1).expand(B, attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked.reshape(-1, T, S))


# %% wrong: one mask for the whole batch
# A key is blocked only where every sentence blocks it, so the short sentences go on looking at padding.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = (~mask).all(dim=0)  # (T, S): the same for all sentences and heads
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% correct: one sentence after the other

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
        output, weight = attention(
            query[one], key[one], value[one], attn_mask=mask[b].logical_not(), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(weight)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: numbers to add, picked by sentence

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    nothing = torch.zeros(mask.shape, dtype=query.dtype, device=mask.device)
    added = torch.where(mask, nothing, nothing - math.inf)
    heads = attention.num_heads
    sentence = torch.arange(len(mask) * heads, device=mask.device) // heads  # which one each of the B * H is
    return attention(query, key, value, attn_mask=added[sentence], average_attn_weights=False)
