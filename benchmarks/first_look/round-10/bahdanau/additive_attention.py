# %% wrong: a tanh for the query and a tanh for the keys
# tanh(W_a query) + tanh(U_a key) in place of tanh of the sum: the query adds the same to all scores of a row and drops
# out of the softmax. Shows in the weights for any S above 1.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = torch.tanh(self.W_a(query)).unsqueeze(1)
        offered = torch.tanh(self.U_a(keys))
        scores = self.v_a(asked + offered).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong: squeeze takes every axis of size one
# scores (B, S, 1).squeeze() loses the batch where B is 1 and the keys where S is 1; then the softmax is over the batch,
# or the mask no longer fits. Shows for one sentence, or for sentences of one position.

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
        output = torch.einsum("...s,...sd->...d", weights, values)
        return output, weights


# %% wrong: scores kept in a float32 buffer
# The scores are written into torch.zeros(B, S), which is float32 whatever comes in: a module in float64 loses half of its
# digits, and weights come back in float32. float64 must stay float64.

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
        scores = torch.zeros(batch, length, device=keys.device)
        asked = self.W_a(query)
        for j in range(length):
            scores[:, j] = self.v_a(torch.tanh(asked + self.U_a(keys[:, j])))[:, 0]
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong: view on keys that lie otherwise in memory
# keys.view(B * S, d_key) raises where the keys are, say, the transpose of a (S, B, d_key) tensor: the code must take
# tensors however they lie in memory. Shows for keys that are not contiguous.

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
        offered = self.U_a(keys.view(batch * length, self.d_key))
        asked = self.W_a(query).repeat_interleave(length, dim=0)  # (B * S, d_hidden)
        scores = self.v_a(torch.tanh(asked + offered)).view(batch, length)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% correct: query and key laid end to end, both matrices side by side

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        pairs = torch.cat([query.unsqueeze(1).expand(-1, keys.shape[1], -1), keys], dim=2)  # (B, S, d_query + d_key)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        hidden = torch.tanh(pairs @ both.mT)
        scores = hidden @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% correct: a loop over positions, the context added up piece by piece

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked, (reader,) = self.W_a(query), self.v_a.weight
        meetings = [torch.tanh(torch.add(asked, self.U_a(key))) for key in keys.unbind(dim=1)]
        scores = torch.stack([torch.mv(meeting, reader) for meeting in meetings], dim=1)
        weights = masked_softmax(scores, mask)
        context = values.new_zeros(len(values), values.shape[2])
        for j, value in enumerate(values.unbind(dim=1)):
            context = context + weights[:, j, None] * value
        return context, weights
