# %% wrong: the matrix is applied from the wrong side
# `query @ W_a.weight` is the transposed map. For a square W_a the scores are wrong without an error; with d_query and d_key
# different it raises a RuntimeError.

def blend(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    if mask is not None:
        values = values.masked_fill(~mask.unsqueeze(2), 0)  # huge numbers there must not matter
    return torch.einsum("bs,bsd->bd", weights, values), weights


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
        mapped = query @ self.W_a.weight
        return blend(torch.einsum("bd,bsd->bs", mapped, keys), values, mask)


# %% wrong: the tanh of the additive score stays
# The bilinear score is copied from exercise 2.3 with its tanh around the mapped query. The scores differ wherever an entry
# of W_a query is not near zero. The dot product is right.

def blend(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    if mask is not None:
        values = values.masked_fill(~mask.unsqueeze(2), 0)  # huge numbers there must not matter
    return torch.einsum("bs,bsd->bd", weights, values), weights


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
        return blend(torch.einsum("bd,bsd->bs", torch.tanh(self.W_a(query)), keys), values, mask)


# %% wrong: the second class does not pass on its mask
# BilinearAttention calls the dot product with the mapped query and leaves the mask out: padding gets weight, and a row that
# allows nothing is not zero.

def blend(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    if mask is not None:
        values = values.masked_fill(~mask.unsqueeze(2), 0)  # huge numbers there must not matter
    return torch.einsum("bs,bsd->bd", weights, values), weights


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
        return DotProductAttention()(self.W_a(query), keys, values)


# %% wrong: squeeze takes more than its axis
# bmm needs a new axis, and squeeze() without a number removes every axis of size 1. With B = 1 the output is (d_v,); with
# d_v = 1 it is (B,).

def blend(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scores, mask)
    if mask is not None:
        values = values.masked_fill(~mask.unsqueeze(2), 0)
    return torch.bmm(weights.unsqueeze(1), values).squeeze(), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return blend((keys @ query.unsqueeze(2)).squeeze(2), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return blend((keys @ self.W_a(query).unsqueeze(2)).squeeze(2), values, mask)


# %% correct: one sentence after the other, without its padding

def one_by_one(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    outputs, rows = [], []
    for b in range(len(query)):
        keep = torch.ones(keys.shape[1], dtype=torch.bool, device=keys.device) if mask is None else mask[b]
        shares = torch.softmax(keys[b][keep].mv(query[b]), dim=0)  # of no scores, no shares
        outputs.append(shares @ values[b][keep])
        rows.append(shares.new_zeros(keys.shape[1]).masked_scatter(keep, shares))
    return torch.stack(outputs), torch.stack(rows)


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return one_by_one(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return one_by_one(self.W_a(query), keys, values, mask)


# %% correct: products of three, summed by hand

def share_out(products: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """products (B, S, d): the terms of each score."""
    weights = masked_softmax(products.sum(dim=-1), mask)
    if mask is not None:
        values = torch.where(mask[:, :, None], values, torch.zeros_like(values))
    return (weights[:, :, None] * values).sum(dim=1), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        if mask is not None:
            keys = torch.where(mask[:, :, None], keys, torch.zeros_like(keys))
        return share_out(query[:, None] * keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:
            keys = torch.where(mask[:, :, None], keys, torch.zeros_like(keys))
        mapped = (self.W_a.weight * query[:, None]).sum(dim=2)  # (B, d_key)
        return share_out(mapped[:, None] * keys, values, mask)
