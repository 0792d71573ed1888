# %% wrong: the first query asks for the whole batch
# query @ keys.transpose gives (B, B, S), and one of the two B is picked at place 0: every sentence is asked by the
# query of sentence 0. Right for B = 1 only.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query @ keys.transpose(1, 2))[:, 0]
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(query) @ keys.transpose(1, 2))[:, 0]
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: "the mean of the values under the weights" taken as a mean over positions
# The weighted values are averaged over S instead of summed: the output is S times too small, for every S > 1.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((query.unsqueeze(1) * keys).sum(dim=2), mask)
        return (weights.unsqueeze(2) * values).mean(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = masked_softmax((self.W_a(query).unsqueeze(1) * keys).sum(dim=2), mask)
        return (weights.unsqueeze(2) * values).mean(dim=1), weights


# %% wrong: bilinear hands the keys on as values
# The bilinear class calls the dot product with keys in both places, as in Bahdanau's model. Wrong wherever values
# differ from keys, and of the wrong width where d_v differs from d_key.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(self.W_a(query), keys, keys, mask)


# %% wrong: maps the keys where the widths are equal
# "On the other side it would give the same scores" without the transposition: for d_query == d_key the score is
# query . (W_a key), another number unless W_a is symmetric.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if self.d_query == self.d_key:
            scores = (self.W_a(keys) @ query.unsqueeze(2)).squeeze(2)
        else:
            scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% correct: one sentence at a time

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        if mask is not None:
            forbidden = ~mask.unsqueeze(2)
            keys, values = keys.masked_fill(forbidden, 0.0), values.masked_fill(forbidden, 0.0)
        contexts, shares = [], []
        for b in range(len(query)):
            own = masked_softmax(keys[b] @ query[b], None if mask is None else mask[b])
            shares.append(own)
            contexts.append(own @ values[b])
        return torch.stack(contexts), torch.stack(shares)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(self.W_a(query), keys, values, mask)


# %% correct: all queries with all keys, then the diagonal

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        if mask is not None:
            forbidden = ~mask.unsqueeze(2)
            keys, values = keys.masked_fill(forbidden, 0.0), values.masked_fill(forbidden, 0.0)
        scores = torch.tensordot(keys, query, dims=([2], [1])).diagonal(dim1=0, dim2=2).T
        weights = masked_softmax(scores, mask)
        return torch.matmul(values.transpose(1, 2), weights.unsqueeze(2))[..., 0], weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:
            forbidden = ~mask.unsqueeze(2)
            keys, values = keys.masked_fill(forbidden, 0.0), values.masked_fill(forbidden, 0.0)
        mapped = torch.einsum("kq,bsk->bsq", self.W_a.weight, keys)
        scores = torch.matmul(mapped, query.unsqueeze(2))[..., 0]
        weights = masked_softmax(scores, mask)
        return torch.matmul(values.transpose(1, 2), weights.unsqueeze(2))[..., 0], weights
