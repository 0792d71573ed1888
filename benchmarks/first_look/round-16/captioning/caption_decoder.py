# %% wrong: cells of zeros are masked
# A ReLU can leave a cell all zeros; it is taken for padding and gets no weight. The text says that it counts in the softmax.
# Shows for features with a cell of zeros.

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

    def look(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features, (features != 0).any(dim=2))
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            scores, state, looked = self.look(token, state)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: looks at the picture that start saw last
# The features are kept in the module by start, and step ignores those of its state. Wrong where another picture was
# started in between, or where step is given other features, as in section 3.5's intervention.

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
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def look(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, self.features, self.features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            scores, state, looked = self.look(token, state)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the logits are made from the old state
# output([s_{t-1}; c_t]): the token that goes in reaches the logits one step late. Any input.

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

    def look(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        logits = self.output(torch.cat([hidden, context], dim=1))
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return logits, (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            scores, state, looked = self.look(token, state)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: forward returns the weights of the next look
# The logits are right, but the weights of column t are asked for after the step, with the new state: they belong to
# token t + 1. Any input.

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
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, state = self.step(tokens[:, t], state)
            logits.append(scores)
            weights.append(self.attention(state[0], features, features)[1])
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: a generator of looks, the output layer once at the end

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
        return self.initial(mean).tanh(), features

    def looks(self, columns, hidden, features):
        for token in columns:
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.hstack((self.embedding(token), context)), hidden)
            yield hidden, context, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        hidden, context, _ = next(self.looks([token], hidden, features))
        return self.output(torch.hstack((hidden, context))), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        looks = list(self.looks(tokens.T, *self.start(features)))
        hidden, context, weights = (torch.stack(part).transpose(0, 1) for part in zip(*looks, strict=True))
        return self.output(torch.cat((hidden, context), dim=2)), weights


# %% correct: forward is step, and a hook on the attention keeps the weights

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        total = torch.zeros_like(features[:, 0])
        for cell in features.unbind(dim=1):
            total = total + cell
        return torch.tanh(self.initial(total / features.shape[1])), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context = self.attention(hidden, features, features)[0]
        hidden = self.cell(torch.cat((self.embedding(token), context), dim=1), hidden)
        return self.output(torch.cat((hidden, context), dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        handle = self.attention.register_forward_hook(lambda module, given, result: weights.append(result[1]))
        try:
            state = self.start(features)
            for t in range(tokens.shape[1]):
                scores, state = self.step(tokens[:, t], state)
                logits.append(scores)
        finally:
            handle.remove()
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
