# %% wrong: the old state into the output
# The logits come from s_{t-1}, not s_t; shows for any input.

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
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), new, weights

# %% wrong: step without its mask
# step attends without the mask; shows where the mask forbids something, against forward.

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
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, None)
        return logits, (hidden, keys, values, mask)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

# %% wrong: step keeps the old state
# step returns the state that came in; the second step differs from forward.

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
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, new, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

# %% wrong: context before embedding
# The cell reads [context; embedding]; differs for any input, as the cell has its columns in the other order.

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
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

# %% correct: forward through step, weights listened to

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def advance(self, token, state):
        context, weights = self.attention(*state)
        hidden = self.cell(torch.cat((self.embedding(token), context), dim=-1), state[0])
        return torch.cat((hidden, context), dim=-1), weights, (hidden, *state[1:])

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        state, features, seen = (hidden, keys, values, mask), [], []
        for token in tokens.unbind(dim=1):
            feature, weights, state = self.advance(token, state)
            features.append(feature)
            seen.append(weights)
        return self.output(torch.stack(features, dim=1)), torch.stack(seen, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        feature, _, state = self.advance(token, state)
        return self.output(feature), state

# %% correct: all embeddings first, written into place by a recursion

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
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([embedded[:, 0], context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        if tokens.shape[1] == 1:
            return logits.unsqueeze(1), weights.unsqueeze(1)
        rest, others = self.forward(tokens[:, 1:], hidden, keys, values, mask)
        return torch.cat([logits.unsqueeze(1), rest], 1), torch.cat([weights.unsqueeze(1), others], 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([new, context], dim=1)), (new, keys, values, mask)

