# %% wrong: the mask the other way round
# What may attend was hidden, and what may not was seen. In this function True means may attend, as in this course: pass
# the mask as it is. (nn.MultiheadAttention is the one that has it the other way round.) See section 9.5.

# --- before
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
# --- after
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=None if mask is None else ~mask)

# %% wrong: the mask added as a number
# A mask of floating-point numbers is added to the scores: a one lifts a score a little and a zero forbids nothing.
# Leave the mask boolean. See section 9.5.

# --- before
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
# --- after
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=None if mask is None else mask.float())

# %% wrong: no axis for the heads in the mask
# Inside, there are four axes, (B, H, T, S), and a mask (B, T, S) is lined up from the right: its sentences fall on the
# heads. Give it an axis of size 1 for the heads. See section 9.5.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
# --- after

# %% wrong: an axis for the heads in every mask
# A mask (T, S), one for all, got an axis for the heads between its queries and its keys, and no longer fits. Only a
# mask of three axes needs one; one of two fits already. See section 9.5.

# --- before
        if mask is not None and mask.ndim == 3:
# --- after
        if mask is not None:

# %% wrong: the mask is left out
# Every query attended to every key, whatever the mask said. Pass it to the kernel. See section 9.5.

# --- before
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
# --- after
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=None)

# %% wrong: scaled twice
# The scores were divided by the root of d twice: the kernel does it by itself. Leave one of the two out. See section
# 9.5.

# --- before
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
# --- after
        outputs = F.scaled_dot_product_attention(queries / queries.shape[-1] ** 0.5, keys, values, attn_mask=mask)

# %% wrong: copied parameters
# The maps are not the attention's own but copies or new ones, so when the attention learns, this module does not change
# with it. Take the same modules. See section 9.5.

# --- before
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O
# --- after
        import copy
        self.W_Q, self.W_K, self.W_V, self.W_O = copy.deepcopy([attention.W_Q, attention.W_K, attention.W_V, attention.W_O])

# %% wrong: heads cut off without moving the axis
# The shapes are right and the heads mix positions: a view moves nothing. Use split_heads. See section 9.5.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        queries = self.W_Q(query).view(query.shape[0], self.num_heads, query.shape[1], -1)
        keys = self.W_K(key).view(key.shape[0], self.num_heads, key.shape[1], -1)  # (B, S, D) -> (B, H, S, d)
        values = self.W_V(value).view(value.shape[0], self.num_heads, value.shape[1], -1)

# %% wrong: no kernel
# The numbers are right, but the scores and the weights of all keys were stored, which is what the fused kernel avoids.
# Leave the product to F.scaled_dot_product_attention. See section 9.5.

# --- before
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
# --- after
        scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        outputs = torch.softmax(scores, dim=-1).nan_to_num() @ values

# %% wrong: the output alone
# A layer that uses an attention takes two things from it. Return the output and None. See section 9.5.

# --- before
        return self.W_O(merge_heads(outputs)), None
# --- after
        return self.W_O(merge_heads(outputs))

# %% correct: view and transpose
# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)
# --- after
        queries = self.W_Q(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
# --- before
        return self.W_O(merge_heads(outputs)), None
# --- after
        return self.W_O(outputs.transpose(1, 2).contiguous().view(query.shape)), None

# %% correct: a mask of minus infinities
# --- before
            mask = mask.unsqueeze(1)
# --- after
            mask = mask.unsqueeze(1)
        if mask is not None:
            mask = queries.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))

# %% correct: the mask always with four axes
# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
# --- after
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])[:, None]

# %% correct: set by name
# --- before
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O
# --- after
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, getattr(attention, name))

# %% correct: a list of maps and inputs
# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        maps = ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        queries, keys, values = (split_heads(linear(x), self.num_heads) for linear, x in maps)
