# %% wrong: tanh of each by itself
# tanh is taken of the mapped query and of the mapped keys, and then they are added: the query adds the same to all
# scores of a row and the weights do not depend on it. Shows for every query that is not zero, with S > 1.

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
        offered = torch.tanh(self.U_a(keys))  # (B, S, d_hidden)
        weights = masked_softmax(self.v_a(asked + offered).squeeze(-1), mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: the keys blended
# The output is the mean of the keys and not of the values, as where both are the same encoder states.
# Shows wherever values differ from keys, in their width or in their numbers.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(-1) * keys).sum(dim=1)
        return context, weights


# %% wrong: squeeze without an axis
# Squeezes every axis of one: with a batch of one the weights are (S,) and the output (d_v,), or it raises,
# and with S = 1 the position is lost.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query)[:, None, :] + self.U_a(keys))
        scores = self.v_a(hidden).squeeze()
        weights = masked_softmax(scores, mask)
        output = torch.matmul(weights.unsqueeze(-2), values).squeeze()
        return output, weights


# %% wrong: minus infinity and the plain softmax
# Fills in minus infinity and leaves the row in which nothing is allowed to torch.softmax:
# its weights and output are NaN in place of zero.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% correct: query and key laid end to end under one wide matrix

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        both = torch.cat([query.unsqueeze(1).expand(-1, keys.shape[1], -1), keys], dim=2)
        wide = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        scores = torch.tanh(both @ wide.mT) @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% correct: all pairs in one long list, the mean by a product with the weights' column

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        B, S = keys.shape[:2]
        asked = self.W_a(query).repeat_interleave(S, dim=0)  # row b * S + j belongs to key j of sentence b
        scores = F.linear((asked + self.U_a(keys.flatten(0, 1))).tanh(), self.v_a.weight).view(B, S)
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        allowed = mask.any(dim=1, keepdim=True)
        filled = torch.where(mask, scores, -torch.inf)
        weights = torch.where(mask, torch.where(allowed, filled, 0.0).log_softmax(dim=1).exp(), 0.0)
        return (values.mT @ weights.unsqueeze(2))[..., 0], weights
