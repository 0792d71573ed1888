# %% wrong: the tanh left over from the additive score
# Copied from the class above: a tanh stays around the scores, which can then no longer lie outside -1 and 1.
# Shows for any scores that are not tiny: the weights are much too even.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.tanh((query.unsqueeze(1) * keys).sum(dim=-1))
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.tanh((self.W_a(query).unsqueeze(1) * keys).sum(dim=-1))
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights

# %% wrong: W_a on the keys as it stands
# The linear map is applied to the keys, not transposed, so the score is query . (W_a key).
# Shows for equal widths and a W_a that is not symmetric (the unit matrix hides it); for unequal widths it raises.

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
        scores = torch.bmm(self.W_a(keys), query.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong: the first sentence's query for all
# query @ keys^T broadcasts to (B, B, S), every query with every sentence; [:, 0] keeps the first query for all of them.
# Shows for a batch of two or more; one sentence is right.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query @ keys.transpose(1, 2))[:, 0]
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
        scores = (self.W_a(query) @ keys.transpose(1, 2))[:, 0]
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(1) @ values)[:, 0]
        return output, weights

# %% wrong: the bilinear score divided by the root of the width
# The factor 1/sqrt(d) of the Transformer is put on the bilinear score; here neither score has one.
# Shows for every d_key above 1: the weights are too even, and W_a = unit matrix no longer gives the dot product.

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
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys) / math.sqrt(self.d_key)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights

# %% correct: sentence by sentence, matrix times vector

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.stack([torch.mv(H, s) for s, H in zip(query, keys, strict=True)])
        weights = masked_softmax(scores, mask)
        return torch.stack([a @ V for a, V in zip(weights, values, strict=True)]), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asks = query @ self.W_a.weight.t()
        scores = torch.stack([torch.mv(H, s) for s, H in zip(asks, keys, strict=True)])
        weights = masked_softmax(scores, mask)
        return torch.stack([a @ V for a, V in zip(weights, values, strict=True)]), weights

# %% correct: the bilinear one asks the dot product, with its keys turned round

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.baddbmm(
            keys.new_zeros(()), keys, query.unsqueeze(-1), beta=0
        )[..., 0]
        weights = masked_softmax(scores, mask)
        return torch.sum(values.permute(2, 0, 1) * weights, dim=-1).t(), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)
        self.dot = DotProductAttention()

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        turned = torch.tensordot(keys, self.W_a.weight, dims=([2], [0]))  # W_a transposed on the keys: (B, S, d_query)
        return self.dot(query, turned, values, mask)
