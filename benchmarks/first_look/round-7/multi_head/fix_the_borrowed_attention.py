# %% wrong: one padding mask from the first query's row
# key_padding_mask has a row for each sentence and none for each query: only the first query's row of the mask is used.
# Right for padding, wrong for any mask whose rows differ, a causal one for example.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]  # (B, S)
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: in the right order, not turned round
# The masks are repeated as they should be, but the `~` has been lost in the repair: each head looks at what is
# forbidden. Shows for every mask with a False in it (NaN where a row allows everything).

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    per_head = mask.repeat_interleave(attention.num_heads, dim=0)  # (B * H, T, S), sentence by sentence
    return attention(query, key, value, attn_mask=per_head, average_attn_weights=False)


# %% wrong: the mean of the heads' weights
# average_attn_weights is left at True: the weights come back as (B, T, S), the mean over the heads, and not
# (B, H, T, S). The output is right. Shows for every input.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = (~mask).unsqueeze(1).repeat(1, attention.num_heads, 1, 1)
    output, weights = attention(query, key, value, attn_mask=blocked.view(B * attention.num_heads, T, S))
    return output, weights


# %% wrong: copies inside the rows
# The copies are made along the keys and then read as heads: (B, T, H * S) viewed as (B * H, T, S) gives head 0 the
# masks of the first T / H queries only. Right while all rows of a sentence's mask are alike, wrong for a causal one.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    blocked = ~mask
    blocked = blocked.repeat(1, 1, attention.num_heads).view(B * attention.num_heads, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% correct: a sentence at a time

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    answers = [
        attention(
            query[b : b + 1],
            key[b : b + 1],
            value[b : b + 1],
            attn_mask=torch.logical_not(mask[b]),  # (T, S): the same for all heads
            average_attn_weights=False,
        )
        for b in range(len(query))
    ]
    outputs, weights = zip(*answers, strict=True)
    return torch.cat(outputs), torch.cat(weights)


# %% correct: a mask that is added, by index

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, H = len(query), attention.num_heads
    penalty = torch.zeros(mask.shape, dtype=query.dtype, device=query.device).masked_fill(~mask, -math.inf)
    sentence = torch.arange(B * H, device=query.device) // H  # torch's row n is head n % H of sentence n // H
    return attention(query, key, value, attn_mask=penalty[sentence], need_weights=True, average_attn_weights=False)
