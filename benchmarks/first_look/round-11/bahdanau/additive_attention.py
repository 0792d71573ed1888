# %% wrong: the keys are blended
# In the paper keys and values are the same states, and so the weights are applied to the keys. Shows where values
# differ from keys, and in the output's width where d_v is not d_key.

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


# %% wrong: squeeze without an axis
# The scores' last axis is removed by squeeze(), which removes every axis of size 1. Shows for one sentence, B = 1, and
# for one position, S = 1.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze()
        weights = masked_softmax(scores, mask)
        context = torch.bmm(weights.unsqueeze(1), values).squeeze()
        return context, weights


# %% wrong: a tanh for each
# tanh(W_a query) + tanh(U_a key) in place of the tanh of the sum: the query adds the same to each score, and the
# weights do not depend on it. Shows for every S of 2 or more.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = torch.tanh(self.W_a(query))
        offered = torch.tanh(self.U_a(keys))
        scores = self.v_a(asked[:, None, :] + offered)[:, :, 0]
        weights = masked_softmax(scores, mask)
        return (weights[:, :, None] * values).sum(dim=1), weights


# %% wrong: a softmax of its own over minus infinity
# Forbidden scores become minus infinity and PyTorch's softmax does the rest. Where a row's mask allows nothing, weights
# and output are NaN in place of zero.

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
        weights = F.softmax(scores, dim=-1)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% correct: one matrix for both maps

# [W_a U_a] [query; key] is W_a query + U_a key: query and key are joined, and so are the two weights.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:  # what stands in forbidden places is gone before anything is computed
            keys, values = (x.masked_fill(~mask.unsqueeze(-1), 0.0) for x in (keys, values))
        asked = query.unsqueeze(1).expand(-1, keys.shape[1], -1)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        hidden = F.linear(torch.cat([asked, keys], dim=2), both).tanh()
        weights = masked_softmax(hidden @ self.v_a.weight[0], mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% correct: all pairs in one long list

# Every position becomes a row of its own, (B * S, ...), with its sentence's query repeated beside it.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, positions, _ = keys.shape
        allowed = torch.ones(batch, positions, dtype=torch.bool, device=keys.device) if mask is None else mask
        real_keys = torch.where(allowed[..., None], keys, torch.zeros_like(keys))
        real_values = torch.where(allowed[..., None], values, torch.zeros_like(values))
        asked = self.W_a(query).repeat_interleave(positions, dim=0)
        offered = self.U_a(real_keys.reshape(batch * positions, -1))
        scores = self.v_a(2 * torch.sigmoid(2 * (asked + offered)) - 1)  # the tanh
        weights = masked_softmax(scores.reshape(batch, positions), allowed)
        return torch.matmul(real_values.transpose(1, 2), weights.unsqueeze(-1)).squeeze(-1), weights
