# %% wrong: repeated along the queries
# repeat_interleave on axis 1 copies each query's row H times within its sentence; cut into (B * H, T, S), head 0 then gets
# the rows of the first T / H queries. Shows wherever H and T are above 1 and the queries of a sentence have different masks.

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
    blocked = blocked.view(B * attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: inverted in place
# The order of the copies is right, but logical_not_ inverts the caller's own mask. After the call it means the opposite, and
# a second call with it is wrong. Any mask shows it.

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


# %% wrong: handed over as padding
# Keys that no query of the sentence may see go in as key_padding_mask, which needs no copies for the heads. That repairs
# padded batches, but forgets what differs between queries: any mask such as a causal one shows it.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask.any(dim=1)  # (B, S): True where nobody may look
    return attention(
        query, key, value, key_padding_mask=padding, average_attn_weights=False
    )


# %% wrong: a mask of float32 numbers
# Minus infinity where one may not look, added to the scores, in the right order, but always float32: with a float64 module
# and inputs PyTorch raises a RuntimeError.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    added = torch.zeros(mask.shape, device=mask.device)
    added = added.masked_fill(~mask, float("-inf"))
    added = added.unsqueeze(1).expand(-1, attention.num_heads, -1, -1).flatten(0, 1)
    return attention(query, key, value, attn_mask=added, average_attn_weights=False)


# %% correct: sentence by sentence

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    found = []
    for b in range(len(query)):
        one = slice(b, b + 1)
        # a mask of two axes holds for all heads
        found.append(
            attention(
                query[one],
                key[one],
                value[one],
                attn_mask=~mask[b],
                average_attn_weights=False,
            )
        )
    outputs, weights = zip(*found, strict=True)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: scores to add, fetched by sentence number

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    H = attention.num_heads
    sentence = torch.arange(len(mask) * H, device=mask.device) // H  # 0 0 0 1 1 1 ...
    nothing = torch.zeros((), dtype=query.dtype, device=query.device)
    added = torch.where(mask, nothing, nothing - torch.inf)
    return attention(
        query, key, value, attn_mask=added[sentence], average_attn_weights=False
    )
