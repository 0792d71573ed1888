# %% wrong: repeat where repeat_interleave was meant
# query.repeat(S, 1) lays the whole batch S times one below the other; the view then gives sentence b the
# queries of other sentences. Shows for B of 2 or more with S of 2 or more.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, length = keys.shape[:2]
        queries = query.repeat(length, 1).view(batch, length, -1)
        scores = self.v_a(torch.tanh(self.W_a(queries) + self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: a tanh for each of the two
# tanh(W_a query) + tanh(U_a key) in place of the tanh of the sum: the query adds the same to every score of
# its row, and the weights do not depend on it. Shows for any S of 2 or more.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))
        scores = self.v_a(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong: divides by the root of the width
# The Transformer's 1/sqrt(d), which does not belong here. Shows for any d_hidden other than 1, where S is
# 2 or more.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.scale = math.sqrt(d_hidden)
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        weights = masked_softmax(self.v_a(hidden).squeeze(-1) / self.scale, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights

# %% wrong: keeps U_a h from the last call
# Computes U_a keys once a sentence, as the paper does, but takes a new sentence to be the old one where the
# shape of the keys is the same. Shows at a second call with other keys of the same shape, or after an optimizer's step.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)
        self.mapped = None

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if self.mapped is None or self.mapped.shape[:2] != keys.shape[:2]:
            self.mapped = self.U_a(keys)
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.mapped)
        weights = masked_softmax(self.v_a(hidden).squeeze(-1), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% correct: convolutions of width one

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:
            keys = keys.masked_fill(~mask[:, :, None], 0.0)
            values = values.masked_fill(~mask[:, :, None], 0.0)
        one_column = F.conv1d(query[:, :, None], self.W_a.weight[:, :, None])  # (B, H, 1)
        columns = F.conv1d(keys.transpose(1, 2), self.U_a.weight[:, :, None])  # (B, H, S)
        squashed = 2 * torch.sigmoid(2 * (one_column + columns)) - 1  # tanh
        scores = F.conv1d(squashed, self.v_a.weight[:, :, None])[:, 0]
        weights = masked_softmax(scores, mask)
        return torch.baddbmm(values.new_zeros(1, 1, 1), weights[:, None], values)[:, 0], weights

# %% correct: only the pairs that exist

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is None:
            mask = torch.ones(keys.shape[:2], dtype=torch.bool, device=keys.device)
        b, j = mask.nonzero(as_tuple=True)  # each allowed position and its sentence
        asked = self.W_a(query)[b] + self.U_a(keys[b, j])
        found = torch.tanh(asked) @ self.v_a.weight[0]
        scores = found.new_zeros(keys.shape[:2]).index_put((b, j), found)
        weights = masked_softmax(scores, mask)
        parts = weights[b, j][:, None] * values[b, j]
        output = parts.new_zeros(len(query), values.shape[2]).index_add(0, b, parts)
        return output, weights
