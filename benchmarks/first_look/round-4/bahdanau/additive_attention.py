# %% wrong: the tanh is taken of query and key separately
# Each part goes through the tanh before the two are added. The query then adds the same amount to every score of its row, and the weights do not depend on it.
# Hint: change the query and see whether the weights move. What stands inside the tanh in the equation?

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        q = torch.tanh(self.W_a(query)).unsqueeze(1)
        k = torch.tanh(self.U_a(keys))
        scores = self.v_a(q + k).squeeze(-1)
        weights = masked_softmax(scores, mask)
        output = (weights.unsqueeze(-1) * values).sum(dim=1)
        return output, weights


# %% wrong: the softmax runs over the axis of length one
# The scores keep the axis that v_a leaves, and the softmax over the last axis has one entry to share among. Every allowed position gets weight one, and the output is a sum of the values.
# Hint: print the shape of the scores before the softmax, and the sum of the weights of one row after it.

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)[:, None] + self.U_a(keys)))
        if mask is not None:
            mask = mask[:, :, None]
        weights = masked_softmax(scores, mask)
        output = (weights * values).sum(dim=1)
        return output, weights.squeeze(2)


# %% wrong: the keys are blended instead of the values
# The context is made of the keys. In the translator keys and values are the same states and nothing shows; elsewhere the output has the wrong contents, and often the wrong width.
# Hint: give values that differ from the keys. Which of the three roles is the answer made of?

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
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        return context, weights


# %% wrong: squeeze takes away more axes than the one meant
# squeeze() without an axis removes every axis of length one. With a batch of one sentence, or a sentence of one word, the weights come back with an axis too few, or the mask does not fit any more.
# Hint: try a batch of one sentence. How do you tell squeeze which axis you mean?

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
        context = (weights.unsqueeze(-1) * values).sum(dim=-2)
        return context, weights


# %% wrong: the queries meet the positions instead of the sentences
# The query gets no axis of its own, so broadcasting lays its batch axis along the positions. Where B happens to equal S, position j is compared with the query of sentence j; otherwise it stops.
# Hint: write the two shapes below each other, aligned at the right. Which axis of the query stands under S?

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query) + self.U_a(keys))).squeeze(-1)
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
        copies = query.unsqueeze(1).expand(-1, keys.shape[1], -1)
        pairs = torch.cat([copies, keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = F.linear(F.linear(pairs, both).tanh(), self.v_a.weight)[:, :, 0]
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values)[:, 0], weights


# %% correct: einsum from end to end with the score in a helper

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def score(self, query, keys):
        asked = torch.einsum("hq,bq->bh", self.W_a.weight, query)
        offered = torch.einsum("hk,bsk->sbh", self.U_a.weight, keys)
        return torch.einsum("h,sbh->bs", self.v_a.weight[0], torch.tanh(offered + asked))

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        weights = masked_softmax(self.score(query, keys), mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights
