# %% wrong: divided by the root of the width
# The Transformer's factor 1 / sqrt(d), which neither docstring has. Shows in both classes for every width
# above 1 and every S above 1.

class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot")."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.bmm(keys, query.unsqueeze(2)).squeeze(2) / math.sqrt(query.shape[-1])
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015, "general")."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.bmm(keys, self.W_a(query).unsqueeze(2)).squeeze(2) / math.sqrt(self.d_key)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: the query times W_a.weight without a transpose
# A Linear holds its weight as (out, in), so query @ weight is the transposed map: it raises where d_query and
# d_key differ, and where they are equal the scores are others.

class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot")."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015, "general")."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = query @ self.W_a.weight
        weights = masked_softmax((keys * asked.unsqueeze(1)).sum(dim=-1), mask)
        return (values * weights.unsqueeze(-1)).sum(dim=1), weights


# %% wrong: the mean is taken twice
# The values times their weights are averaged over S and not summed, so the output is too small by the factor S.
# Shows for every S above 1; the weights are right.

class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot")."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((query.unsqueeze(1) * keys).sum(dim=2), mask)
        return (weights.unsqueeze(2) * values).mean(dim=1), weights


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015, "general")."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = masked_softmax((self.W_a(query).unsqueeze(1) * keys).sum(dim=2), mask)
        return (weights.unsqueeze(2) * values).mean(dim=1), weights


# %% wrong: forbidden scores set to zero
# A score of 0 is a score like any other: with a mask the bilinear attention gives weight to forbidden places,
# also in a row that allows nothing. The dot product is right.

class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot")."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015, "general")."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
        if mask is not None:
            scores = scores * mask
        weights = torch.softmax(scores, dim=1)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% correct: sentence by sentence, the allowed places alone

def attend_one(asked: Tensor, keys: Tensor, values: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """One sentence: asked (d,), keys (S, d), values (S, d_v), the allowed places (n,)."""
    shares = torch.softmax(torch.mv(keys[places], asked), dim=0)
    weights = torch.zeros_like(keys[:, 0]).index_copy(0, places, shares)
    return torch.mv(values[places].t(), shares), weights


def attend_all(asked: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    if mask is None:
        mask = torch.ones(keys.shape[:2], dtype=torch.bool, device=keys.device)
    mask = mask.expand(keys.shape[:2])
    rows = [attend_one(a, k, v, m.nonzero()[:, 0]) for a, k, v, m in zip(asked, keys, values, mask, strict=True)]
    outputs, weights = zip(*rows, strict=True)
    return torch.stack(outputs), torch.stack(weights)


class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot")."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return attend_all(query, keys, values, mask)


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015, "general")."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return attend_all(torch.stack([torch.mv(self.W_a.weight, q) for q in query]), keys, values, mask)


# %% correct: F.bilinear for the scores, baddbmm for the blend

class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot")."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        unit = torch.eye(query.shape[-1], dtype=query.dtype, device=query.device)
        return blend(score_between(query, keys, unit), values, mask)


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015, "general")."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return blend(score_between(query, keys, self.W_a.weight), values, mask)


def score_between(query: Tensor, keys: Tensor, matrix: Tensor) -> Tensor:
    """keys_j . (matrix query) for every j: (B, S)."""
    asking = query.unsqueeze(1).repeat(1, keys.shape[1], 1)
    return F.bilinear(keys.contiguous(), asking, matrix.unsqueeze(0))[..., 0]


def blend(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    nothing = values.new_zeros(values.shape[0], 1, values.shape[2])
    return torch.baddbmm(nothing, weights[:, None, :], values)[:, 0], weights
