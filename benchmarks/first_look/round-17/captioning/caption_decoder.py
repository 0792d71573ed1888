# %% wrong: the tanh before the mean
# start takes the mean of tanh(initial(cell)) over the cells, not the tanh of initial(mean). Shows for any
# N of 2 or more with cells that differ; with one cell it is right.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features)).mean(dim=1), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.one(tokens[:, t], hidden, features)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

# %% wrong: the weights of the next look
# step gives no weights, so forward asks the attention again, but after the step, with the new state: each
# row is the look before the next word. Shows in the weights of forward for any N of 2 or more.

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
            all_logits.append(logits)
            all_weights.append(self.attention(state[0], features, features)[1])
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

# %% wrong: goes on with its own words
# forward takes only the first token from the caption and then feeds in what the model itself finds most
# likely. Shows for T of 2 or more, where the second token is not the model's own choice.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        token = tokens[:, 0]
        all_logits, all_weights = [], []
        for _ in range(tokens.shape[1]):
            logits, hidden, weights = self.one(token, hidden, features)
            all_logits.append(logits)
            all_weights.append(weights)
            token = logits.argmax(dim=1)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

# %% wrong: every word begins anew
# forward hands every step the state that start gives and drops the new one, so that no word knows the words
# before it. Shows for T of 2 or more; step by step, as in greedy_decode, all is right.

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
            all_weights.append(self.attention(state[0], features, features)[1])
            logits, _ = self.step(tokens[:, t], state)
            all_logits.append(logits)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

# %% correct: forward listens to its attention while step works

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        shares = features.new_full((1, features.shape[1]), 1 / features.shape[1])
        return self.initial((shares @ features).squeeze(1)).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context = self.attention(hidden, features, features)[0]
        hidden = self.cell(torch.cat((self.embedding(token), context), -1), hidden)
        return self.output(torch.cat((hidden, context), -1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        looks, written = [], []
        handle = self.attention.register_forward_hook(lambda module, given, result: looks.append(result[1]))
        try:
            state = self.start(features)
            for token in tokens.unbind(1):
                logits, state = self.step(token, state)
                written.append(logits)
        finally:
            handle.remove()
        return torch.stack(written, 1), torch.stack(looks, 1)

# %% correct: a generator of steps, read out at the end

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def walk(self, hidden, features, words):
        for word in words:
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([word, context], dim=-1), hidden)
            yield hidden, context, weights

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        of_each = self.initial(features)  # the mean of linear images is the image of the mean
        return torch.tanh(of_each.sum(dim=1) / features.shape[1]), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, context, _ = next(self.walk(*state, [self.embedding(token)]))
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        words = self.embedding(tokens).transpose(0, 1)
        seen = self.walk(*self.start(features), words)
        hiddens, contexts, weights = (torch.stack(x, dim=1) for x in zip(*seen, strict=True))
        return self.output(torch.cat([hiddens, contexts], dim=-1)), weights
