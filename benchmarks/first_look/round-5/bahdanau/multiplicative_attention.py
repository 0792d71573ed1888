# %% wrong: divided by the root of the width
# The scores are scaled by 1/sqrt(d), a habit from Transformers. The scores of this exercise are the plain products.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(keys.shape[-1])
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys) / math.sqrt(self.d_key)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: every query meets the keys of the first sentence
# query @ keys transposed is (B, B, S), every query with every sentence; [0] takes the first sentence's keys for all
# queries. The shape is right, and so are the numbers for a batch of one.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query @ keys.transpose(1, 2))[0]
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(1) @ values)[:, 0]
        return output, weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(query) @ keys.transpose(1, 2))[0]
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(1) @ values)[:, 0]
        return output, weights


# %% wrong: the weight matrix is multiplied untransposed
# nn.Linear keeps its weight as (out, in) and multiplies by its transpose. Here it is used as it lies, or viewed into
# the other shape: right only for a symmetric matrix, such as the unit matrix of the notebook.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.bmm(keys, query.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        W = self.W_a.weight
        if self.d_query == self.d_key:
            asked = query @ W
        else:
            asked = query @ W.view(self.d_query, self.d_key)
        scores = torch.bmm(keys, asked.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: the second class forgets its mask
# BilinearAttention hands the work to the first class, and leaves the mask out of the call: its default is None, and
# the padding gets its share.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query[:, None, :] * keys).sum(dim=-1)
        weights = masked_softmax(scores, mask)
        return (weights[:, :, None] * values).sum(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)
        self.dot = DotProductAttention()

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return self.dot(self.W_a(query), keys, values)


# %% wrong: a tanh strays into the bilinear score
# The query goes through tanh(W_a query), mixed up with the additive score. The bilinear score is a plain product.

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
        scores = torch.einsum("bd,bsd->bs", torch.tanh(self.W_a(query)), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% correct: one base class, and a loop over the sentences

class _Product(nn.Module):
    def asked(self, query):
        return query

    def blend(self, query, keys, values, mask):
        asked = self.asked(query)
        scores = torch.stack([torch.mv(keys[b], asked[b]) for b in range(len(keys))])
        weights = masked_softmax(scores, mask)
        output = torch.stack([torch.mv(values[b].T, weights[b]) for b in range(len(values))])
        return output, weights


class DotProductAttention(_Product):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return self.blend(query, keys, values, mask)


class BilinearAttention(_Product):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def asked(self, query):
        return self.W_a(query)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return self.blend(query, keys, values, mask)


# %% correct: the matrix works on the keys, one product each

def _weigh(scores, values, mask):
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights.unsqueeze(-2), values).squeeze(-2), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return _weigh(keys.mul(query.unsqueeze(1)).sum(2), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        turned = F.linear(keys, self.W_a.weight.T)  # (B, S, d_query)
        return _weigh(turned.mul(query.unsqueeze(1)).sum(2), values, mask)
