# %% wrong: the dot product is divided by the root of the width
# The scores are divided by the root of d. That is chapter 04's attention and has its reasons there; the dot product of
# Luong et al. is left as it is.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys) / keys.shape[2] ** 0.5, mask)

# %% wrong: the dot product ignores the mask
# The dot product gives weight to padding. Pass the mask to masked_softmax, in both classes.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), None)

# %% wrong: the bilinear score ignores the mask
# The bilinear attention gives weight to padding. Pass the mask to masked_softmax, in both classes.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores, None)

# %% wrong: W_a is left out
# The bilinear score is a plain dot product: W_a is never used, and unequal widths cannot meet. Project the query first.

# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = torch.einsum("bd,bsd->bs", query, keys)

# %% wrong: W_a the wrong way round
# W_a stands on the wrong side: either the keys went through it, or the query was multiplied by its weight
# untransposed, which comes to the same and fits only where the widths are equal. Let the query go through the map, by
# calling it.

# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = torch.einsum("bd,bsd->bs", query @ self.W_a.weight, keys)

# %% wrong: the scores weigh the values without a softmax
# What multiplies the values are scores: they can be negative and do not sum to one. Turn them into weights with
# masked_softmax first.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = (torch.einsum("bd,bsd->bs", query, keys))
# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = scores

# %% wrong: softmax over the batch
# The columns of the weights sum to one: sentences of the batch compete with each other for one position. Let the
# positions of one sentence share the weight: the softmax runs over the last axis.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys).T, None if mask is None else mask.T).T
# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores.T, None if mask is None else mask.T).T

# %% wrong: the query's new axis is missing
# (B, d) against (B, S, d) lines up B with S. That is an error, unless B equals S: then every position is scored with
# another sentence's query. Give the query an axis for the keys, after the batch.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax((query * keys).sum(dim=-1), mask)
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = (self.W_a(query) * keys).sum(dim=-1)

# %% wrong: a query of any width, against the keys
# A dot product wants a query as wide as the keys, and nothing checks that: a query of one number is spread over all of
# a key's numbers without a word. Put back the stub's first line.

# --- before
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
# --- after
        check_attention(query, keys, values, mask)

# %% correct: matrix products
# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        weights = masked_softmax((keys @ query.unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze(2)

# %% correct: products and sums
# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        a = masked_softmax((query[:, None] * keys).sum(-1), mask)
        return (a[..., None] * values).sum(1), a
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = (self.W_a(query)[:, None] * keys).sum(-1)

# %% correct: bilinear by way of the dot product
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return DotProductAttention()(self.W_a(query), keys, values, mask)

# %% correct: the keys are taken to the query instead
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = ((keys @ self.W_a.weight) * query.unsqueeze(1)).sum(2)

# %% correct: sentence by sentence
# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        weights = masked_softmax(torch.stack([k @ q for q, k in zip(query, keys)]), mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
# --- after
        scores = torch.stack([k @ self.W_a.weight @ q for q, k in zip(query, keys)])
