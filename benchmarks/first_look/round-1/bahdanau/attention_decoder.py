# %% wrong: stacked along time, viewed along the batch
# The lists are stacked to (T, B, V) and viewed as (B, T, V), which mixes the sentences; right for a batch of one or a single step. A good message: "the logits of sentence 0 depend on the words of sentence 1: stack with dim=1".

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        all_logits, all_weights = [], []
        for t in range(length):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(all_logits).view(batch, length, -1), torch.stack(all_weights).view(batch, length, -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)

# %% wrong: step forgets the mask
# forward passes the mask on, step calls the attention without it: training is right and writing looks at padding. A good message: "step and forward differ as soon as there is padding".

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, looks = [], []
        for token in tokens.T:
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=-1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, keys, values, mask)

# %% wrong: the logits from the old state
# The new state is made last, after the logits: these come from [s_{t-1}; c_t] and do not know the token that went in. A good message: "the logits at step t do not change with the token of step t: output takes the new state".

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        logits = self.output(torch.cat([hidden, context], dim=1))
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return logits, hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        rows = []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._one(tokens[:, t], hidden, keys, values, mask)
            rows.append((logits, weights))
        return torch.stack([r[0] for r in rows], 1), torch.stack([r[1] for r in rows], 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, hidden, _ = self._one(token, *state)
        return logits, (hidden, *state[1:])

# %% wrong: looks once
# The attention is asked once, with the first hidden state, and the same context goes into every step: chapter 01's vector, in a new dress. step is right. A good message: "the weights are the same at every step; step and forward agree at the first only".

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        context, weights = self.attention(hidden, keys, values, mask)
        logits = []
        for t in range(tokens.shape[1]):
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), weights.unsqueeze(1).expand(-1, tokens.shape[1], -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)

# %% correct: a generator of steps, one output layer call for all of them

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _walk(self, words, hidden, keys, values, mask):
        for word in words:
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.hstack((word, context)), hidden)
            yield hidden, context, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        words = self.embedding(tokens).unbind(dim=1)
        hiddens, contexts, weights = (torch.stack(x, 1) for x in zip(*self._walk(words, hidden, keys, values, mask), strict=True))
        return self.output(torch.cat((hiddens, contexts), dim=2)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        _, *memory = state
        ((hidden, context, _),) = self._walk([self.embedding(token)], *state)
        return self.output(torch.hstack((hidden, context))), (hidden, *memory)

# %% correct: recursion over halves of the sentence

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _part(self, tokens, state):
        """Logits, weights and state after some tokens (B, n): the first half, then the second."""
        n = tokens.shape[1]
        if n == 1:
            hidden, *memory = state
            context, weights = self.attention(hidden, *memory)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, 0]), context], 1), hidden)
            return self.output(torch.cat([hidden, context], 1))[:, None], weights[:, None], (hidden, *memory)
        logits, weights, state = self._part(tokens[:, : n // 2], state)
        more_logits, more_weights, state = self._part(tokens[:, n // 2 :], state)
        return torch.cat([logits, more_logits], 1), torch.cat([weights, more_weights], 1), state

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights, _ = self._part(tokens, (hidden, keys, values, mask))
        return logits, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._part(token[:, None], state)
        return logits[:, 0], state
