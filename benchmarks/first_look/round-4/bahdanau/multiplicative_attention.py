# %% wrong: the dot product is divided by the root of the width
# The score is divided by the root of d, a habit from the Transformer. The docstring asks for the plain dot product, and all weights come out softer than they should.
# Hint: take one query and two keys of width four and work the scores out by hand. Which factor is too much?

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.bmm(keys, query.unsqueeze(2)).squeeze(2) / math.sqrt(query.shape[-1])
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.bmm(keys, self.W_a(query).unsqueeze(2)).squeeze(2) / math.sqrt(self.d_key)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: the scores are summed over all sentences of the batch
# The einsum has two different letters for the batch axis, so each query is compared with the keys of all the sentences together. With one sentence it is right.
# Hint: say in words what each letter of the einsum stands for. Which letter is missing after the arrow?

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.einsum("bd,nsd->bs", query, keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,nsd->bs", self.W_a(query), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% wrong: the query is multiplied by the matrix the wrong way round
# The query is multiplied by the weight from the left without a transpose. With unequal widths it stops; with equal ones the transposed map is used, and the scores are others.
# Hint: which shape has W_a.weight for d_query 3 and d_key 5, and what does nn.Linear do with it?

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query.unsqueeze(1) * keys).sum(dim=-1)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        mapped = query @ self.W_a.weight
        scores = (mapped.unsqueeze(1) * keys).sum(dim=-1)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights


# %% wrong: the forbidden weights are cut off after the softmax
# The softmax runs over all positions and the mask only sets the forbidden weights to zero. The rest sums to less than one, and how much is missing depends on the padding.
# Hint: sum the weights of a row that has padding.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(-1)).squeeze(-1)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (keys @ self.W_a(query).unsqueeze(-1)).squeeze(-1)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: the bilinear attention forgets its mask
# The dot product respects the mask, but in the bilinear class it is not handed on, so padding takes part of the weight there.
# Hint: compare the two forward methods line by line, and try both with the same mask.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.einsum("bd,bsd->bs", query, keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)
        self.dot = DotProductAttention()

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return self.dot(self.W_a(query), keys, values)


# %% correct: both classes hand their scores to one helper

def blend(scores, values, mask):
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights.unsqueeze(-2), values).squeeze(-2), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return blend(torch.matmul(keys, query.unsqueeze(-1)).squeeze(-1), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return blend(torch.einsum("kq,bq,bsk->bs", self.W_a.weight, query, keys), values, mask)


# %% correct: the transposed matrix on the keys and loops over the positions

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.stack([(query * key).sum(dim=1) for key in keys.unbind(dim=1)], dim=1)
        weights = masked_softmax(scores, mask)
        output = sum(w.unsqueeze(1) * v for w, v in zip(weights.unbind(dim=1), values.unbind(dim=1), strict=True))
        return output, weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        turned = keys @ self.W_a.weight
        scores = torch.stack([(query * key).sum(dim=1) for key in turned.unbind(dim=1)], dim=1)
        weights = masked_softmax(scores, mask)
        output = sum(w.unsqueeze(1) * v for w, v in zip(weights.unbind(dim=1), values.unbind(dim=1), strict=True))
        return output, weights
