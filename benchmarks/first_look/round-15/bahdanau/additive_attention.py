# %% wrong: query and key each get a tanh of their own
# tanh(W q) + tanh(U k) in place of tanh(W q + U k). The query then adds the same number to every score of its row, and the
# weights do not depend on it. Any random input shows it.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))  # (B, S, d_hidden)
        scores = self.v_a(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        if mask is not None:
            values = values.masked_fill(~mask.unsqueeze(2), 0)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: the keys are blended
# In Bahdanau's model keys and values are the same states, so the keys went into the sum. Where values are given that differ,
# the output is wrong, and has the width d_key.

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
        scores = self.v_a(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        if mask is not None:
            keys = keys.masked_fill(~mask.unsqueeze(2), 0)
        return (weights.unsqueeze(2) * keys).sum(dim=1), weights


# %% wrong: every axis of size one is squeezed away
# squeeze() without an axis also removes B = 1 and S = 1. With one sentence the weights come back as (S,), or the mask does
# not fit; with one position the weights are shared out over the batch.

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
        if mask is not None:
            values = values.masked_fill(~mask.unsqueeze(2), 0)
        output = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
        return output, weights


# %% wrong: padding is set to a score of zero
# The hidden layer is zeroed at forbidden positions, and a plain softmax gives them exp(0) each. The weights of the others
# sum to less than one as soon as the mask forbids anything, and a row without any allowed key is not zero.

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
        if mask is not None:
            hidden = hidden.masked_fill(~mask.unsqueeze(2), 0)
            values = values.masked_fill(~mask.unsqueeze(2), 0)
        weights = torch.softmax(self.v_a(hidden).squeeze(2), dim=1)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% correct: one linear map over query and key side by side

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
        if mask is not None:
            forbidden = ~mask.unsqueeze(2)
            keys, values = keys.masked_fill(forbidden, 0), values.masked_fill(forbidden, 0)
        side_by_side = torch.cat([query[:, None].expand(batch, positions, -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        scores = torch.tanh(F.linear(side_by_side, both)) @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% correct: only the allowed pairs, gathered and scattered

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
        if mask is None:
            mask = torch.ones(batch, positions, dtype=torch.bool, device=keys.device)
        b, s = mask.expand(batch, positions).nonzero(as_tuple=True)  # n pairs of a sentence and a real position
        scores = self.v_a(torch.tanh(self.W_a(query)[b] + self.U_a(keys[b, s])))[:, 0]
        highest = scores.new_full((batch,), float("-inf")).scatter_reduce(0, b, scores.detach(), "amax")
        parts = (scores - highest[b]).exp()
        parts = parts / torch.zeros_like(highest).index_add(0, b, parts)[b]
        weights = scores.new_zeros(batch, positions).index_put((b, s), parts)
        output = values.new_zeros(batch, values.shape[2]).index_add(0, b, parts.unsqueeze(1) * values[b, s])
        return output, weights
