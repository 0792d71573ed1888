# %% wrong: the keys are blended
# The context is the mean of the keys and not of the values, as in Bahdanau's model, where both are the same states.
# Shows wherever values differ from keys, in numbers or in width.

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
        weights = masked_softmax(self.v_a(hidden).squeeze(2), mask)
        return torch.einsum("bs,bsd->bd", weights, keys), weights

# %% wrong: a tanh for each of the two
# The tanh is taken of query and key apart: then the query adds the same to each score, and the weights do not depend on it.
# Shows for every input with S above 1.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: squeeze takes every axis of one
# squeeze() is to remove the last axis of the scores (B, S, 1), and removes B or S where they are 1.
# Shows for a batch of one sentence, and for a source of one word: wrong shapes or an error.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        query_part = self.W_a(query)[:, None, :]
        scores = self.v_a(torch.tanh(query_part + self.U_a(keys))).squeeze()
        weights = masked_softmax(scores, mask)
        output = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
        return output, weights

# %% wrong: shared out over an axis of length one
# The scores keep their last axis, (B, S, 1), and the masked softmax works over it: every allowed key gets the weight 1.
# Shows wherever more than one key is allowed: the output is the sum of the values.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys)))  # (B, S, 1)
        weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(2))
        return (weights * values).sum(dim=1), weights.squeeze(2)

# %% correct: only the pairs that exist

# Padding is never touched: scores are computed for the list of allowed (sentence, position) pairs and laid into a table.

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
        if mask is None:
            mask = torch.ones(batch, length, dtype=torch.bool, device=keys.device)
        b, s = mask.nonzero(as_tuple=True)
        hidden = torch.tanh(self.W_a(query)[b] + self.U_a(keys[b, s]))  # (N, d_hidden)
        listed = self.v_a(hidden)[:, 0]
        scores = listed.new_zeros(batch, length).index_put((b, s), listed)
        weights = masked_softmax(scores, mask)
        parts = weights[b, s].unsqueeze(1) * values[b, s]
        return values.new_zeros(batch, values.shape[2]).index_add(0, b, parts), weights

# %% correct: one matrix for query and key laid end to end

# [W_a U_a] times [query; key], then einsums; forbidden keys and values are zeroed first.

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
            keys = keys.masked_fill(~mask.unsqueeze(-1), 0.0)
            values = values.masked_fill(~mask.unsqueeze(-1), 0.0)
        pairs = torch.cat([query[:, None].expand(-1, keys.shape[1], -1), keys], dim=-1)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = torch.einsum("h,bsh->bs", self.v_a.weight[0], F.linear(pairs, both).tanh())
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights
