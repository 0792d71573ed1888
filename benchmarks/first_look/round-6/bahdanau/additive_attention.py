# %% wrong: squeeze without saying which axis
# squeeze() drops every axis of size one: with a batch of one sentence or sentences of one word the batch or the positions go too.

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
        output = torch.bmm(weights.view(len(query), 1, -1), values).squeeze(1)
        return output, weights


# %% wrong: a tanh for each of the two and then the sum
# The tanh belongs around the sum. So the part of the query is the same for all positions and the weights do not depend on it.

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
        scores = self.v_a(asked + offered).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * values).sum(dim=1), weights


# %% wrong: the context is made of the keys
# In the notebook keys and values are the same tensor; where they differ the answer is built from the wrong one.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        h = keys
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(h))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(1) @ h).squeeze(1)
        return context, weights


# %% wrong: copied the switch that turns gradients off
# no_grad was taken over from the loop above the exercise, so the parameters can never be trained.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        with torch.no_grad():
            W_a, U_a, v_a = self.W_a.weight, self.U_a.weight, self.v_a.weight[0]
            scores = torch.tanh((query @ W_a.T).unsqueeze(1) + keys @ U_a.T) @ v_a
            weights = masked_softmax(scores, mask)
            output = torch.einsum("bs,bsd->bd", weights, values)
        return output, weights


# %% wrong: scores with an extra factor and weights with an extra axis
# The scores are divided by the root of the hidden width, which is the dot product of another paper, and the weights come back
# as (B, 1, S) and not (B, S).

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
        scores = self.v_a(hidden).transpose(1, 2) / math.sqrt(hidden.shape[-1])
        weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))
        output = (weights @ values).squeeze(1)
        return output, weights


# %% correct: one matrix for query and key side by side

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = query.unsqueeze(1).expand(-1, keys.shape[1], -1)
        both = torch.cat([asked, keys], dim=-1)  # (B, S, d_query + d_key)
        matrix = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = F.linear(torch.tanh(F.linear(both, matrix)), self.v_a.weight)[..., 0]
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights


# %% correct: a loop over the positions

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = self.W_a(query)
        columns = [self.v_a(torch.tanh(asked + self.U_a(key)))[:, 0] for key in keys.unbind(1)]
        shares = masked_softmax(torch.stack(columns, dim=1), mask)
        blend = torch.zeros_like(values[:, 0])
        for j in range(values.shape[1]):
            blend = blend + shares[:, j : j + 1] * values[:, j]
        return blend, shares
