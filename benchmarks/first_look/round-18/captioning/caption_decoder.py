# %% wrong: start without tanh
# The first hidden state is not squashed; shows for any features.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.mean(dim=1)), features

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([new, context], dim=1)), new, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, features)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: looks again with the new state
# The output layer uses a second context, of the new state; shows for more than one cell.

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

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(new, features, features)
        return self.output(torch.cat([new, context], dim=1)), new, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, features)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: cells of zeros are masked
# A cell of zeros is taken for padding: it gets no weight, but it should count in the softmax.

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

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features, (features != 0).any(dim=2))
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([new, context], dim=1)), new, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, features)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% wrong: padding leaves the state
# A padding token does not update the state; shows where one is followed by a further token.

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

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        new = torch.where((token == self.embedding.padding_idx).unsqueeze(1), hidden, new)
        return self.output(torch.cat([new, context], dim=1)), new, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, features)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% correct: hidden states first, one output product

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

    def advance(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat((self.embedding(token), context), dim=-1), hidden)
        return torch.cat((hidden, context), dim=-1), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        read, _, state = self.advance(token, state)
        return self.output(read), state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, reads, looks = self.start(features), [], []
        for token in tokens.t():
            read, weights, state = self.advance(token, state)
            reads.append(read)
            looks.append(weights)
        return self.output(torch.stack(reads, 1)), torch.stack(looks, 1)

# %% correct: the mean by a product, the tanh by a sigmoid

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return 2 * torch.sigmoid(2 * self.initial(torch.einsum("bnd->bd", features) / features.shape[1])) - 1, features

    def one(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([new, context], dim=1)), new, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.one(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            one, hidden, w = self.one(tokens[:, t], hidden, features)
            logits.append(one)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

