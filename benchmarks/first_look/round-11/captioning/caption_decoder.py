# %% wrong: the weights of the next word
# forward uses step, which gives no weights, and asks the attention for them afterwards, with the new state: the weights
# that come back for word t are those of word t + 1. Shows in the weights of every input with two cells or more.

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
        state = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, state = self.step(tokens[:, t], state)
            _, weights = self.attention(state[0], features, features)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the mean of the tanhs
# Each cell goes through initial and the tanh, and the mean is taken then. Shows for two different cells or more: the
# mean of tanh is not the tanh of the mean.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.initial(features).tanh().mean(dim=1)
        return hidden, features

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, hidden, _ = self.one(token, *state)
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, looks = [], []
        for t in range(tokens.shape[1]):
            one_logits, hidden, weights = self.one(tokens[:, t], hidden, features)
            logits.append(one_logits)
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)


# %% wrong: cells of zeros are taken for padding
# As in chapter 02 the attention gets a mask, made from the cells that are not zero. A cell of zeros, which the encoder's
# ReLU can give, should take part in the softmax. Shows for features with such a cell.

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

    def look_and_move(self, token, state):
        hidden, features = state
        mask = (features != 0).any(dim=2)  # (B, N)
        context, weights = self.attention(hidden, features, features, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look_and_move(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, logits, weights = self.start(features), [], []
        for token in tokens.unbind(dim=1):
            one, state, look = self.look_and_move(token, state)
            logits.append(one)
            weights.append(look)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: step looks at the picture that was started last
# start leaves the features in the module, and step looks at those in place of the state's. Shows where two pictures are
# started before the first is written, and where the state's features are others than the started ones.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)
        self.memory = None

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.memory = features
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, self.weights = self.attention(hidden, self.memory, self.memory)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            one, state = self.step(tokens[:, t], state)
            logits.append(one)
            weights.append(self.weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: one walk, all logits in one product

# The loop leaves states, contexts and weights; step is a walk of a single word. The mean is a pooling.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mean = F.adaptive_avg_pool1d(features.transpose(1, 2), 1).flatten(1)
        return self.initial(mean).tanh(), features

    def _walk(self, tokens, hidden, features):
        states, contexts, looks = [], [], []
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([word, context], dim=1), hidden)
            states.append(hidden)
            contexts.append(context)
            looks.append(weights)
        both = torch.cat([torch.stack(states, dim=1), torch.stack(contexts, dim=1)], dim=2)
        return self.output(both), torch.stack(looks, dim=1), hidden

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self._walk(token.unsqueeze(1), *state)
        return logits[:, 0], (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        logits, weights, _ = self._walk(tokens, *self.start(features))
        return logits, weights


# %% correct: a generator that is fed with words

# A generator holds the hidden state; forward and step send it tokens and get logits, weights and the new state.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        share = features.new_full((features.shape[1],), 1 / features.shape[1])
        return torch.tanh(self.initial(torch.einsum("bnd,n->bd", features, share))), features

    def _writer(self, hidden, features):
        token = yield
        while True:
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.hstack((self.embedding(token), context)), hidden)
            token = yield self.output(torch.hstack((hidden, context))), weights, hidden

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        writer = self._writer(*state)
        next(writer)
        logits, _, hidden = writer.send(token)
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        writer = self._writer(*self.start(features))
        next(writer)
        written = [writer.send(tokens[:, t])[:2] for t in range(tokens.shape[1])]
        logits, weights = zip(*written, strict=True)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
