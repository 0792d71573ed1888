# %% wrong: divided by the root of the width
# The factor of chapter 04 is put in already; the score asked for is the plain product.

class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        projected = self.W_a(query)
        scores = (keys @ projected.unsqueeze(-1)).squeeze(-1) / projected.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: the matrix works on the keys, not transposed
# W_a is applied to the keys as it stands: unequal widths fail, and equal widths give other scores unless the matrix is symmetric.

class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.einsum("bd,bsd->bs", query, keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,bsd->bs", query, self.W_a(keys))
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% wrong: every query answered from the first sentence
# weights @ values makes a (B, B, d_v) product, of which the first block is taken: right for one sentence, else values of sentence 0.

class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query[:, None] * keys).sum(-1)
        weights = masked_softmax(scores, mask)
        return (weights @ values)[0], weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(query)[:, None] * keys).sum(-1)
        weights = masked_softmax(scores, mask)
        return (weights @ values)[0], weights


# %% wrong: goes sentence by sentence through a mask that is none
# The loop indexes mask[b], and without a mask (the default) there is nothing to index: TypeError.

class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        outputs, shares = [], []
        for b in range(len(query)):
            weights = masked_softmax(keys[b] @ query[b], mask[b])
            outputs.append(weights @ values[b])
            shares.append(weights)
        return torch.stack(outputs), torch.stack(shares)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(self.W_a(query), keys, values, mask)


# %% wrong: plain softmax and padding cut out of the values
# The mask is used on the values only, so padding keeps its share of the weights and an empty row has weights that sum to one.

class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = torch.softmax(torch.bmm(keys, query.unsqueeze(2)).squeeze(2), dim=1)
        if mask is not None:
            values = values * mask.unsqueeze(2)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = torch.softmax(torch.bmm(keys, self.W_a(query).unsqueeze(2)).squeeze(2), dim=1)
        if mask is not None:
            values = values * mask.unsqueeze(2)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% correct: both from one function of products and sums

def _blend_by_products(asked, keys, values, mask):
    scores = (asked.unsqueeze(1) * keys).sum(dim=2)
    shares = masked_softmax(scores, mask)
    return (shares.unsqueeze(2) * values).sum(dim=1), shares


class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return _blend_by_products(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return _blend_by_products(query @ self.W_a.weight.t(), keys, values, mask)


# %% correct: sentence by sentence, the matrix on the keys

def _one_by_one(queries, keys, values, mask):
    contexts, rows = [], []
    for b, (q, k, v) in enumerate(zip(queries, keys, values)):
        row = masked_softmax(torch.mv(k, q), None if mask is None else mask[b])
        rows.append(row)
        contexts.append(torch.mv(v.t(), row))
    return torch.stack(contexts), torch.stack(rows)


class DotProductAttention(nn.Module):

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return _one_by_one(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return _one_by_one(query, keys @ self.W_a.weight, values, mask)
