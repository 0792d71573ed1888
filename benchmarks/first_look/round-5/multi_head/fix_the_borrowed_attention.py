# %% wrong: the mask of the first query for all
# The first row of each mask is given as key_padding_mask: that does for padding, which is the same for all queries; a
# causal mask, or any whose rows differ, is lost.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0]  # (B, S), True = padding
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: the rows are repeated one by one
# repeat_interleave goes along the queries and view puts the rows into heads: each head gets the masks of other queries.
# Where all queries of a sentence have the same mask, as with padding, it does not show.

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


# %% wrong: ones are added to what is forbidden
# The order of sentences and heads is right, but the mask is turned into numbers: PyTorch adds a float mask to the scores,
# so that forbidden keys get a score that is larger by one.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = 1.0 - mask.to(query.dtype)
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: the weights of the last sentence only
# Sentence by sentence each gets its own mask, and the outputs are collected; the weights are not, so that those of the
# last sentence are returned for all.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs = []
    for b in range(len(query)):
        one = slice(b, b + 1)
        output, weights = attention(
            query[one], key[one], value[one], attn_mask=~mask[b], average_attn_weights=False
        )
        outputs.append(output)
    return torch.cat(outputs), weights


# %% wrong: one mask for all sentences
# To be rid of the order, what is forbidden in any of the sentences is forbidden in all: nobody looks at padding, but the
# long sentences do not see their own ends.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = (~mask).any(dim=0)  # (T, S): torch takes one mask for all as well
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% correct: sentence by sentence, without a batch

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for q, k, v, allowed in zip(query, key, value, mask, strict=True):
        output, weight = attention(q, k, v, attn_mask=allowed.logical_not(), average_attn_weights=False)
        outputs.append(output)
        weights.append(weight)
    return torch.stack(outputs), torch.stack(weights)


# %% correct: numbers to be added, picked by sentence

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    added = torch.zeros(mask.shape, dtype=query.dtype, device=query.device)
    added[mask == False] = float("-inf")  # noqa: E712
    number = attention.num_heads
    sentence_of = [row // number for row in range(number * len(query))]
    output, weights = attention(
        query, key, value, attn_mask=added[sentence_of], need_weights=True, average_attn_weights=False
    )
    return output, weights
