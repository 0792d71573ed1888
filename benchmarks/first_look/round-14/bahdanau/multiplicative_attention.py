# %% wrong: the tanh of the first score kept
# The bilinear score squeezes W_a query by a tanh, as in the additive one. Shows for any query whose image under W_a is
# not tiny; the dot product is right.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax((query.unsqueeze(1) * keys).sum(dim=2), mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = torch.tanh(self.W_a(query))
        weights = masked_softmax((asked.unsqueeze(1) * keys).sum(dim=2), mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong: weights times values without an axis
# weights @ values takes (B, S) as one matrix for the whole batch, and every sentence's weights meet every sentence's
# values: the output is (B, B, d_v). Shows for every B, as a third axis.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (keys @ query.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return weights @ values, weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = (keys @ self.W_a(query).unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return weights @ values, weights


# %% wrong: the weight used as it is stored
# query @ W_a.weight multiplies by the transposed map. Where d_query and d_key differ it fails; where they are equal it
# runs, and the scores are those of another matrix.

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
        asked = query @ self.W_a.weight
        weights = masked_softmax(torch.einsum("bd,bsd->bs", asked, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: a mask that stays behind
# The bilinear class hands its scores to the dot product by using the mapped query, but does not hand on the mask. Shows
# in the second class alone, wherever a mask forbids a position.

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
        return DotProductAttention()(self.W_a(query), keys, values)


# %% correct: matrix products in batches, forbidden rows emptied

def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """query (B, d) to keys of its own width."""
    if mask is not None:
        keys = torch.where(mask.unsqueeze(2), keys, torch.zeros_like(keys))
        values = torch.where(mask.unsqueeze(2), values, torch.zeros_like(values))
    scores = torch.bmm(query.unsqueeze(1), keys.transpose(1, 2))  # (B, 1, S)
    weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))
    return torch.bmm(weights, values)[:, 0], weights[:, 0]


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return attend(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return attend(self.W_a(query), keys, values, mask)


# %% correct: sentence by sentence, among the allowed only

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        outputs, rows = [], []
        for b in range(len(query)):
            here = torch.arange(keys.shape[1], device=keys.device) if mask is None else mask[b].nonzero().squeeze(1)
            shares = torch.softmax(keys[b].index_select(0, here) @ query[b], dim=0)
            outputs.append(shares @ values[b].index_select(0, here))
            rows.append(keys.new_zeros(keys.shape[1]).index_copy(0, here, shares))
        return torch.stack(outputs), torch.stack(rows)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention.forward(self, query @ self.W_a.weight.T, keys, values, mask)
