# %% wrong: the words are shifted a second time
# forward puts the begin token in front and drops the last word, though the tokens that come in are shifted already. Each logit belongs to the word one place earlier, and step disagrees.
# Hint: read what the docstring says of `tokens`, and compare forward with step fed with the same tokens.

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
        tokens = F.pad(tokens[:, :-1], (1, 0), value=BOS_ID)
        hidden, _ = self.start(features)
        logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: forward begins from zeros instead of the first glance
# start is right, but forward takes a hidden state of zeros, so training and writing begin from different states.
# Hint: which state does the docstring of forward name?

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
        hidden = torch.zeros(features.shape[0], self.initial.out_features, device=features.device)
        logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the context stands before the hidden state in the output layer
# The output layer reads [c; s] where the docstring says [s; c]. A model trained like this learns all the same, but with given weights it computes something else.
# Hint: compare the order of the two parts, in the cell's input and in the output's, with the docstring.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def _step(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([context, hidden], dim=1)), hidden, weights

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self._step(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._step(tokens[:, t], hidden, features)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the first hidden state has no tanh
# The first state is the linear map of the mean cell alone. It can leave the range from -1 to 1 in which the cell's states live.
# Hint: make the features a hundred times larger and look at the first hidden state.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        glance = features.mean(dim=1)
        return self.initial(glance), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        logits, looks = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=-1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=-1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)


# %% wrong: step hands on the context in place of the features
# The state that comes out of step holds the context where the cells should be. The first word is right, and at the second the attention stops, since its keys are no longer (B, N, d).
# Hint: call step twice, with the state of the first call, and look at the shapes in it.

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
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, context)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(logits, dim=1), torch.stack(all_weights, dim=1)


# %% correct: one advance for both methods and the glance taken cell by cell

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        glances = self.initial(features)
        return glances.mean(dim=1).tanh(), features

    def advance(self, word, state):
        old, cells = state
        context, look = self.attention(old, cells, cells)
        new = self.cell(torch.cat((word, context), 1), old)
        return torch.cat((new, context), 1), look, (new, cells)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        seen, _, state = self.advance(self.embedding(token), state)
        return self.output(seen), state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state, everything_seen, looks = self.start(features), [], []
        for word in self.embedding(tokens).transpose(0, 1):
            seen, look, state = self.advance(word, state)
            everything_seen.append(seen)
            looks.append(look)
        return self.output(torch.stack(everything_seen, 1)), torch.stack(looks, 1)


# %% correct: forward calls step and asks the attention for the weights beside it

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mean_cell = torch.einsum("bnd->bd", features) / features.shape[1]
        return torch.tanh(self.initial(mean_cell)), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context = self.attention(hidden, features, features)[0]
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            weights.append(self.attention(state[0], features, features)[1].unsqueeze(1))
            now, state = self.step(tokens[:, t], state)
            logits.append(now.unsqueeze(1))
        return torch.cat(logits, dim=1), torch.cat(weights, dim=1)
