# %% wrong: as it was found: the masks are in another order than the heads
# `repeat` puts the whole batch of masks down, then the whole batch again. torch wants all heads of the first sentence,
# then all heads of the second. Write down for two sentences and two heads which mask stands in which of the four
# places.

# --- before
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
# --- after
    blocked = blocked.repeat(attention.num_heads, 1, 1)

# %% wrong: the mask is not turned round
# The allowed keys got nothing and the forbidden ones shared the weight: nn.MultiheadAttention takes True as may NOT
# attend. See the box in section 5.3.

# --- before
    blocked = ~mask  # torch's module has it the other way round: True = may not attend
# --- after
    blocked = mask  # torch's module has it the other way round: True = may not attend

# %% wrong: the first sentence's mask for all
# Every sentence got the first one's mask. A mask (T, S) is shared by the whole batch; each sentence needs its own.

# --- before
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
# --- after
    blocked = blocked[0]

# %% wrong: one mask a sentence, the same for all queries
# A key_padding_mask forbids a key to every query of a sentence. Here each query has a row of its own: use attn_mask.

# --- before
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)
# --- after
    padding = blocked.all(dim=1)
    return attention(query, key, value, key_padding_mask=padding, average_attn_weights=False)

# %% wrong: the mask is left out
# The mask is gone, and every query sees every key. Pass it as attn_mask, with True where a key is blocked.

# --- before
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)
# --- after
    return attention(query, key, value, average_attn_weights=False)

# %% wrong: the mask is added as a number
# A mask of numbers is added to the scores, and minus one does not forbid anything. Keep it boolean, or use minus
# infinity.

# --- before
    blocked = ~mask  # torch's module has it the other way round: True = may not attend
# --- after
    blocked = -(~mask).float()  # torch's module has it the other way round: True = may not attend

# %% wrong: the heads' weights are averaged
# One set of weights came back, the mean over the heads, as the module does by default. Keep average_attn_weights=False.

# --- before
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)
# --- after
    return attention(query, key, value, attn_mask=blocked)

# %% wrong: the output alone
# Only the output came back. Return the weights of each head as well.

# --- before
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)
# --- after
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)[0]

# %% correct: expanded over an axis for the heads, then flattened
# --- before
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
# --- after
    blocked = blocked.unsqueeze(1).expand(-1, attention.num_heads, -1, -1).flatten(0, 1)

# %% correct: minus infinity, added
# --- before
    blocked = ~mask  # torch's module has it the other way round: True = may not attend
# --- after
    blocked = query.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))  # torch's module has it the other way round: True = may not attend

# %% correct: sentence by sentence
def attend_with_torch(attention, query, key, value, mask):
    outputs, weights = [], []
    for b in range(len(query)):
        own = slice(b, b + 1)
        o, w = attention(query[own], key[own], value[own], attn_mask=~mask[b], average_attn_weights=False)
        outputs.append(o)
        weights.append(w)
    return torch.cat(outputs), torch.cat(weights)

# %% correct: stacked for each sentence
def attend_with_torch(attention, query, key, value, mask):
    forbidden = torch.stack([rows for rows in mask.logical_not() for _ in range(attention.num_heads)])
    return attention(query, key, value, need_weights=True, attn_mask=forbidden, average_attn_weights=False)

# %% correct: repeated as found, and sorted afterwards
def attend_with_torch(attention, query, key, value, mask):
    H, B = attention.num_heads, len(mask)
    copies = (~mask).repeat(H, 1, 1)
    order = torch.arange(H * B).view(H, B).T.flatten()
    return attention(query, key, value, attn_mask=copies[order], average_attn_weights=False)
