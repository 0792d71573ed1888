# %% wrong: squeezed without an axis
# Drops every axis of length one, not only that of the score: for a batch of one, or a single position, the scores are no
# longer (B, S), and an error or an output of another shape follows.

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
        return (weights.unsqueeze(-1) * values).sum(dim=-2), weights

# %% wrong: the mapped keys are kept from one call to the next
# "Once a sentence" (appendix A.1.2): U_a keys is computed again only for another tensor of keys. After a step of the optimizer,
# or where the keys were changed in place, the same tensor gets old scores; a second backward pass through them fails.

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
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.mapped)).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong: without a mask, keys of zeros count as padding
# The encoder's outputs are zero at padding, so the missing mask is guessed from them. With mask=None every position may be
# attended to: a key that is zero loses its weight.

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
        scores = self.v_a(torch.tanh(self.W_a(query)[:, None] + self.U_a(keys))).squeeze(2)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong: a fill of its own, and equal shares where nothing is allowed
# masked_softmax is not used; all scores of an empty row are -1e9, and each position gets 1/S instead of nothing. Shows for
# a row of the mask that is all False.

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
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.softmax(scores, dim=1)
        return torch.einsum("bs,bsd->bd", weights, values), weights

# %% correct: one matrix over query and key, side by side
# [W_a, U_a] applied to [query; key]. What stands at forbidden positions is put to zero before anything is computed with it.
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
        pairs = torch.cat([query.unsqueeze(1).expand(-1, keys.shape[1], -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = F.linear(pairs, both).tanh() @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.matmul(weights.unsqueeze(1), values).flatten(1), weights

# %% correct: the sentences of a batch end to end, allowed positions only
# Only the allowed pairs (sentence, position) are scored, as one long list; the sums of each sentence come from index_add.
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
            mask = torch.ones(keys.shape[:2], dtype=torch.bool, device=keys.device)
        sentence, position = mask.nonzero(as_tuple=True)
        hidden = self.W_a(query)[sentence] + self.U_a(keys[sentence, position])
        scores = self.v_a(hidden.tanh()).squeeze(1)
        table = scores.new_full(mask.shape, float("-inf")).index_put((sentence, position), scores)
        largest = table.detach().amax(dim=1)[sentence]
        exponentials = torch.exp(scores - largest)
        totals = scores.new_zeros(len(query)).index_add(0, sentence, exponentials)
        shares = exponentials / totals[sentence]
        weights = torch.zeros_like(table).index_put((sentence, position), shares)
        output = values.new_zeros(len(query), values.shape[2])
        output = output.index_add(0, sentence, shares.unsqueeze(1) * values[sentence, position])
        return output, weights
