# %% wrong: only the first state asks
# forward computes the context once, from the hidden state before the first token, and uses it at every step.
# Right for T = 1, wrong for T > 1; step asks afresh each time and so disagrees with forward.

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
        context, looked = self.attention(hidden, keys, values, mask)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: the logits from the old state
# The output layer gets [s_(t-1); c_t], since the new state is kept under another name.
# Shows in the logits of every input; the weights are right.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new_hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=-1))
        return logits, weights, new_hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            row, looked, hidden = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(row)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self.one(token, *state)
        return logits, (hidden, *state[1:])


# %% wrong: step forgets the mask
# step calls the attention without the mask, so at padding there is weight when writing and none in training.
# Shows for a mask with a False: step's logits are not forward's.

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
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            context, looked = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, None)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: time first, reshaped to batch first
# The steps are stacked to (T, B, ...) and reshaped to (B, T, ...) without a transpose, which mixes sentences and steps.
# Right for B = 1 or T = 1, wrong for B > 1 and T > 1.

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
        B, T = tokens.shape
        logits, weights = [], []
        for t in range(T):
            context, looked = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            weights.append(looked)
        return torch.stack(logits).reshape(B, T, -1), torch.stack(weights).reshape(B, T, -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% correct: one generator behind both, and all logits in one product at the end

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def steps(self, columns, hidden: Tensor, *memory):
        for word in columns:
            context, weights = self.attention(hidden, *memory)
            hidden = self.cell(torch.cat([word, context], dim=1), hidden)
            yield hidden, context, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        columns = self.embedding(tokens).unbind(dim=1)
        states, contexts, weights = zip(*self.steps(columns, hidden, keys, values, mask), strict=True)
        seen = torch.cat([torch.stack(states, dim=1), torch.stack(contexts, dim=1)], dim=2)
        return self.output(seen), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        hidden, context, _ = next(self.steps([self.embedding(token)], hidden, keys, values, mask))
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% correct: halves of the sentence, halved again down to one token

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
        return self.part(tokens, hidden, (keys, values, mask))[:2]

    def part(self, tokens: Tensor, hidden: Tensor, memory: tuple) -> tuple[Tensor, Tensor, Tensor]:
        """Logits and weights of these tokens, and the hidden state behind them."""
        if tokens.shape[1] > 1:
            first, second = tokens.tensor_split(2, dim=1)
            early_logits, early_weights, hidden = self.part(first, hidden, memory)
            late_logits, late_weights, hidden = self.part(second, hidden, memory)
            return torch.hstack([early_logits, late_logits]), torch.hstack([early_weights, late_weights]), hidden
        context, weights = self.attention(hidden, *memory)
        hidden = self.cell(torch.hstack([self.embedding(tokens[:, 0]), context]), hidden)
        H = hidden.shape[1]
        logits = torch.addmm(self.output.bias, hidden, self.output.weight[:, :H].T) + context @ self.output.weight[:, H:].T
        return logits[:, None], weights[:, None], hidden

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self.part(token.unsqueeze(1), state[0], state[1:])
        return logits.squeeze(1), (hidden, *state[1:])
