# %% wrong: everybody asks the first sentence's question
# keys @ query.T compares every key with every query of the batch, (B, S, B), and [..., 0] keeps the first
# query for all sentences. Shows for B of 2 or more.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.T)[..., 0]
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (keys @ self.W_a(query).T)[..., 0]
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: the tanh stayed
# The bilinear score was made from the additive one and kept its tanh: tanh(W_a query) . key. Shows for
# the bilinear attention, for any S of 2 or more.

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

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,bsd->bs", torch.tanh(self.W_a(query)), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: cosine in place of the dot product
# "How well they fit" taken as the angle between them: the lengths of query and key are divided out. Shows
# for both classes, for any S of 2 or more with keys that are not of length one.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = F.cosine_similarity(query.unsqueeze(1), keys, dim=-1)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = F.cosine_similarity(self.W_a(query).unsqueeze(1), keys, dim=-1)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: handed on without the mask
# The bilinear attention calls the dot product's and forgets to hand the mask on. Shows for the bilinear
# attention with any mask that forbids something.

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
        self.dot = DotProductAttention()

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return self.dot(self.W_a(query), keys, values)

# %% correct: the bilinear one is a dot product one, and weights come out as a context of unit vectors

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        batch, length, _ = keys.shape
        if mask is not None:
            keys = keys.masked_fill(~mask.unsqueeze(2), 0.0)
            values = values.masked_fill(~mask.unsqueeze(2), 0.0)
        places = torch.eye(length, dtype=values.dtype, device=values.device).expand(batch, length, length)
        weights = masked_softmax((query.unsqueeze(1) * keys).sum(dim=2), mask)
        both = torch.cat([values, places], dim=2)
        blended = (weights.unsqueeze(2) * both).sum(dim=1)
        return blended[:, : values.shape[2]], blended[:, values.shape[2] :]


class BilinearAttention(DotProductAttention):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return super().forward(self.W_a(query), keys, values, mask)

# %% correct: the keys are mapped back, and all queries meet all keys

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return blend(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:
            keys = torch.where(mask[..., None], keys, torch.zeros_like(keys))
        return blend(query, keys @ self.W_a.weight, values, mask)


def blend(query, keys, values, mask):
    if mask is not None:
        keys, values = (torch.where(mask[..., None], x, torch.zeros_like(x)) for x in (keys, values))
    everyone = torch.tensordot(keys, query, dims=([2], [1]))  # (B, S, B)
    own = torch.diagonal(everyone, dim1=0, dim2=2).t()  # (B, S)
    weights = masked_softmax(own, mask)
    return torch.stack([w @ v for w, v in zip(weights, values, strict=True)]), weights
