# %% wrong: divided by the root of d_model
# The weights are too flat: the scores were divided by the root of the whole width. A head's dot products have d = D /
# H terms, and it is d that counts. With one head there is no difference. See section 5.3.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs, weights = scaled_dot_product_attention(queries / self.num_heads**0.5, keys, values, mask)

# %% wrong: not divided by a root
# The weights are too sharp: the scores were not divided by the root of the heads' width. Your
# scaled_dot_product_attention of chapter 04 does it. See section 5.3.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs, weights = scaled_dot_product_attention(queries * queries.shape[-1] ** 0.5, keys, values, mask)

# %% wrong: merged without swapping the axes back
# The weights are right; then (B, H, T, d) was read as (B, T, D) without moving a number, so each position got outputs
# of other positions. merge_heads does what is needed. See section 5.2.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(outputs.reshape(query.shape)), weights

# %% wrong: split by view alone
# The projections were cut into heads by view, which moves nothing: a head holds whole positions instead of its block
# of features. Use split_heads. See section 5.2.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        queries = self.W_Q(query).reshape(len(query), self.num_heads, query.shape[1], -1)
        keys = self.W_K(key).reshape(len(key), self.num_heads, key.shape[1], -1)  # (B, S, D) -> (B, H, S, d)
        values = self.W_V(value).reshape(len(value), self.num_heads, value.shape[1], -1)

# %% wrong: no output projection
# What came back are the merged heads. W_O comes after them: it is where what the heads found is mixed.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return merge_heads(outputs), weights

# %% wrong: keys from the query
# The keys were made of the query. In self-attention nobody notices; in cross-attention keys come from `key`, which has
# S positions.

# --- before
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
# --- after
        keys = split_heads(self.W_K(query), self.num_heads)  # (B, S, D) -> (B, H, S, d)

# %% wrong: values from the key
# The values were made of `key`. They have an argument of their own; the two differ as soon as somebody adds positions
# to the keys alone.

# --- before
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        values = split_heads(self.W_V(key), self.num_heads)

# %% wrong: the mask is lost
# With a mask and without, the weights are the same. Pass it to the attention.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs, weights = scaled_dot_product_attention(queries, keys, values, None)

# %% wrong: the mask is turned round
# The allowed keys got nothing and the forbidden ones shared the weight: that is the convention of
# nn.MultiheadAttention. In this course True means may attend. See the box in section 5.3.

# --- before
            mask = mask.unsqueeze(1)
# --- after
            mask = mask.unsqueeze(1)
        mask = None if mask is None else ~mask

# %% wrong: the mask has no axis for the heads
# A mask (B, T, S) met scores (B, H, T, S) aligned at the right, so its sentences lay against the heads: an error where
# B and H differ, and a silent mix-up where they are equal. Give it an axis of length one for the heads.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
# --- after

# %% wrong: every mask gets a batch axis for the heads
# A mask (T, S), the same for all sentences, was given an axis in the middle as well, and no longer fits. Only a mask
# with a batch axis needs one for the heads after it.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
# --- after
        mask = None if mask is None else mask.unsqueeze(1)

# %% wrong: the heads' weights are averaged
# One set of weights came back, the mean over the heads. The weights of each head are asked for: a mean of two that
# look left and right looks nowhere.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(merge_heads(outputs)), weights.mean(dim=1)

# %% wrong: softmax over the queries
# The columns of the weights sum to one and not the rows: the softmax ran over the queries. A query shares out its
# weight among the keys, the last axis.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        weights = masked_softmax((queries @ keys.mT / queries.shape[-1] ** 0.5).mT, None if mask is None else mask.mT).mT
        outputs = weights @ values

# %% wrong: softmax over the heads
# For each query and key the weights of the heads sum to one: the softmax ran over the heads. Heads do not compete;
# each has weights of its own over the keys, the last axis.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        weights = torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=1)
        weights = weights if mask is None else weights * mask
        outputs = weights @ values

# %% wrong: the mask comes after the softmax
# The forbidden weights are zero, but the softmax had already shared weight out to them, so the rest no longer sums to
# one. Pass the mask to the attention.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        _, weights = scaled_dot_product_attention(queries, keys, values)
        weights = weights if mask is None else weights * mask
        outputs = weights @ values

# %% wrong: torch's own attention is called
# Your attention of chapter 04 takes any leading axes, and that is enough.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        weights = torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)

# %% wrong: a large negative number for minus infinity
# A query that may look at nothing looks at everything alike: with the same large negative number in every place the
# softmax is uniform. Your masked_softmax gives zeros there.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5
        weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=-1)
        outputs = weights @ values

# %% correct: einsum throughout
# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights
# --- after
        weights = masked_softmax(torch.einsum("bhtd,bhsd->bhts", queries, keys) / queries.shape[-1] ** 0.5, mask)
        return self.W_O(torch.einsum("bhts,bhsd->bthd", weights, values).flatten(2)), weights

# %% correct: a loop over the heads
# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
        # (B, T, S) -> (B, 1, T, S): one mask for all heads
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights
# --- after
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        d = q.shape[2] // self.num_heads
        found, looked = [], []
        for h in range(self.num_heads):
            own = slice(h * d, h * d + d)
            output, weights = scaled_dot_product_attention(q[:, :, own], k[:, :, own], v[:, :, own], mask)
            found.append(output)
            looked.append(weights)
        return self.W_O(torch.cat(found, -1)), torch.stack(looked, 1)

# %% correct: heads folded into the batch
# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
        # (B, T, S) -> (B, 1, T, S): one mask for all heads
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights
# --- after
        (B, T, D), H = query.shape, self.num_heads
        if mask is not None:
            mask = mask.expand(B, T, key.shape[1]).repeat_interleave(H, dim=0)
        folded = [split_heads(x, H).flatten(0, 1) for x in (self.W_Q(query), self.W_K(key), self.W_V(value))]
        output, weights = scaled_dot_product_attention(*folded, mask)
        merged = output.reshape(B, H, T, D // H).permute(0, 2, 1, 3).reshape(B, T, D)
        return self.W_O(merged), weights.reshape(B, H, T, -1)

# %% correct: the scores written out, minus infinity and no NaN
# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights
# --- after
        scores = (queries * queries.shape[-1] ** -0.5) @ keys.transpose(2, 3)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1).nan_to_num(0.0)
        return self.W_O(merge_heads(weights @ values)), weights

# %% correct: the width is checked in split_heads alone
# --- before
        if d_model % num_heads:
# --- after
        if False:
