# %% wrong: the root from the Transformer
# Divides the dot product by the root of the width, as in chapter 04; this chapter's score is the plain dot product. The bilinear one is right. A good message: "the scores are smaller by the root of d: Luong's dot product has no factor".

from course.components import masked_softmax


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze(2) / math.sqrt(query.shape[-1])
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
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: the matrix on the keys' side
# W_a is applied to the keys: an error for unequal widths, and for equal ones silently the transposed matrix. A good message: "for d_query = d_key the scores are those of W_a transposed: W_a goes from the query to the key".

from course.components import masked_softmax


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
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, self.W_a(keys)), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: keys handed out as values
# Written with chapter 02's model in mind, where keys and values are the same states: both outputs are made of the keys. Right as long as the two are one tensor. A good message: "the output has the keys' width: it is a mean of the values".

from course.components import masked_softmax


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.bmm(keys, query.unsqueeze(2)).squeeze(2), mask)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = masked_softmax(torch.bmm(keys, self.W_a(query).unsqueeze(2)).squeeze(2), mask)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights

# %% correct: the bilinear one calls the dot product

from course.components import masked_softmax


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((query[:, None] * keys).sum(dim=-1), mask)
        return (weights[..., None] * values).sum(dim=1), weights


class BilinearAttention(DotProductAttention):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return super().forward(self.W_a(query), keys, values, mask)

# %% correct: three factors in one einsum, a shared function

from course.components import masked_softmax


def blend(scores, values, mask):
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsv->bv", weights, values), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return blend(torch.einsum("bd,bsd->bs", query, keys), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return blend(torch.einsum("bq,kq,bsk->bs", query, self.W_a.weight, keys), values, mask)
