# %% wrong: the map is applied to the keys
# `W_a(keys)` puts the matrix on the other side: where d_query and d_key differ it raises a RuntimeError, and where they
# are equal the score is query . (W_a key), the transposed matrix.

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

# %% wrong: one query for the whole batch
# (B, d) @ (B, d, S) broadcasts to (B, B, S), every query with every sentence; `[:, 0]` then takes the first query for
# all sentences. Right for B = 1, wrong for B > 1.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query @ keys.transpose(1, 2))[:, 0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (self.W_a(query) @ keys.transpose(1, 2))[:, 0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: the bilinear one forgets the mask
# BilinearAttention hands query, keys and values on to the dot product, and the mask gets lost on the way: forbidden
# positions get weight in every batch with a mask.

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
        self.dot = DotProductAttention()

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return self.dot(self.W_a(query), keys, values)

# %% wrong: zero keys for a mask
# Forbidden keys are set to zero, so that their scores are zero, and a plain softmax follows: exp(0) is 1, so forbidden
# positions get weight, and a row that allows nothing gets equal weights instead of zeros.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        if mask is not None:
            keys = keys * mask.unsqueeze(2)
            values = values * mask.unsqueeze(2)
        weights = torch.softmax((query.unsqueeze(1) * keys).sum(dim=2), dim=1)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention()(self.W_a(query), keys, values, mask)

# %% correct: both through PyTorch's bilinear form

def blend_of(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    if mask is not None:
        values = values.masked_fill(~mask.unsqueeze(2), 0.0)
    return torch.bmm(weights.unsqueeze(1), values)[:, 0], weights


def bilinear_scores(query: Tensor, keys: Tensor, between: Tensor, mask: Tensor | None) -> Tensor:
    """(B, S): query^T between key, with between (d_query, d_key)."""
    if mask is not None:
        keys = keys.masked_fill(~mask.unsqueeze(2), 0.0)
    asked = query.unsqueeze(1).expand(-1, keys.shape[1], -1).contiguous()
    return F.bilinear(asked, keys.contiguous(), between.unsqueeze(0).contiguous()).squeeze(2)


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        identity = torch.eye(query.shape[1], dtype=query.dtype, device=query.device)
        return blend_of(bilinear_scores(query, keys, identity, mask), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return blend_of(bilinear_scores(query, keys, self.W_a.weight.T, mask), values, mask)

# %% correct: one sentence at a time, the allowed positions alone

def sentence_by_sentence(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None):
    outputs, all_weights = [], []
    for b in range(len(query)):
        row = torch.ones_like(keys[b, :, 0], dtype=torch.bool) if mask is None else mask[b]
        places = row.nonzero().flatten()
        scores = torch.mv(keys[b].index_select(0, places), query[b])
        shares = torch.softmax(scores, dim=0)
        empty = torch.zeros_like(keys[b, :, 0])
        all_weights.append(empty.index_put((places,), shares))
        outputs.append((shares.unsqueeze(1) * values[b].index_select(0, places)).sum(dim=0))
    return torch.stack(outputs), torch.stack(all_weights)


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return sentence_by_sentence(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return sentence_by_sentence(self.W_a(query), keys, values, mask)
