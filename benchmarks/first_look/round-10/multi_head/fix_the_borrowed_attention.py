# %% wrong: a padding mask, from the first row
# key_padding_mask needs no order of heads, but it says the same for every query: wrong wherever the rows of a sentence's
# mask differ, as in a causal one. Right for masks that only hide padding.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    return attention(query, key, value, key_padding_mask=~mask[:, 0], average_attn_weights=False)


# %% wrong: the rows are repeated, not the sentences
# repeat_interleave along dim 1 repeats each row H times: query t of a head gets the row of another query. Right
# where all rows of a sentence's mask are the same (padding), with T = 1 or with one head.

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


# %% wrong: the mask is turned round in place
# contiguous() gives the very tensor where it is contiguous already, and the negation writes into it: the caller's mask is
# turned round after the call, and a second call with it gives another result. An expanded mask is not touched.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.contiguous().logical_not_()
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: an additive mask in float32
# The mask of zeros and -inf is float32 (and on the CPU): an attention in float64 with float64 inputs raises an error.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    added = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    added = torch.repeat_interleave(added, attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=added, average_attn_weights=False)


# %% correct: one sentence after the other

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for b in range(len(mask)):
        own = slice(b, b + 1)
        output, weight = attention(
            query[own], key[own], value[own], attn_mask=torch.logical_not(mask[b]), average_attn_weights=False
        )
        outputs.append(output)
        weights.append(weight)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: the mask of sentence n // H for row n

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    rows = torch.arange(mask.shape[0] * attention.num_heads, device=mask.device)
    sentence = torch.div(rows, attention.num_heads, rounding_mode="trunc")
    blocked = mask[sentence] ^ True
    return attention(query, key, value, need_weights=True, attn_mask=blocked, average_attn_weights=False)
