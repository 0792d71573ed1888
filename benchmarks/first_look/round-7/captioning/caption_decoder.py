# %% wrong: a second look for the logits
# The logits are made from [s_t; the context of the NEW state], not from c_t. Shows for any picture of several cells.


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def _step(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, _ = self.attention(hidden, features, features)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._step(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, state, weights = self._step(tokens[:, t], state)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the weights a word late
# forward takes the weights after the step, with the new state as the query: those of the next word. The logits are right.


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            out, state = self.step(token, state)
            logits.append(out)
            weights.append(self.attention(state[0], features, features)[1])
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the state stands still at padding
# Taken over from an encoder: where the token is PAD the hidden state is kept. Shows where a padding id goes in.


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.mean(dim=1)).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look_and_step(token, state)
        return logits, state

    def look_and_step(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        is_word = (token != self.embedding.padding_idx).unsqueeze(1)
        hidden = torch.where(is_word, new, hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, outputs = self.start(features), []
        for t in range(tokens.shape[1]):
            logits, state, weights = self.look_and_step(tokens[:, t], state)
            outputs.append((logits, weights))
        return torch.stack([o[0] for o in outputs], dim=1), torch.stack([o[1] for o in outputs], dim=1)


# %% wrong: the mean of the cells that are not empty
# Cells that are all zero (a ReLU makes such) are taken for padding in the mean that starts the state. Shows for features
# with a cell of zeros.


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        real = (features != 0).any(dim=2, keepdim=True).to(features.dtype)
        mean = (features * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return torch.tanh(self.initial(mean)), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, self.last_weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            step_logits, state = self.step(tokens[:, t], state)
            logits.append(step_logits)
            weights.append(self.last_weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: the words embedded and the logits made all at once


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mean = torch.einsum("bnd->bd", features) / features.shape[1]
        return self.initial(mean).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        read, hidden, _ = self.turn(self.embedding(token), *state)
        return self.output(read), (hidden, state[1])

    def turn(self, word: Tensor, hidden: Tensor, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([word, context], dim=1), hidden)
        return torch.cat([hidden, context], dim=1), hidden, weights

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        read, looks = [], []
        for word in self.embedding(tokens).unbind(dim=1):
            both, hidden, weights = self.turn(word, hidden, features)
            read.append(both)
            looks.append(weights)
        return self.output(torch.stack(read, dim=1)), torch.stack(looks, dim=1)


# %% correct: steps by recursion, the output map in two halves


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        total = features[:, 0]
        for n in range(1, features.shape[1]):
            total = total + features[:, n]
        return torch.tanh(F.linear(total / features.shape[1], self.initial.weight, self.initial.bias)), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        old, features = state
        context = self.attention(old, features, features)[0]
        new = self.cell(torch.hstack([self.embedding(token), context]), old)
        size = new.shape[1]
        logits = new @ self.output.weight[:, :size].T + context @ self.output.weight[:, size:].T + self.output.bias
        return logits, (new, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        def rest(t: int, state: tuple) -> list[tuple[Tensor, Tensor]]:
            if t == tokens.shape[1]:
                return []
            look = self.attention(state[0], features, features)[1]  # the old state asks
            logits, state = self.step(tokens[:, t], state)
            return [(logits, look), *rest(t + 1, state)]

        logits, looks = zip(*rest(0, self.start(features)), strict=True)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)
