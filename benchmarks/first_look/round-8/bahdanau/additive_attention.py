# %% wrong: the mean of the keys
# In Bahdanau's model keys and values are the same states, so the keys are blended and values is never used.
# Shows where values is another tensor than keys, by its width or by its numbers.

class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1, appendix A.1.2)."""

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
        return torch.einsum("bs,bsd->bd", weights, keys), weights


# %% wrong: squeeze without an axis
# squeeze() also drops the batch of one and the source of one word: weights come out as (S,) or (B,), or the
# mask does not fit any more. Shows for B = 1 and for S = 1.

class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1, appendix A.1.2)."""

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
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


# %% wrong: a tanh for each part
# tanh(W_a query) + tanh(U_a key) in place of the tanh of the sum: the query adds the same amount to every
# score of its row, so the weights do not depend on it. Shows for every S of at least 2.

class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1, appendix A.1.2)."""

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
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong: the query's new axis in front
# (1, B, d_hidden) meets (B, S, d_hidden): position s of every sentence gets the query of sentence s. Raises
# where B and S differ (a batch of one is right), and where they are equal the weights are wrong.

class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1, appendix A.1.2)."""

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query).unsqueeze(0) + self.U_a(keys))
        weights = masked_softmax(self.v_a(hidden).squeeze(-1), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% correct: only the allowed pairs, in one long list

class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1, appendix A.1.2)."""

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, size = keys.shape[:2]
        if mask is None:
            mask = torch.ones(batch, size, dtype=torch.bool, device=keys.device)
        b, j = mask.expand(batch, size).nonzero(as_tuple=True)  # N pairs of a sentence and a place
        hidden = torch.tanh(F.linear(query, self.W_a.weight)[b] + F.linear(keys[b, j], self.U_a.weight))
        scores = torch.mv(hidden, self.v_a.weight[0])  # (N,)
        highest = scores.new_full((batch,), -math.inf).scatter_reduce(0, b, scores.detach(), "amax")
        exponentials = torch.exp(scores - highest[b])
        shares = exponentials / exponentials.new_zeros(batch).index_add(0, b, exponentials)[b]
        weights = torch.zeros(batch, size, dtype=shares.dtype, device=shares.device).index_put((b, j), shares)
        output = values.new_zeros(batch, values.shape[2]).index_add(0, b, shares[:, None] * values[b, j])
        return output, weights


# %% correct: query and key end to end, one matrix, tanh from a sigmoid

class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1, appendix A.1.2)."""

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        batch, size, _ = keys.shape
        both = torch.cat([query.unsqueeze(1).expand(batch, size, -1), keys], dim=2)
        together = F.linear(both, torch.cat([self.W_a.weight, self.U_a.weight], dim=1))
        gates = 2 * torch.sigmoid(2 * together) - 1
        scores = torch.einsum("bsh,oh->bs", gates, self.v_a.weight)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        top = scores.detach().amax(dim=1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
        exponentials = torch.exp(scores - top)
        total = exponentials.sum(dim=1, keepdim=True)
        weights = exponentials / (total + (total == 0))
        return torch.matmul(values.transpose(1, 2), weights.unsqueeze(2)).flatten(1), weights
