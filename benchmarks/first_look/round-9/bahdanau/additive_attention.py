# %% wrong: a tanh for each of the two
# tanh(W_a query) + tanh(U_a key): the sum of two squashed vectors, so the query adds a constant to the row and the softmax drops it.
# Shows for any two queries with the same keys: they get the same weights.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = torch.tanh(self.W_a(query)).unsqueeze(1)  # (B, 1, d_hidden)
        there = torch.tanh(self.U_a(keys))  # (B, S, d_hidden)
        scores = self.v_a(asked + there).squeeze(-1)  # (B, S)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights

# %% wrong: squeeze without an axis
# v_a's answer (B, S, 1) loses every axis of size 1, the batch or the positions too.
# Shows for B = 1 (the output is (1, d_v) or raises) and for S = 1 (the softmax runs over the batch).

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)[:, None] + self.U_a(keys))).squeeze()
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(-1) * values).sum(dim=-2)
        return output, weights

# %% wrong: forbidden scores filled with -1e9
# A plain softmax over scores filled with -1e9: a row that allows nothing shares itself out evenly among the forbidden.
# Shows for a row whose mask allows nothing: weights 1/S and the mean of the values, not zero.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        output = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
        return output, weights

# %% wrong: keys and values zeroed, scores left in
# Zeroes what the mask forbids before scoring; a zero key still has a score, and its weight is lost to the others.
# Shows for every row with a forbidden position: it gets a weight, and the output is too short.

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
            keys = keys * mask.unsqueeze(-1)
            values = values * mask.unsqueeze(-1)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(-1)
        weights = torch.softmax(scores, dim=-1)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights

# %% correct: one matrix for query and key laid end to end

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        both = torch.cat([query[:, None, :].expand(-1, keys.shape[1], -1), keys], dim=2)  # (B, S, d_query + d_key)
        matrix = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        scores = torch.matmul(F.linear(both, matrix).tanh(), self.v_a.weight[0])
        weights = masked_softmax(scores, mask)
        return torch.matmul(values.transpose(1, 2), weights.unsqueeze(2)).squeeze(2), weights

# %% correct: a sigmoid in the place of the tanh

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        # tanh(x) = 2 sigmoid(2x) - 1, and the -1 adds the same to every score of a row: a softmax does not see it.
        keys_first, values_first = keys.transpose(0, 1), values.transpose(0, 1)  # (S, B, .)
        inside = torch.sigmoid(2 * (self.U_a(keys_first) + self.W_a(query)))  # (S, B, d_hidden)
        scores = self.v_a(2 * inside).select(-1, 0).t()  # (B, S)
        weights = masked_softmax(scores, mask)
        return torch.mul(values_first, weights.t()[..., None]).sum(dim=0), weights
