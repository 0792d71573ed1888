# %% wrong: every word from the start
# forward asks start for the hidden state anew at each word and throws the state of the step before away.
# Hint: what does the decoder know, at its third word, of the first two?

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

    def one(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self.one(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            state = self.start(features)
            row, looked, state = self.one(tokens[:, t], state)
            logits.append(row)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: weights stacked on the last axis
# The weights come back as (B, N, T) in place of (B, T, N), which nobody notices where T is N.
# Hint: print the two shapes for a caption of seven words over 64 cells.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mean = features.mean(dim=1)
        return torch.tanh(self.initial(mean)), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            context, w = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=-1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=-1)))
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=-1)


# %% wrong: mean of the tanhs
# The tanh is taken cell by cell and the mean after it; the docstring's first state is the tanh of `initial` applied to the mean.
# Hint: a linear map may change places with the mean; may a tanh?

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        hidden = torch.tanh(self.initial(features)).mean(dim=1)
        return hidden, features

    def _look(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, hidden, _ = self._look(token, *state)
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            row, hidden, looked = self._look(token, hidden, features)
            logits.append(row)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: a second look for the output
# The new state asks once more, and this second context goes into the output; the docstring has one context a step, that of the OLD state.
# Hint: how often does one step of chapter 02's decoder call the attention?

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

    def step_with_weights(self, token, state):
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, features, features)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self.step_with_weights(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.size(1)):
            row, looked, state = self.step_with_weights(tokens[:, t], state)
            logits.append(row)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: initial before the mean, the output after the loop

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def _advance(self, embedded, hidden, features):
        context, weights = self.attention(query=hidden, keys=features, values=features, mask=None)
        hidden = self.cell(torch.cat((embedded, context), dim=-1), hidden)
        return hidden, torch.cat((hidden, context), dim=-1), weights

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features).mean(dim=1).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        hidden, both, _ = self._advance(self.embedding(token), hidden, features)
        return self.output(both), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        collected, looks = [], []
        for embedded in self.embedding(tokens).unbind(1):
            hidden, both, weights = self._advance(embedded, hidden, features)
            collected.append(both)
            looks.append(weights)
        return self.output(torch.stack(collected, 1)), torch.stack(looks, 1)
