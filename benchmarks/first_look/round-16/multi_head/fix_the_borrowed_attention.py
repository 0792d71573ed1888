# %% wrong: each query's row repeated, not each sentence's mask
# repeat_interleave along the queries makes (B, T * H, S), cut into pieces of T rows: a query gets the mask of another
# query of its sentence. Right for padding, where all rows are alike; shows for a causal mask.

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


# %% wrong: the first query's row as padding mask
# key_padding_mask (B, S) needs no heads, but it has one row for each sentence: every query gets what query 0 may see.
# Right for padding; shows for any mask whose rows differ, such as a causal one.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]
    return attention(
        query, key, value, key_padding_mask=padding, average_attn_weights=False
    )


# %% wrong: a mask of ones and zeros
# Turned into the dtype of the query, the mask is no longer a choice but a number that is added to the scores: a
# forbidden key gets 1 more than it had. Shows for every mask with a False.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = (~mask).to(query.dtype)
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: inverts the caller's mask
# contiguous() returns the mask itself where it lies in one piece already, and logical_not_ turns it over in place: the
# caller's mask is changed. Shows for every contiguous mask (the notebook's expanded one is copied).

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.contiguous()
    blocked.logical_not_()
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% correct: one sentence at a time, its mask for all heads

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for q, k, v, may in zip(query, key, value, mask, strict=True):
        output, weight = attention(
            q[None], k[None], v[None], attn_mask=may.logical_not(), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(weight)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: minus infinity added, masks fetched by the number of the sentence

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    H = attention.num_heads
    sentence = torch.arange(len(mask) * H, device=mask.device) // H  # whose mask row n is
    added = torch.zeros(mask.shape, dtype=query.dtype, device=query.device)
    added = added.masked_fill(~mask, -torch.inf)[sentence]
    return attention(query, key, value, attn_mask=added, average_attn_weights=False)
