# %% wrong: the mask not turned round any more
# The order of the copies is mended, and the polarity is lost on the way: the queries see what they may not see, and
# nothing else. Where a row allows every key all are blocked, and NaN comes out.
# Hint: what does True mean in nn.MultiheadAttention? Look at the weight on padding.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    attn_mask = mask.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=attn_mask, average_attn_weights=False)


# %% wrong: a transposition that is right with as many sentences as heads
# The repeated masks are read as (B, H) and turned; they stand as (H, B). With two sentences and two heads the two are the
# same, and this is where it was tried.
# Hint: try it with three sentences and two heads, all masks different.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    B, T, S = mask.shape
    H = attention.num_heads
    blocked = (~mask).repeat(H, 1, 1)
    blocked = blocked.view(B, H, T, S).transpose(0, 1).reshape(B * H, T, S)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)


# %% wrong: the first query's row for all, as a padding mask
# key_padding_mask needs no copies for the heads, but has one row for each sentence. Where all queries of a sentence may
# see the same keys it is right; a causal mask becomes one that shows only the first key.
# Hint: which masks (B, T, S) cannot be written as (B, S)? Try a causal one.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    padding = ~mask[:, 0, :]
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)


# %% wrong: the mean of the heads' weights
# The masks are right now, and so is the output; without average_attn_weights=False torch returns the mean over the heads,
# (B, T, S).
# Hint: compare the shape of the weights with the docstring.

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = torch.repeat_interleave(~mask, attention.num_heads, dim=0)
    output, weights = attention(query, key, value, attn_mask=blocked, need_weights=True)
    return output, weights


# %% wrong: a mask of numbers that only adds one
# Turned into numbers of the query's dtype, the mask is no longer one of blocked places: torch adds it to the scores, and
# one more on a score blocks nothing.
# Hint: what does the documentation say of a float mask? What would have to be added to a score to block its key?

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


# %% correct: an axis for the heads, expanded and flattened

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    blocked = mask.logical_not()[:, None].expand(-1, attention.num_heads, -1, -1).flatten(0, 1)
    output, weights = attention(
        query, key, value, attn_mask=blocked, need_weights=True, average_attn_weights=False
    )
    return output, weights


# %% correct: sentence by sentence, with a mask for all heads of each

def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    outputs, weights = [], []
    for q, k, v, may_see in zip(query.split(1), key.split(1), value.split(1), mask, strict=True):
        output, weight = attention(q, k, v, attn_mask=~may_see, average_attn_weights=False)
        outputs.append(output)
        weights.append(weight)
    return torch.cat(outputs), torch.cat(weights)
