# %% wrong: maps the keys once for each tensor of keys
# U_a keys is kept between calls while the keys are the same tensor (the paper does so "once a sentence").
# After W/U change (an optimizer step), or a second backward pass with the same keys, it is stale or raises.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)
        self.last_keys, self.mapped = None, None

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if keys is not self.last_keys:
            self.last_keys, self.mapped = keys, self.U_a(keys)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.mapped)).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


# %% wrong: keys of zeros are taken for padding where there is no mask
# With mask=None every key may be attended to. Here a key that is all zeros gets no weight.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is None:
            mask = (keys != 0).any(dim=2)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(2)
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong: two hidden layers, one tanh each
# tanh(W query) + tanh(U key): the query then adds the same to every score and the weights do not depend on it.
# Shows for any query and S >= 2.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))
        weights = masked_softmax(self.v_a(hidden).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: cuts the batch to its longest sentence
# Positions behind the largest count of True are cut off: the weights are (B, longest), not (B, S), where every row
# has padding, and a mask with a hole (True, False, True) loses a word that it allows.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        if mask is not None:
            longest = max(1, int(mask.sum(dim=1).max()))
            keys, values, mask = keys[:, :longest], values[:, :longest], mask[:, :longest]
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


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
        if mask is not None:
            forbidden = ~mask.unsqueeze(2)
            keys, values = keys.masked_fill(forbidden, 0.0), values.masked_fill(forbidden, 0.0)
        pairs = torch.cat([query[:, None, :].expand(-1, keys.shape[1], -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)  # (d_hidden, d_query + d_key)
        scores = torch.einsum("bsi,hi->bsh", pairs, both).tanh() @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.baddbmm(values.new_zeros(1), weights.unsqueeze(1), values).squeeze(1), weights


# %% correct: only the allowed pairs, in one long list

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        size, length = keys.shape[:2]
        if mask is None:
            mask = torch.ones(size, length, dtype=torch.bool, device=keys.device)
        row, place = mask.nonzero(as_tuple=True)
        scores = self.v_a(torch.tanh(self.W_a(query)[row] + self.U_a(keys[row, place])))[:, 0]
        largest = scores.new_full((size,), float("-inf")).scatter_reduce(0, row, scores.detach(), "amax")
        exponentials = (scores - largest[row]).exp()
        totals = scores.new_zeros(size).index_add(0, row, exponentials)
        shares = exponentials / totals[row]
        weights = scores.new_zeros(size, length).index_put((row, place), shares)
        output = values.new_zeros(size, values.shape[2]).index_add(0, row, shares.unsqueeze(1) * values[row, place])
        return output, weights
