# %% wrong: the last cell for a start
# As with a sentence, the state is started from what stands last: the bottom right cell. A good message: "the first state changes with the last cell alone: the mean of all N cells".

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features[:, -1])), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, looks = [], []
        for token in tokens.unbind(dim=1):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)

# %% wrong: the picture used up
# step hands back (hidden, context as one cell): from the second word on the model looks at its own last context and no longer at the picture. A good message: "the first step agrees with forward, the second does not: only hidden is new".

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
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, context.unsqueeze(1))

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, looks = [], []
        for token in tokens.unbind(dim=1):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)

# %% wrong: always asks with the first glance
# The query is the hidden state from start at every step of forward; the new states are never used for looking. A good message: "the weights are the same at each word: the query is the state before this step".

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
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        query, _ = self.start(features)
        hidden = query
        logits, looks = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(query, features, features)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)

# %% wrong: mean of the tanh
# start maps each cell, takes the tanh, and then the mean: another number than the tanh of the map of the mean (for a linear map alone the order would not matter). A good message: "first the mean of the cells, then initial, then tanh".

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features)).mean(dim=1), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, looks = [], []
        for token in tokens.unbind(dim=1):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)

# %% correct: itertools.accumulate over the words

from itertools import accumulate


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.sum(1) / features.shape[1]).tanh(), features

    def _next(self, hidden, word, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat((word, context), -1), hidden)
        return hidden, context, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        hidden, context, _ = self._next(hidden, self.embedding(token), features)
        return self.output(torch.cat((hidden, context), -1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        words = self.embedding(tokens).unbind(1)
        first = (self.start(features)[0], None, None)
        steps = list(accumulate(words, lambda old, word: self._next(old[0], word, features), initial=first))[1:]
        hidden, context, weights = (torch.stack(part, 1) for part in zip(*steps, strict=True))
        return self.output(torch.cat((hidden, context), -1)), weights

# %% correct: filled into tables, step shared

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        cells = features.shape[1]
        mean = torch.einsum("bnd->bd", features) / cells
        return torch.tanh(F.linear(mean, self.initial.weight, self.initial.bias)), features

    def _look(self, token, state):
        hidden, features = state
        context, weights = self.attention(query=hidden, keys=features, values=features)
        hidden = self.cell(torch.concat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.concat([hidden, context], dim=1)), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        batch, length = tokens.shape
        logits = features.new_empty(batch, length, self.output.out_features)
        weights = features.new_empty(batch, length, features.shape[1])
        for t in range(length):
            logits[:, t], weights[:, t], state = self._look(tokens[:, t], state)
        return logits, weights
