# %% wrong: the tokens shifted once more
# forward puts the begin token in front and drops the last token, as the training loop has done already: from the second
# word on the decoder reads the word before the one that goes in (T of 2 or more; with T = 1, wherever that is not BOS_ID).

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
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.one(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        tokens = F.pad(tokens[:, :-1], (1, 0), value=BOS_ID)
        state, logits, weights = self.start(features), [], []
        for t in range(tokens.shape[1]):
            out, state, looked = self.one(tokens[:, t], state)
            logits.append(out)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: the mean of the tanh
# The first state is the mean of tanh(initial(cell)) over the cells, not the tanh of initial applied to the mean cell. Equal only
# where all cells are, or with a single one.

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

    def _step(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self._step(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            out, hidden, look = self._step(token, hidden, features)
            logits.append(out)
            weights.append(look)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: step looks at the picture of the last start
# start keeps the features in the module, and step uses those instead of the state's. Shows where two pictures are written
# in turns, or where a state holds other features than the last start.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)
        self.memory = None
        self.looked = None

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.memory = features
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden = state[0]
        context, self.looked = self.attention(hidden, self.memory, self.memory)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, self.memory)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            out, state = self.step(tokens[:, t], state)
            logits.append(out)
            weights.append(self.looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: the weights of the new state
# forward calls step, which gives no weights, and asks the attention again for them, but with the state after the step: the
# logits are right, each row of weights belongs to the word that follows.

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
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            out, state = self.step(tokens[:, t], state)
            logits.append(out)
            weights.append(self.attention(state[0], features, features)[1])
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% correct: all states first, all weights and logits after
# The loop keeps the old states; their weights and contexts are then asked for once more, for all words in one large batch.
class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mean = features.sum(dim=1) / features.shape[1]
        return torch.tanh(self.initial(mean)), features

    def move(self, word, hidden, features):
        context, _ = self.attention(hidden, features, features)
        return self.cell(torch.cat([word, context], dim=1), hidden), context

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, context = self.move(self.embedding(token), *state)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        hidden, _ = self.start(features)
        states = [hidden]
        for word in self.embedding(tokens).unbind(dim=1):
            states.append(self.move(word, states[-1], features)[0])
        old, new = torch.stack(states[:-1], dim=1), torch.stack(states[1:], dim=1)
        again = features.repeat_interleave(length, dim=0)
        context, weights = self.attention(old.flatten(0, 1), again, again)
        logits = self.output(torch.cat([new, context.view(batch, length, -1)], dim=2))
        return logits, weights.view(batch, length, -1)

# %% correct: a generator of words
# One generator yields logits, weights and hidden state word by word; step takes its first item, forward all.
class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(torch.einsum("bnd->bd", features) / features.size(1))), features

    def written(self, tokens, hidden, features):
        for token in tokens:
            context, weights = self.attention(hidden, features, features, None)
            hidden = self.cell(torch.hstack([self.embedding(token), context]), hidden)
            yield self.output(torch.hstack([hidden, context])), weights, hidden

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = next(self.written([token], *state))
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        logits, weights, _ = zip(*self.written(tokens.T, *self.start(features)), strict=True)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
