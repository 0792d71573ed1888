# %% wrong: logits from the old state
# The output layer gets s_{t-1} and c_t in place of s_t and c_t: the word that went in cannot show in this step's logits.
# Hint: which of the two states does the last line of the docstring's step name?

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one_step(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        logits = self.output(torch.cat([hidden, context], dim=1))
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return logits, hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.one_step(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one_step(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: context before the embedding
# The cell gets [c_t; embedding] in place of [embedding; c_t]: the widths fit all the same, and the columns of its weights meet the wrong numbers.
# Hint: compare the order in your cat with the order in the docstring.

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
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            embedded = self.embedding(tokens[:, t])
            hidden = self.cell(torch.cat([context, embedded], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask)


# %% wrong: step looks without the mask
# step does not hand the mask to the attention, so it looks at padding and gives other logits than forward for the same tokens.
# Hint: compare step with forward on a batch in which one source is shorter than the other.

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
        embedded = self.embedding(tokens)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, None)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: as many steps as the source is long
# forward loops over the S source positions and not over the T words that go in: right where T equals S only.
# Hint: how many words go in? Try a target that is shorter, and one that is longer, than its source.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def look_and_write(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        B, T, _ = keys.shape
        logits, weights = [], []
        for t in range(T):
            row, hidden, looked = self.look_and_write(tokens[:, t], hidden, keys, values, mask)
            logits.append(row)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.look_and_write(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% correct: states and contexts collected, one output at the end

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
        both, looks = [], []
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.hstack([word, context]), hidden)
            both.append(torch.hstack([hidden, context]))
            looks.append(weights.unsqueeze(1))
        return self.output(torch.stack(both, dim=1)), torch.cat(looks, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self._forward_and_state(token.unsqueeze(1), *state)
        return logits.squeeze(1), (hidden, *state[1:])

    def _forward_and_state(self, tokens, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat((self.embedding(tokens[:, 0]), context), dim=-1), hidden)
        return self.output(torch.cat((hidden, context), dim=-1)).unsqueeze(1), weights, hidden


# %% correct: forward by a generator of steps

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _steps(self, tokens, state):
        hidden, *memory = state
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, *memory)
            word = self.embedding(tokens.select(1, t))
            hidden = self.cell(torch.cat([word, context], -1), hidden)
            yield self.output(torch.cat([hidden, context], -1)), weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights, _ = zip(*self._steps(tokens, (hidden, keys, values, mask)))
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = next(self._steps(token[:, None], state))
        return logits, (hidden,) + tuple(state[1:])
