# %% wrong: the tanh before the mean
# Applies `initial` and the tanh to every cell and averages then. Shows wherever the cells differ, since the tanh bends;
# for N = 1 it is right.

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
        logits, _, hidden = self.turn(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            column, look, hidden = self.turn(token, hidden, features)
            logits.append(column)
            weights.append(look)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def turn(self, token, hidden, features):
        context, look = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), look, hidden


# %% wrong: the picture kept in the module
# start keeps the features in the module, and step reads them there and not from its state. Shows where two pictures are
# written in turns, or where step is given a state that start did not make last.

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

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, _ = state
        logits, _, hidden = self.turn(token, hidden, self.features)
        return logits, (hidden, self.features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            column, look, hidden = self.turn(token, hidden, features)
            logits.append(column)
            weights.append(look)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def turn(self, token, hidden, features):
        context, look = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), look, hidden


# %% wrong: cells of zeros masked as padding
# Makes a mask, as chapter 02 had one, from the cells that are not all zero. Shows where a cell is zero, as a ReLU may
# leave it: it gets no weight, though it is to take part in the softmax.

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
        logits, _, hidden = self.turn(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            column, look, hidden = self.turn(token, hidden, features)
            logits.append(column)
            weights.append(look)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def turn(self, token, hidden, features):
        mask = (features != 0).any(dim=2)
        context, look = self.attention(hidden, features, features, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), look, hidden


# %% wrong: context before word
# The cell gets [context; embedding], not [embedding; context]. The sum of the widths is the same, so nothing complains.
# Shows for any weights but by chance.

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
        logits, _, hidden = self.turn(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            column, look, hidden = self.turn(token, hidden, features)
            logits.append(column)
            weights.append(look)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def turn(self, token, hidden, features):
        context, look = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), look, hidden


# %% correct: forward as a chain of single steps, weights asked beside

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
        mean = features.sum(dim=1) / cells
        return self.initial(mean).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, new, _ = self.look_and_write(token, *state)
        return logits, (new, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        columns = {"logits": [], "weights": []}
        for t in range(tokens.shape[1]):
            logits, new, weights = self.look_and_write(tokens[:, t], *state)
            state = new, features
            columns["logits"].append(logits.unsqueeze(1))
            columns["weights"].append(weights.unsqueeze(1))
        return torch.cat(columns["logits"], dim=1), torch.cat(columns["weights"], dim=1)

    def look_and_write(self, token, old, memory):
        context, weights = self.attention(old, memory, memory)
        new = self.cell(torch.cat([self.embedding(token), context], dim=-1), old)
        return self.output(torch.cat([new, context], dim=-1)), new, weights


# %% correct: all states first, the logits in one product

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
        return torch.tanh(self.initial(torch.einsum("n,bnd->bd", share, features))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        old, features = state
        context, _ = self.attention(old, features, features)
        new = self.cell(torch.hstack([self.embedding(token), context]), old)
        return self.output(torch.hstack([new, context])), (new, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.start(features)[0]
        words = self.embedding(tokens)
        inside, looks = [], []
        for t in range(words.shape[1]):
            context, look = self.attention(hidden, features, features)
            hidden = self.cell(torch.hstack([words[:, t], context]), hidden)
            inside.append(torch.hstack([hidden, context]))
            looks.append(look)
        return self.output(torch.stack(inside, dim=1)), torch.stack(looks, dim=1)
