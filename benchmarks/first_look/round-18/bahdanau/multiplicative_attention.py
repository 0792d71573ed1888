# %% wrong: scaled by the root of d
# Both scores are divided by sqrt(d); wrong wherever d > 1.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze(2) / query.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze(2) / keys.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: the matrix on the keys
# W_a is applied to the keys; fails where d_query differs from d_key, and gives the transposed matrix where they are equal.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(keys) @ query.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: bilinear forgets the mask
# BilinearAttention passes no mask on; shows for any mask that forbids something.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, None)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: squeezed of every axis of one
# squeeze() of the scores drops the batch axis at B = 1: output and weights lose their shape.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze()
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze()
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% correct: einsum throughout

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bq,kq,bsk->bs", query, self.W_a.weight, keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights

# %% correct: bilinear by way of the dot product

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((query[:, None] * keys).sum(-1), mask)
        return (weights[..., None] * values).sum(-2), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(self.W_a(query), keys, values, mask)

