# %% wrong: one query for the whole batch
# (B, d) @ (B, d, S) gives every query against every sentence, (B, B, S); [:, 0] takes the first query for each sentence, and
# not its own. Right for a batch of one; from the second row on the dot product's weights are those of the first query.

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
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: the matrix on the side of the keys
# query . (W_a key): for equal widths the scores are those of the transposed matrix, for unequal ones there is an error.

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
        scores = (query.unsqueeze(1) * self.W_a(keys)).sum(dim=2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights

# %% wrong: the bilinear score hands on the keys as values
# BilinearAttention leaves the rest to DotProductAttention, but with keys in the place of values, as in the decoder where both
# are the same. Shows wherever values are not the keys; with another width, so has the output.

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
        return self.dot(self.W_a(query), keys, keys, mask)

# %% wrong: NaN put right in the output, not in the weights
# Where a row allows nothing the softmax gives NaN. The output is mended, the weights that are returned stay NaN.

def share_out(scores: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    output = torch.einsum("bs,bsd->bd", weights, values)
    return torch.nan_to_num(output), weights


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return share_out(torch.einsum("bd,bsd->bs", query, keys), values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return share_out(torch.einsum("bd,bsd->bs", self.W_a(query), keys), values, mask)

# %% correct: sentence by sentence, over the allowed positions alone
class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        outputs, rows = [], []
        for b in range(len(query)):
            row = 0.0 * query[b, 0] + keys.new_zeros(keys.shape[1])
            if mask is None:
                places = torch.arange(keys.shape[1], device=keys.device)
            else:
                places = mask[b].nonzero()[:, 0]
            if len(places):
                row = row.index_add(0, places, (keys[b, places] @ query[b]).softmax(dim=0))
            outputs.append(row[places] @ values[b, places])
            rows.append(row)
        return torch.stack(outputs), torch.stack(rows)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return DotProductAttention().forward(self.W_a(query), keys, values, mask)

# %% correct: the weights are the attention of an identity matrix
# PyTorch's attention, without its factor, over values [identity, values]: the first S columns are the weights themselves.
def by_product(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    size = keys.shape[1]
    if mask is None:
        mask = torch.ones(keys.shape[:2], dtype=torch.bool, device=keys.device)
    forbidden = ~mask.unsqueeze(2)
    keys, values = keys.masked_fill(forbidden, 0.0), values.masked_fill(forbidden, 0.0)
    identity = torch.eye(size, dtype=values.dtype, device=values.device).expand(len(keys), -1, -1)
    lifted = (mask | ~mask.any(dim=1, keepdim=True)).unsqueeze(1)  # (B, 1, S)
    both = F.scaled_dot_product_attention(
        query.unsqueeze(1), keys, torch.cat([identity, values], dim=2), attn_mask=lifted, scale=1.0
    )[:, 0]
    weights, output = both.split([size, values.shape[2]], dim=1)
    return output.masked_fill(~mask.any(dim=1, keepdim=True), 0.0), weights.masked_fill(~mask, 0.0)


class DotProductAttention(nn.Module):
    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        return by_product(query, keys, values, mask)


class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        return by_product(torch.einsum("kq,bq->bk", self.W_a.weight, query), keys, values, mask)
