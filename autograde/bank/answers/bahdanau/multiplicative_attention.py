# %% wrong: the dot product is divided by the root of the width
# The scores are divided by the root of d. That is chapter 04's attention and has its reasons there; the dot product of
# Luong et al. is left as it is.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys) / keys.shape[2] ** 0.5, mask)

# %% wrong: cosine in place of the dot product
# The scores lie between -1 and 1: query and key were scaled to length one. A dot product keeps their lengths.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.cosine_similarity(query.unsqueeze(1), keys, dim=2), mask)

# %% wrong: products are not summed over the features, but averaged
# The products were averaged over the features; a dot product sums them.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax((query.unsqueeze(1) * keys).mean(dim=2), mask)

# %% wrong: the dot product ignores the mask
# The dot product gives weight to padding. Hand the mask on to masked_softmax, in both classes.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), None)

# %% wrong: the bilinear score ignores the mask
# The bilinear attention gives weight to padding. Hand the mask on to masked_softmax, in both classes.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores, None)

# %% wrong: W_a is left out
# The bilinear score is a plain dot product: W_a is never used, and unequal widths cannot meet. Project the query
# first.

# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)  # (B, d_query) -> (B, d_key), then (B, S)
# --- after
        scores = torch.einsum("bd,bsd->bs", query, keys)  # (B, d_query) -> (B, d_key), then (B, S)

# %% wrong: W_a the wrong way round
# W_a stands on the wrong side: either the keys went through it, or the query was multiplied by its weight
# untransposed, which comes to the same and fits only where the widths are equal. Let the query go through the map, by
# calling it.

# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)  # (B, d_query) -> (B, d_key), then (B, S)
# --- after
        scores = torch.einsum("bd,bsd->bs", query @ self.W_a.weight, keys)  # (B, d_query) -> (B, d_key), then (B, S)

# %% wrong: W_a for the keys, and for the query too
# The map was used on the keys as well. It takes the query into the keys' space; the keys are there already.

# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)  # (B, d_query) -> (B, d_key), then (B, S)
# --- after
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), self.W_a(keys))  # (B, d_query) -> (B, d_key), then (B, S)

# %% wrong: a tanh round the bilinear score
# A tanh holds the scores between -1 and 1. It belongs to the additive score; this one is a plain product.

# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)  # (B, d_query) -> (B, d_key), then (B, S)
# --- after
        scores = torch.tanh(torch.einsum("bd,bsd->bs", self.W_a(query), keys))  # (B, d_query) -> (B, d_key), then (B, S)

# %% wrong: the keys are averaged instead of the values
# The output is a mean of the keys. Keys say where to look; values are what is taken from there.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, keys), weights
# --- before
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, keys), weights

# %% wrong: the scores weigh the values without a softmax
# What multiplies the values are scores: they can be negative and do not sum to one. Softmax comes between.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = (torch.einsum("bd,bsd->bs", query, keys))
# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = scores

# %% wrong: softmax over the batch
# The columns of the weights sum to one: sentences of the batch compete with each other for one position. The positions
# of one sentence are what share the weight.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys).T, None if mask is None else mask.T).T
# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores.T, None if mask is None else mask.T).T

# %% wrong: the query's new axis is missing
# (B, d) met (B, S, d) with its B against the S: an error, or where B equals S another sentence's query for every
# position. Give the query an axis for the keys, after the batch.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax((query * keys).sum(dim=-1), mask)
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)  # (B, d_query) -> (B, d_key), then (B, S)
# --- after
        scores = (self.W_a(query) * keys).sum(dim=-1)  # (B, d_query) -> (B, d_key), then (B, S)

# %% wrong: a bare squeeze of the scores
# A squeeze without an axis removes every axis of length one: with one sentence, or one position, that is one too many.
# Name the axis that is to go.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = masked_softmax((keys @ query.unsqueeze(2)).squeeze(), mask)
# --- before
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)  # (B, d_query) -> (B, d_key), then (B, S)
# --- after
        scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze()  # (B, d_query) -> (B, d_key), then (B, S)

# %% wrong: a bare squeeze of the output
# A squeeze without an axis removes every axis of length one: with one sentence, the batch's too. Name the axis that is
# to go.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return (weights.unsqueeze(1) @ values).squeeze(), weights
# --- before
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(), weights

# %% wrong: the mask comes after the softmax
# Padding has no weight, but the rows no longer sum to one: softmax had shared weight out to the padding. Use
# masked_softmax, in both classes.

# --- before
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
# --- after
        weights = torch.softmax(torch.einsum("bd,bsd->bs", query, keys), dim=1)
        weights = weights if mask is None else weights * mask
# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = torch.softmax(scores, dim=1)
        weights = weights if mask is None else weights * mask

# %% wrong: a query of any width, against the keys
# A dot product wants a query as wide as the keys, and nobody looks whether it is: a query of one number is spread over
# all of a key's without a word. Leave the stub's check as it is given.

# --- before
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
# --- after
        check_attention(query, keys, values, mask)

# %% correct: matrix products

class DotProductAttention(nn.Module):
    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((keys @ query.unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = masked_softmax((keys @ self.W_a(query).unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% correct: products and sums

class DotProductAttention(nn.Module):
    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        a = masked_softmax((query[:, None] * keys).sum(-1), mask)
        return (a[..., None] * values).sum(1), a


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        a = masked_softmax((self.W_a(query)[:, None] * keys).sum(-1), mask)
        return (a[..., None] * values).sum(1), a

# %% correct: bilinear by way of the dot product

class DotProductAttention(nn.Module):
    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(self.W_a(query), keys, values, mask)

# %% correct: the keys are taken to the query instead

class DotProductAttention(nn.Module):
    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.bmm(query.unsqueeze(1), keys.mT).squeeze(1), mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        taken = keys @ self.W_a.weight
        weights = masked_softmax((taken * query.unsqueeze(1)).sum(2), mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% correct: sentence by sentence

class DotProductAttention(nn.Module):
    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.stack([k @ q for q, k in zip(query, keys)]), mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.stack([k @ self.W_a.weight @ q for q, k in zip(query, keys)])
        weights = masked_softmax(scores, mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights
