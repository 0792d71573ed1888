# %% wrong: divided by the root of the width
# The scaled dot product of the Transformer: scores are query . key / sqrt(d), and the docstring has no factor.
# Shows in the weights of the dot product for every d above 1.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(query.shape[-1])

        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)

        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% wrong: the matrix on the keys, not transposed
# query . (W_a key) in place of (W_a query) . key: the transposed matrix. Raises where d_query and d_key differ, and where
# they are equal the scores are wrong for every W_a that is not symmetric.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze(2)

        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(keys) @ query.unsqueeze(2)).squeeze(2)

        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% wrong: one row without keys empties the whole batch
# Where any weight is NaN all weights are set to zero, also those of the sentences that have words to look at.
# Shows in a batch in which one row's mask allows nothing and another's allows something.

def share_out(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    if torch.isnan(weights).any():  # nothing to look at
        weights = scores.masked_fill(torch.isinf(scores), 0) * 0
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return share_out(torch.bmm(keys, query.unsqueeze(2)).squeeze(2), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return share_out(torch.bmm(keys, self.W_a(query).unsqueeze(2)).squeeze(2), values, mask)


# %% wrong: squeeze takes every axis of size one from the output
# (B, 1, d_v).squeeze() is right but for B = 1, where (d_v,) comes back, and for d_v = 1, where (B,) does; the output is
# promised as (B, d_v). Shows for one sentence or for values of width one.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query.unsqueeze(1) * keys).sum(dim=2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(query).unsqueeze(1) * keys).sum(dim=2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(), weights


# %% correct: the dot product feature by feature, the bilinear one folded into the keys

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = sum(q.unsqueeze(1) * k for q, k in zip(query.unbind(1), keys.unbind(2), strict=True))
        weights = masked_softmax(scores, mask)
        return torch.stack([(weights * column).sum(dim=1) for column in values.unbind(2)], dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        folded = keys @ self.W_a.weight  # (B, S, d_query): the transpose of W_a, on the keys
        scores = torch.matmul(folded, query[:, :, None])[..., 0]
        weights = masked_softmax(scores, mask)
        return torch.matmul(weights[:, None, :], values)[:, 0], weights


# %% correct: the bilinear attention is a dot product with another query

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.baddbmm(keys.new_zeros(()), keys, query[..., None])[..., 0]
        weights = masked_softmax(scores, mask)
        return values.mT.bmm(weights[..., None])[..., 0], weights


class BilinearAttention(DotProductAttention):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return super().forward(self.W_a(query), keys, values, mask)
