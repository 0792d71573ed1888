# %% wrong: the rows repeated, not the sentences
# repeat_interleave along dim 1 repeats each query's row H times before the reshape. Where all rows of a sentence
# are alike (padding only) it is right; it shows for masks whose rows differ, a causal one for example.

def attend_with_torch(attention, query, key, value, mask):
    B, T, S = mask.shape
    blocked = ~mask
    blocked = blocked.repeat_interleave(attention.num_heads, dim=1)
    blocked = blocked.reshape(B * attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: taken for a padding mask
# Only the first query's row of each mask is used, for all queries. Right for padded batches; it shows for every
# mask whose rows differ: with a causal one, every query sees the first key alone.

def attend_with_torch(attention, query, key, value, mask):
    padding = ~mask[:, 0, :]  # (B, S), True = not a word
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: asked without gradients
# The order of the masks is mended, but under no_grad: output and weights are cut off from query, key, value and
# the parameters. Shows as soon as it is trained: output.requires_grad is False.

@torch.no_grad()
def attend_with_torch(attention, query, key, value, mask):
    blocked = torch.repeat_interleave(~mask, attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: leaves the module in eval mode
# eval() is called so that dropout does not disturb the comparison, and never taken back. Shows for an attention
# in training mode: attention.training is False afterwards, and its dropout is gone.

def attend_with_torch(attention, query, key, value, mask):
    attention.eval()
    H = attention.num_heads
    blocked = (~mask).unsqueeze(1).repeat(1, H, 1, 1).flatten(0, 1)
    output, weights = attention(query, key, value, attn_mask=blocked, average_attn_weights=False)
    return output, weights


# %% correct: one sentence at a time

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for q, k, v, may in zip(query.split(1), key.split(1), value.split(1), mask):
        out, look = attention(q, k, v, attn_mask=may.logical_not(), average_attn_weights=False)
        outputs.append(out)
        weights.append(look)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: minus infinity, fetched by sentence number

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    sentence = torch.arange(len(mask) * attention.num_heads, device=mask.device) // attention.num_heads
    penalty = torch.zeros(mask.shape, dtype=query.dtype, device=query.device).masked_fill(~mask, -math.inf)
    return attention(query, key, value, need_weights=True, attn_mask=penalty[sentence], average_attn_weights=False)
