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
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        queries = self.W_Q(query).reshape(len(query), self.num_heads, query.shape[1], -1)  # (B, T, D) -> (B, H, T, d)
        keys = self.W_K(key).reshape(len(key), self.num_heads, key.shape[1], -1)  # (B, S, D) -> (B, H, S, d)
        values = self.W_V(value).reshape(len(value), self.num_heads, value.shape[1], -1)

# %% wrong: the heads are interleaved
# Each head took every H-th feature instead of a block of d side by side, and the merge undid it. Use split_heads and
# merge_heads as they are.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
# --- after
        def split_heads(x, H):
            return x.unflatten(2, (-1, H)).permute(0, 3, 1, 2)

        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(outputs.permute(0, 2, 3, 1).flatten(2)), weights

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

# %% wrong: one projection for queries and keys
# Queries and keys went through the same map, so W_K is never used and gets no gradient. Each has a map of its own.

# --- before
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
# --- after
        keys = split_heads(self.W_Q(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)

# %% wrong: the mask is lost
# With a mask and without, the weights are the same. Hand it on to the attention.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs, weights = scaled_dot_product_attention(queries, keys, values, None)

# %% wrong: the mask is turned round
# The allowed keys got nothing and the forbidden ones shared the weight: that is the convention of
# nn.MultiheadAttention. In this course True means may attend. See the box in section 5.3.

# --- before
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
# --- after
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
        mask = None if mask is None else ~mask

# %% wrong: the mask has no axis for the heads
# A mask (B, T, S) met scores (B, H, T, S) aligned at the right, so its sentences lay against the heads: an error where
# B and H differ, and a silent mix-up where they are equal. Give it an axis of length one for the heads.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
# --- after

# %% wrong: every mask gets a batch axis for the heads
# A mask (T, S), the same for all sentences, was given an axis in the middle as well, and no longer fits. Only a mask
# with a batch axis needs one for the heads behind it.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
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
# one. Hand the mask to the attention.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        _, weights = scaled_dot_product_attention(queries, keys, values)
        weights = weights if mask is None else weights * mask
        outputs = weights @ values

# %% wrong: each head projects its own slice of the input
# Each head saw only its own d features of the input. A head's projections read all D features; it is their results
# that are narrow. Project first, split afterwards.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        d = query.shape[2] // self.num_heads
        blocks = torch.block_diag(*[torch.ones(d, d)] * self.num_heads)

        def own(W, x):
            return x @ (W.weight * blocks).T + W.bias

        queries = split_heads(own(self.W_Q, query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(own(self.W_K, key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(own(self.W_V, value), self.num_heads)

# %% wrong: torch's own module does it all
# All that is needed, you have: split_heads, your attention of chapter 04, merge_heads.

# --- before
    ) -> tuple[Tensor, Tensor]:
# --- after
    ) -> tuple[Tensor, Tensor]:
        whole = nn.MultiheadAttention(query.shape[2], self.num_heads, batch_first=True)
        maps = (self.W_Q, self.W_K, self.W_V)
        whole.in_proj_weight.data = torch.cat([W.weight for W in maps])
        whole.in_proj_bias.data = torch.cat([W.bias for W in maps])
        whole.out_proj = self.W_O
        return whole(query, key, value, average_attn_weights=False)

# %% wrong: torch's own attention is called
# Your attention of chapter 04 takes any leading axes, and that is enough.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        weights = torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)

# %% wrong: split by view and merged by view
# Both ways the heads were made by view, which moves nothing: a head holds whole positions instead of its block of
# features, and the merge hides it. Use split_heads and merge_heads. See section 5.2.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
# --- after
        def split_heads(x, H):
            return x.reshape(len(x), H, x.shape[1], -1)

        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(outputs.reshape(query.shape)), weights

# %% wrong: divided by a root twice
# The weights are too flat: the scores were divided by the root of the heads' width twice. Your
# scaled_dot_product_attention does it already.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        outputs, weights = scaled_dot_product_attention(queries / queries.shape[-1] ** 0.5, keys, values, mask)

# %% wrong: the output alone
# The weights of the heads are asked for beside the output.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(merge_heads(outputs))

# %% wrong: the weights' gradient is cut
# The numbers are right, and no gradient comes back through the weights. Whoever wants to train on them, or to ask what
# moved them, needs it: nothing has to be detached here.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(merge_heads(outputs)), weights.detach()

# %% wrong: the mask's new axis stands before the batch
# The mask got its axis of length one in front of the sentences, so its sentences still lie against the heads. The
# scores are (B, H, T, S): the axis for the heads is the second.

# --- before
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
# --- after
            mask = mask.unsqueeze(0)  # (B, T, S) -> (B, 1, T, S): one mask for all heads

# %% wrong: the heads look at each other
# At each position the heads attended to each other: the heads' axis stood where the positions should be. Attention
# works on the last two axes.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights
# --- after
        outputs, weights = scaled_dot_product_attention(*(x.transpose(1, 2) for x in (queries, keys, values)))
        return self.W_O(outputs.flatten(2)), weights

# %% wrong: the masks are in another order than the heads
# The mask has an axis for the heads, and its copies lie in another order: a sentence got the masks of others. An axis
# of length one, which broadcasts, needs no copies.

# --- before
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
# --- after
        if mask is not None:
            B, T, S, H = *query.shape[:2], key.shape[1], self.num_heads
            mask = mask.expand(B, T, S).repeat(H, 1, 1).view(B, H, T, S)

# %% wrong: a large negative number for minus infinity
# A query that may look at nothing looked at everything alike: with a large negative number in every place the softmax
# is even. Your masked_softmax gives zeros there.

# --- before
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5
        weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=-1)
        outputs = weights @ values

# %% wrong: keys and values from the query
# Everything was made of the query. In self-attention nobody notices; in cross-attention `key` and `value` come from
# elsewhere.

# --- before
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        keys = split_heads(self.W_K(query), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(query), self.num_heads)

# %% wrong: split before the projection
# The inputs were split first, and the maps, which read all D features, then met d of them. Project first, split
# afterwards.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        queries = self.W_Q(split_heads(query, self.num_heads))  # (B, T, D) -> (B, H, T, d)
        keys = self.W_K(split_heads(key, self.num_heads))  # (B, S, D) -> (B, H, S, d)
        values = self.W_V(split_heads(value, self.num_heads))

# %% wrong: no projections of query, key and value
# The heads got the bare inputs: W_Q, W_K and W_V are never used. Project with all D features, then split.

# --- before
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
# --- after
        queries = split_heads(query, self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(key, self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(value, self.num_heads)

# %% wrong: the query is added to the output
# The query was added to what the attention gives. That is a residual connection: it comes in chapter 06, around the
# attention and not inside.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return query + self.W_O(merge_heads(outputs)), weights

# %% wrong: the heads are added up
# The heads' outputs were summed. merge_heads puts them side by side, and W_O mixes them.

# --- before
        return self.W_O(merge_heads(outputs)), weights
# --- after
        return self.W_O(outputs.sum(dim=1).repeat(1, 1, self.num_heads)), weights

# %% wrong: the caller's mask is changed
# The mask that was given got its axis in place, and its owner's next layer meets a mask with four axes. Make a new
# one.

# --- before
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
# --- after
            mask.unsqueeze_(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads

# %% wrong: a width that does not divide raises another error
# Where the heads do not divide the width, it is torch that complains, about a shape nobody asked for. Refuse such a
# pair of numbers with a ValueError.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):

        def heads(x):
            return x.view(*x.shape[:2], self.num_heads, x.shape[2] // self.num_heads).transpose(1, 2)

        mask = mask[:, None] if mask is not None and mask.ndim == 3 else mask
        q, k, v = heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value))
        outputs, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(outputs)), weights

# %% correct: einsum throughout

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):

        H = self.num_heads
        q, k, v = (W(x).unflatten(-1, (H, -1)) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        scores = torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
        weights = masked_softmax(scores, mask)
        return self.W_O(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2)), weights

# %% correct: a loop over the heads

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):

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

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):

        B, T, D = query.shape
        H = self.num_heads

        def fold(x):
            return split_heads(x, H).reshape(B * H, x.shape[1], D // H)

        if mask is not None:
            mask = mask.expand(B, T, key.shape[1]).repeat_interleave(H, dim=0)
        output, weights = scaled_dot_product_attention(
            fold(self.W_Q(query)), fold(self.W_K(key)), fold(self.W_V(value)), mask
        )
        merged = output.reshape(B, H, T, D // H).permute(0, 2, 1, 3).reshape(B, T, D)
        return self.W_O(merged), weights.reshape(B, H, T, -1)

# %% correct: W_O one head at a time, added up

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):

        H = self.num_heads
        q, k, v = (torch.stack(x.chunk(H, -1), 1) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        if mask is not None and mask.ndim > 2:
            mask = mask.unsqueeze(-3)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        columns = self.W_O.weight.chunk(H, dim=1)
        return sum(found[:, h] @ columns[h].T for h in range(H)) + self.W_O.bias, weights

# %% correct: the scores written out, minus infinity and no NaN

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):

        q, k, v = (split_heads(W(x), self.num_heads)
                   for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
        if mask is not None:
            mask = mask if mask.ndim == 2 else mask[:, None, :, :]
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1).nan_to_num(0.0)
        return self.W_O(merge_heads(weights @ v)), weights

# %% correct: the width is checked in split_heads alone

# --- before
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
# --- after
