# %% wrong: the picture is kept in the module
# start keeps the features in the module and step reads them there: after start(a) and start(b), a step from a's state looks
# at b's picture, and a step whose state brings other features (as in section 3.5) never sees them.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.features = features
        hidden = torch.tanh(self.initial(features.mean(dim=1)))
        return hidden, features

    def _look(self, token, state):
        hidden = state[0]
        context, weights = self.attention(hidden, self.features, self.features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, state[1]), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, logits, weights = self.start(features), [], []
        for token in tokens.unbind(dim=1):
            written, state, looked = self._look(token, state)
            logits.append(written)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: cells of zeros are taken for padding
# Chapter 02's habit: a cell whose features are all zero is masked out of the attention. After a ReLU such cells exist, and
# they take part in the softmax like any other: wrong for features with a cell of zeros.

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

    def _look(self, token, state):
        hidden, features = state
        mask = (features != 0).any(dim=2)
        context, weights = self.attention(hidden, features, features, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        return self._look(token, state)[:2]

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, logits, weights = self.start(features), [], []
        for token in tokens.unbind(dim=1):
            written, state, looked = self._look(token, state)
            logits.append(written)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: the mean of the tanh
# Every cell goes through `initial` and tanh, and the mean is taken last: not the tanh of the mean. Shows for two or more
# different cells.

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

    def _look(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features, None)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, logits, weights = self.start(features), [], []
        for token in tokens.unbind(dim=1):
            written, state, looked = self._look(token, state)
            logits.append(written)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: one look for the whole caption
# forward asks the attention once, with the first hidden state, and uses that context for every word ("the picture does not
# change"). From the second token on logits and weights are wrong, and differ from those of step.

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
        hidden, _ = self.start(features)
        context, looked = self.attention(hidden, features, features)
        logits = []
        for word in self.embedding(tokens).unbind(dim=1):
            hidden = self.cell(torch.cat([word, context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        weights = looked.unsqueeze(1).repeat(1, tokens.shape[1], 1)
        return torch.stack(logits, dim=1), weights

# %% correct: states first, then all logits at once

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
        return self.initial(mean).tanh(), features

    def _advance(self, embedded, hidden, features):
        context, looked = self.attention(hidden, features, features)
        return self.cell(torch.hstack([embedded, context]), hidden), context, looked

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, context, _ = self._advance(self.embedding(token), *state)
        return self.output(torch.hstack([hidden, context])), (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        trail = []
        for embedded in self.embedding(tokens.T):
            trail.append(self._advance(embedded, hidden, features))
            hidden = trail[-1][0]
        states, contexts, looks = (torch.stack(part, dim=1) for part in zip(*trail, strict=True))
        return self.output(torch.cat([states, contexts], dim=2)), looks

# %% correct: the steps as itertools.accumulate

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
        middle = features.sum(1).div(features.size(1))
        return torch.tanh(F.linear(middle, self.initial.weight, self.initial.bias)), features

    def _after(self, moment, token):
        """moment: (hidden, features, logits, weights), of which the last two are forgotten."""
        hidden, features, *_ = moment
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat((self.embedding(token), context), -1), hidden)
        return hidden, features, self.output(torch.cat((hidden, context), -1)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features, logits, _ = self._after(state, token)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        moments = list(accumulate(tokens.unbind(1), self._after, initial=self.start(features)))[1:]
        return torch.stack([m[2] for m in moments], 1), torch.stack([m[3] for m in moments], 1)
