# %% wrong: tanh left out of the sum
# tanh is taken of the query alone; wrong for any input where U_a keys is not small.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)).unsqueeze(1) + self.U_a(keys)).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights

# %% wrong: blends the keys
# The output is the mean of the keys; shows wherever values differ from keys.

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
        return (weights.unsqueeze(1) @ keys).squeeze(1), weights

# %% wrong: a bare squeeze
# squeeze() drops a batch of one: with B = 1 (or S = 1) the shapes of weights and output are wrong.

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
        return (weights.unsqueeze(1) @ values).squeeze(), weights

# %% wrong: new axis in front of the batch
# The query of row j meets position j of every sentence; fails where B differs from S, silently wrong where B == S.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(0) + self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights

# %% correct: one product over query and key side by side

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        both = torch.cat([query.unsqueeze(1).expand(-1, keys.shape[1], -1), keys], dim=-1)
        matrix = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = torch.tanh(both @ matrix.t()) @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% correct: tanh by its logistic form, with broadcasting

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        inner = self.U_a(keys) + self.W_a(query)[:, None]
        hidden = 2 * torch.sigmoid(2 * inner) - 1
        weights = masked_softmax((hidden * self.v_a.weight.view(-1)).sum(dim=2), mask)
        return torch.bmm(values.transpose(1, 2), weights[:, :, None])[:, :, 0], weights

