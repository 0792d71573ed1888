# %% wrong: blends the keys
# Sums the keys under the weights, since in Bahdanau's model keys and values are one. Shows wherever they differ: other
# numbers, and with d_v not d_key another width.

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
        weights = masked_softmax(self.v_a(hidden).squeeze(-1), mask)
        return (weights.unsqueeze(-1) * keys).sum(dim=1), weights


# %% wrong: every axis of size 1 squeezed
# squeeze() without an axis removes the batch of one sentence, or the only position, along with v_a's axis. Shows for B
# = 1 and for S = 1.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query)[:, None] + self.U_a(keys))
        scores = self.v_a(hidden).squeeze()
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: a mean on top of the weights
# Takes "the mean of the values under the weights" as a mean over the positions of the weighted values, and so divides
# by S once more. Shows for any S above 1; the weights are right.

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
        weights = masked_softmax(self.v_a(hidden).squeeze(-1), mask)
        return (weights.unsqueeze(-1) * values).mean(dim=1), weights


# %% wrong: the tanh outside
# Computes tanh(v_a . (W_a query + U_a key)): the curve comes after v_a and not before it. Shows for any weights that
# are not tiny; every score ends up between -1 and 1.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = torch.tanh(self.v_a(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% correct: query and key side by side through one matrix

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:  # nothing of a forbidden position goes on
            keys = keys.masked_fill(~mask.unsqueeze(2), 0.0)
            values = values.masked_fill(~mask.unsqueeze(2), 0.0)
        pairs = torch.cat([query.unsqueeze(1).expand(-1, keys.shape[1], -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        scores = torch.einsum("bsi,hi->bsh", pairs, both).tanh().matmul(self.v_a.weight[0])
        weights = masked_softmax(scores, mask)
        return torch.bmm(values.transpose(1, 2), weights.unsqueeze(2)).squeeze(2), weights


# %% correct: keys first, a softmax of its own

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, length, _ = keys.shape
        allowed = torch.ones(batch, length, dtype=torch.bool, device=keys.device) if mask is None else mask
        keys = torch.where(allowed.unsqueeze(-1), keys, torch.zeros_like(keys))
        values = torch.where(allowed.unsqueeze(-1), values, torch.zeros_like(values))
        asked = self.W_a(query).repeat_interleave(length, dim=0)  # (B * S, d_hidden): each sentence's own query
        scores = self.v_a(torch.tanh(asked + self.U_a(keys.flatten(0, 1)))).view(batch, length)
        top = scores.detach().masked_fill(~allowed, -1e30).amax(dim=1, keepdim=True)
        parts = (torch.where(allowed, scores, top) - top).exp() * allowed
        total = parts.sum(dim=1, keepdim=True)
        weights = parts / torch.where(total > 0, total, torch.ones_like(total))
        return (weights.unsqueeze(2) * values).sum(dim=1), weights
