# %% wrong: the keys are blended
# In Bahdanau's model keys and values are the same states, so the last line blends the keys. It shows wherever values
# differ from keys: another output, and another width where d_v is not d_key.

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
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, keys), weights

# %% wrong: squeezes every axis of one
# `squeeze()` without an axis also drops a batch or a sentence of size 1: with B = 1 or S = 1 the shapes are wrong (or
# the softmax runs over the batch).

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
        scores = self.v_a(hidden).squeeze()
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights

# %% wrong: a tanh for each map
# tanh(W_a query) + tanh(U_a key) instead of the tanh of the sum: the query then adds the same number to all scores, and
# the weights do not depend on it. Shows for any S > 1.

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
        scores = self.v_a(asked[:, None, :] + offered)[..., 0]
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights

# %% wrong: a mean on top of the weights
# "The mean of the values under the weights" is taken with `mean`, which divides the weighted sum by S once more: the
# output is S times too small for every S > 1.

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
        output = (weights.unsqueeze(-1) * values).mean(dim=1)
        return output, weights

# %% correct: convolutions of width one over the positions

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:  # nothing huge gets into the sums, nor back out of them
            keys = keys.masked_fill(~mask.unsqueeze(2), 0.0)
            values = values.masked_fill(~mask.unsqueeze(2), 0.0)
        of_keys = F.conv1d(keys.transpose(1, 2), self.U_a.weight.unsqueeze(2))  # (B, d_hidden, S)
        of_query = F.conv1d(query.unsqueeze(2), self.W_a.weight.unsqueeze(2))  # (B, d_hidden, 1)
        scores = F.conv1d(torch.tanh(of_keys + of_query), self.v_a.weight.unsqueeze(2))  # (B, 1, S)
        weights = masked_softmax(scores.flatten(1), mask)
        return torch.bmm(values.transpose(1, 2), weights.unsqueeze(2)).flatten(1), weights

# %% correct: query and key side by side through one wide matrix

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, positions = keys.shape[:2]
        allowed = torch.ones(batch, positions, dtype=torch.bool, device=keys.device) if mask is None else mask
        zero = torch.zeros((), dtype=keys.dtype, device=keys.device)
        keys = torch.where(allowed.unsqueeze(2), keys, zero)
        values = torch.where(allowed.unsqueeze(2), values, zero)
        pairs = torch.cat([query.unsqueeze(1).expand(-1, positions, -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        scores = torch.tanh(pairs @ both.T) @ self.v_a.weight[0]
        scores = torch.where(allowed, scores, torch.full_like(scores, -1e30))
        shares = torch.exp(scores - scores.detach().amax(dim=1, keepdim=True)) * allowed
        total = shares.sum(dim=1, keepdim=True)
        weights = shares / torch.where(total > 0, total, torch.ones_like(total))
        return torch.einsum("bs,bsv->bv", weights, values), weights
