# %% wrong: the first query's mask for all of them
# Handed over as key_padding_mask, which has no axis for queries. Right for padding masks; wrong where the queries
# of a sentence may look at different keys, as under a causal mask.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    return attention(query, key, value, key_padding_mask=~mask[:, 0], average_attn_weights=False)

# %% wrong: each row repeated, not each sentence
# repeat_interleave along the queries' axis: (B, T * H, S) is then cut into T rows each, so head 0 of a sentence gets the
# first query's row several times. Shows where T and H are larger than 1 and the rows differ.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = ~mask
    blocked = blocked.repeat_interleave(attention.num_heads, dim=1).reshape(-1, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% wrong: sentence by sentence, with averaged weights
# The masks are right, but PyTorch averages the weights over the heads unless told not to: they are (B, T, S) and not
# (B, H, T, S), for any number of heads.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for b in range(len(query)):
        output, weight = attention(query[b], key[b], value[b], attn_mask=~mask[b])
        outputs.append(output)
        weights.append(weight)
    return torch.stack(outputs), torch.stack(weights)

# %% wrong: the caller's mask is inverted
# logical_not_ writes into the mask that was given: output and weights are right, but the caller's mask means the opposite
# afterwards, and a second call with it is wrong.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not_().repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)

# %% correct: each sentence alone, with a plain (T, S) mask

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    pairs = [
        attention(
            query[b : b + 1], key[b : b + 1], value[b : b + 1], attn_mask=mask[b].logical_not(), average_attn_weights=False
        )
        for b in range(query.shape[0])
    ]
    outputs, weights = zip(*pairs, strict=True)
    return torch.cat(outputs), torch.cat(weights)

# %% correct: minus infinity to add, looked up by sentence

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    penalty = torch.zeros(mask.shape, dtype=query.dtype, device=mask.device).masked_fill(~mask, -math.inf)
    row = torch.arange(len(mask) * attention.num_heads, device=mask.device)
    # row n of torch's mask is sentence n // num_heads
    penalty = penalty[torch.div(row, attention.num_heads, rounding_mode="floor")]
    return attention(query, key, value, attn_mask=penalty, average_attn_weights=False)
