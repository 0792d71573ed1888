# %% wrong: the scaled dot product
# The dot product is divided by the square root of d, as in later chapters; the exercise says that it is not. Shows for
# every width of 2 or more with more than one position.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(query.shape[-1])
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: reshape where a transpose is meant
# The keys are brought to (B, d, S) by reshape, which keeps the order of the numbers: key j is then no key of the
# sentence. Shows wherever both S and d are above 1.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        batch, positions, width = keys.shape
        scores = torch.bmm(query.unsqueeze(1), keys.reshape(batch, width, positions)).squeeze(1)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, positions, width = keys.shape
        scores = torch.bmm(self.W_a(query).unsqueeze(1), keys.reshape(batch, width, positions)).squeeze(1)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: the weight matrix is taken as it lies
# query @ W_a.weight multiplies by the transpose of what nn.Linear does: an error where the widths differ, and other
# scores where they are equal.

class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        scores = (query.unsqueeze(1) * keys).sum(dim=2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        mapped = query @ self.W_a.weight
        scores = (mapped.unsqueeze(1) * keys).sum(dim=2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong: the second class calls the first without its mask
# The bilinear score is the dot product with the mapped query, so the class hands over to the other one. The mask has
# stayed behind: padding gets weight. Shows wherever the mask forbids something.

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
        self.dot = DotProductAttention()

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return self.dot(self.W_a(query), keys, values)


# %% correct: products and sums, forbidden places emptied first

# No matrix product: each query number times each key number, summed; keys and values are zero where the mask forbids.

def _blend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        keys = keys.masked_fill(~mask.unsqueeze(-1), 0.0)
        values = values.masked_fill(~mask.unsqueeze(-1), 0.0)
    weights = masked_softmax(query.unsqueeze(1).mul(keys).sum(dim=-1), mask)
    return weights.unsqueeze(-1).mul(values).sum(dim=1), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return _blend(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return _blend(self.W_a(query), keys, values, mask)


# %% correct: both by PyTorch's bilinear form

# F.bilinear gives query^T A key for all pairs: A is the identity for the dot product, and W_a transposed for the other.

def _by_form(form: Tensor, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    batch, positions, _ = keys.shape
    if mask is None:
        mask = torch.ones(batch, positions, dtype=torch.bool, device=keys.device)
    keys = torch.where(mask.unsqueeze(2), keys, torch.zeros_like(keys))
    values = torch.where(mask.unsqueeze(2), values, torch.zeros_like(values))
    asked = query.unsqueeze(1).expand(batch, positions, query.shape[-1]).contiguous()
    scores = F.bilinear(asked, keys.contiguous(), form.unsqueeze(0)).squeeze(-1)
    weights = masked_softmax(scores, mask)
    return torch.einsum("bsd,bs->bd", values, weights), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        same = torch.eye(query.shape[-1], dtype=query.dtype, device=query.device)
        return _by_form(same, query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return _by_form(self.W_a.weight.T, query, keys, values, mask)
