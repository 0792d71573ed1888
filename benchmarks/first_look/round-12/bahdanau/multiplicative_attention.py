# %% wrong: divided by the root of the width
# The factor of the Transformer is added to both scores; here neither is divided.
# Shows for every key width above 1.

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

# %% wrong: the weight used untransposed
# query @ W_a.weight is the product with the transposed map: it fits only where both widths are equal, and is wrong there.
# Shows in the bilinear attention for unequal widths (an error) and for equal ones (other weights).

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
        projected = query @ self.W_a.weight
        scores = (keys @ projected.unsqueeze(2)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: squeeze on the way out
# squeeze() removes all axes of size 1 from the output (B, 1, d_v), the batch of one and values of width one included.
# Shows for B = 1 and for d_v = 1: the output's shape.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.bmm(keys, query.unsqueeze(-1))[..., 0], mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = masked_softmax(torch.bmm(keys, self.W_a(query).unsqueeze(-1))[..., 0], mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(), weights

# %% wrong: the bilinear one forgets its mask
# Written from the unmasked example of section 2.6: the mask is checked, and then the softmax gets None.
# Shows in the bilinear attention for every mask that forbids something.

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
        projected = self.W_a(query)  # (B, d_key)
        scores = (projected.unsqueeze(1) * keys).sum(dim=2)
        weights = masked_softmax(scores, None)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights

# %% correct: torch's own bilinear form

# The dot product is matrix times vector for each sentence under vmap, and the bilinear score is F.bilinear with one output.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.vmap(torch.mv)(keys, query)
        weights = masked_softmax(scores, mask)
        return torch.vmap(lambda w, v: v.T.mv(w))(weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asking = query.unsqueeze(1).expand(-1, keys.shape[1], -1).contiguous()  # (B, S, d_query)
        scores = F.bilinear(asking, keys.contiguous(), self.W_a.weight.T.unsqueeze(0).contiguous()).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.vmap(lambda w, v: v.T.mv(w))(weights, values), weights

# %% correct: sentence by sentence, the allowed positions only

# A loop over the batch that drops forbidden positions before anything is computed; the dot product is the bilinear score without a map.

def _one_by_one(query, keys, values, mask):
    outputs, shares = [], []
    for b, asks in enumerate(query):
        may = torch.arange(keys.shape[1], device=keys.device)
        if mask is not None:
            may = may[mask[b]]
        scores = (keys[b, may] * asks).sum(dim=-1)  # (allowed,)
        weights = masked_softmax(scores, None)
        shares.append(keys.new_zeros(keys.shape[1]).index_put((may,), weights))
        outputs.append(weights @ values[b, may])
    return torch.stack(outputs), torch.stack(shares)


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return _one_by_one(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return _one_by_one(self.W_a(query), keys, values, mask)
