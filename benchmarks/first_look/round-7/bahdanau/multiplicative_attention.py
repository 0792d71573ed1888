# %% wrong: divided by the root of the width
# Both scores are divided by sqrt(d), as in the Transformer; here they are not.
# Shows for every d > 1 (and S > 1) with scores that differ.

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
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys) / math.sqrt(self.d_key)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% wrong: the matrix on the keys
# W_a is applied to the keys and not to the query: raises where d_query and d_key differ,
# and where they are equal the score is that of the transposed matrix.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((keys @ query.unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        mapped = self.W_a(keys)
        weights = masked_softmax((mapped @ query.unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: forbidden scores set to zero
# The scores are multiplied by the mask before a plain softmax: a score of 0 is a score like any other, and
# forbidden positions get weight. Shows for every mask with a False, the empty row included.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1)
        if mask is not None:
            scores = scores * mask
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.bmm(keys, self.W_a(query).unsqueeze(-1)).squeeze(-1)
        if mask is not None:
            scores = scores * mask
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: the mean taken literally
# The weighted values are averaged over S on top of the weights, so the output is too small by a factor of S.
# Right for S = 1 only.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query.unsqueeze(1) * keys).sum(dim=-1)
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(-1) * values).mean(dim=1)
        return output, weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(query).unsqueeze(1) * keys).sum(dim=-1)
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(-1) * values).mean(dim=1)
        return output, weights


# %% correct: F.bilinear for the matrix, and one shared blend

def blend(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    return torch.baddbmm(values.new_zeros(1, 1, 1), weights[:, None], values)[:, 0], weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return blend(torch.linalg.vecdot(query[:, None], keys), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = query.unsqueeze(1).expand(-1, keys.shape[1], -1).contiguous()
        scores = F.bilinear(asked, keys.contiguous(), self.W_a.weight.T.unsqueeze(0).contiguous())
        return blend(scores[..., 0], values, mask)


# %% correct: one number of the width at a time, and the bilinear form as the dot product of another query

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.zeros_like(keys[..., 0])
        for asked, offered in zip(query.unbind(dim=1), keys.unbind(dim=2), strict=True):
            scores = scores + asked.unsqueeze(1) * offered
        weights = masked_softmax(scores, mask)
        output = torch.zeros_like(values[:, 0])
        for j in range(values.shape[1]):
            output = output + weights[:, j : j + 1] * values[:, j]
        return output, weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(query @ self.W_a.weight.T, keys, values, mask)
