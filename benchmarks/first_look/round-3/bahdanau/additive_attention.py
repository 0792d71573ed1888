# %% wrong: no tanh
# The tanh is missing, so the query adds the same to every score of a row and the weights do not depend on it.
# Hint: change the query and look whether any weight moves.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(self.W_a(query).unsqueeze(1) + self.U_a(keys)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: the query's new axis in front
# Broadcast aligns from the right: (B, h) with (B, S, h) puts the queries along the positions, which runs where B is S or 1 and mixes the sentences.
# Hint: write the shapes under each other, right-aligned; which axis of the keys does the B of the query meet?

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query).unsqueeze(0) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: the keys are blended
# The output is the mean of the keys and not of the values; in Bahdanau's model they are the same, in the docstring they are not.
# Hint: give values that differ from the keys, of another width.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)[:, None, :] + self.U_a(keys)))[:, :, 0]
        weights = masked_softmax(scores, mask)
        context = (weights[:, :, None] * keys).sum(dim=1)
        return context, weights


# %% wrong: squeeze without an axis
# squeeze() takes every axis of length one away, so a batch of one sentence (or a source of one word) loses an axis that it needs.
# Hint: which axis did you mean? Try it with B = 1.

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
        output = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
        return output, weights


# %% correct: one map of query and key side by side

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        positions = keys.size(1)
        pairs = torch.cat([query[:, None].expand(-1, positions, -1), keys], dim=-1)
        matrix = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = F.linear(F.linear(pairs, matrix).tanh(), self.v_a.weight).squeeze(-1)
        weights = masked_softmax(scores=scores, mask=mask)
        output = torch.matmul(values.transpose(1, 2), weights.unsqueeze(2)).squeeze(2)
        return output, weights
