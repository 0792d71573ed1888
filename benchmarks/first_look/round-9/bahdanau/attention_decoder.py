# %% wrong: the single step without its mask
# forward masks, but step calls the attention with query, keys and values only and lets the padding in.
# Shows where the state's mask forbids something: step's logits differ from the columns of forward.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def turn(self, token, hidden, keys, values, mask):
        context, shares = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, shares

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, shares = self.turn(tokens[:, t], hidden, keys, values, mask)
            logits.append(scores)
            weights.append(shares)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask)

# %% wrong: view where a transpose was meant
# The embeddings (B, T, E) are cut anew into (T, B, E): at step t the words of other sentences and places go in.
# Shows for B and T both above 1; one sentence alone is right.

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
        inputs = self.embedding(tokens).view(length, batch, -1)
        logits, weights = [], []
        for word in inputs:
            context, shares = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([word, context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            weights.append(shares)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)

# %% wrong: keys and values change places in the state
# step gives back (hidden, values, keys, mask), so every second step compares with the values and blends the keys.
# Shows at the second step where keys and values differ; where both are the encoder's outputs nothing is seen.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def turn(self, token, hidden, keys, values, mask):
        context, shares = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, shares

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, shares = self.turn(tokens[:, t], hidden, keys, values, mask)
            logits.append(scores)
            weights.append(shares)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.turn(token, hidden, keys, values, mask)
        return logits, (hidden, values, keys, mask)

# %% wrong: the new state asks again for the logits
# The GRU gets the old state's context, but before the output layer the new state asks once more, and that context and those weights are used.
# Shows for any source of two different states: other logits and weights, shifted by one step.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def turn(self, token, hidden, keys, values, mask):
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, shares = self.attention(hidden, keys, values, mask)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, shares

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, shares = self.turn(tokens[:, t], hidden, keys, values, mask)
            logits.append(scores)
            weights.append(shares)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.turn(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% correct: a generator of turns, the output layer once at the end

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _turns(self, tokens, hidden, keys, values, mask):
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([word, context], dim=-1), hidden)
            yield hidden, context, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        states, contexts, weights = zip(*self._turns(tokens, hidden, keys, values, mask), strict=True)
        both = torch.cat([torch.stack(states), torch.stack(contexts)], dim=-1)  # (T, B, H + d_value)
        return self.output(both).transpose(0, 1), torch.stack(weights).transpose(0, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *memory = state
        hidden, context, _ = next(self._turns(token.unsqueeze(1), hidden, *memory))
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, *memory)

# %% correct: forward walks with step, and listens to the attention

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
        state, columns, self._heard = (hidden, keys, values, mask), [], []
        try:
            for t in range(tokens.size(1)):
                logits, state = self.step(tokens.select(1, t), state)
                columns.append(logits.unsqueeze(1))
            weights = torch.cat([heard.unsqueeze(1) for heard in self._heard], dim=1)
        finally:
            self._heard = None
        return torch.cat(columns, dim=1), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        old, keys, values, mask = state
        context, weights = self.attention(old, keys, values, mask)
        if getattr(self, "_heard", None) is not None:
            self._heard.append(weights)
        new = self.cell(torch.hstack((self.embedding(token), context)), old)
        by_state, by_context = self.output.weight.tensor_split([new.shape[1]], dim=1)
        logits = new @ by_state.T + context @ by_context.T + self.output.bias
        return logits, (new, keys, values, mask)
