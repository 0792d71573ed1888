# %% wrong: the repeated queries are laid out in the wrong order
# repeat puts the whole batch S times one after the other, view then cuts it by sentence: most keys meet the query of
# another sentence. Right for a batch of one only.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        B, S, _ = keys.shape
        queries = self.W_a(query).repeat(S, 1).view(B, S, -1)
        scores = self.v_a(torch.tanh(queries + self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        output = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
        return output, weights


# %% wrong: the projected keys are kept from the first call
# To save work U_a keys is kept while the shape stays the same. The next batch of that shape is scored by the keys of
# the batch before, and after a training step by old parameters.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)
        self.projected = None

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        # the keys are the same at each step of the decoder, so it is enough to project them once
        if self.projected is None or self.projected.shape[:2] != keys.shape[:2]:
            self.projected = self.U_a(keys)
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.projected)
        weights = masked_softmax(self.v_a(hidden).squeeze(-1), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: a tanh for the query and a tanh for the key
# tanh(W_a q) + tanh(U_a k) is not tanh(W_a q + U_a k): the query adds the same number to every score of a row, and the
# weights do not depend on it.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        q = torch.tanh(self.W_a(query))[:, None, :]
        k = torch.tanh(self.U_a(keys))
        scores = self.v_a(q + k)[..., 0]
        weights = masked_softmax(scores, mask)
        output = (weights[..., None] * values).sum(dim=1)
        return output, weights


# %% wrong: squeeze without saying which axis
# A batch of one, or a source of one word, loses an axis more than the last: weights (S,) or (B,) in place of (B, S),
# or an error.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        energy = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(energy).squeeze()
        weights = masked_softmax(scores, mask)
        output = torch.bmm(weights.unsqueeze(1), values).squeeze()
        return output, weights


# %% wrong: the weighted sum is divided by the number of words
# The mean under the weights is the weighted sum itself, since they sum to one. Here it is divided once more, by the
# number of positions that may be looked at.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(2)
        weights = masked_softmax(scores, mask)
        weighted = weights.unsqueeze(2) * values
        if mask is None:
            return weighted.mean(dim=1), weights
        count = mask.sum(dim=1, keepdim=True).clamp(min=1)
        return weighted.sum(dim=1) / count, weights


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
        both = torch.cat([query[:, None].expand(-1, keys.shape[1], -1), keys], dim=2)
        joined = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = torch.tanh(both @ joined.T) @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.matmul(values.transpose(1, 2), weights[:, :, None])[:, :, 0], weights


# %% correct: a loop over the positions with a running sum

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def _score(self, asked: Tensor, key: Tensor) -> Tensor:
        return self.v_a(torch.tanh(asked + self.U_a(key)))  # (B, 1)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = self.W_a(query)
        scores = torch.cat([self._score(asked, key) for key in keys.unbind(1)], dim=1)
        weights = masked_softmax(scores, mask)
        output = torch.zeros_like(values[:, 0])
        for j, value in enumerate(values.unbind(1)):
            output = output + weights[:, j : j + 1] * value
        return output, weights
