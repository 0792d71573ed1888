# %% wrong: the mean is taken after the tanh
# Each cell is mapped and squeezed first, and the results are averaged. The first state is the mean of tanhs and not the tanh
# of `initial` of the mean; the two agree for N = 1 or equal cells only.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def look_and_write(self, token: Tensor, hidden: Tensor, features: Tensor):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), weights, hidden

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features)).mean(dim=1), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, _, hidden = self.look_and_write(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        columns, maps = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.look_and_write(token, hidden, features)
            columns.append(logits)
            maps.append(weights)
        return torch.stack(columns, dim=1), torch.stack(maps, dim=1)


# %% wrong: empty cells are taken for padding
# Cells of zeros are left out of the mean and masked in the attention, as padding was in chapter 2. Here they take part. It
# shows as soon as a cell is zero in all its numbers, as a ReLU can make it.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def look_and_write(self, token: Tensor, hidden: Tensor, features: Tensor):
        context, weights = self.attention(hidden, features, features, (features != 0).any(dim=2))
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), weights, hidden

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        real = (features != 0).any(dim=2, keepdim=True)
        mean = features.sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return torch.tanh(self.initial(mean)), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, _, hidden = self.look_and_write(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        columns, maps = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.look_and_write(token, hidden, features)
            columns.append(logits)
            maps.append(weights)
        return torch.stack(columns, dim=1), torch.stack(maps, dim=1)


# %% wrong: the picture is kept in the module
# start stores the features, and step reads those and not the ones of its state. Two pictures begun one after the other, or
# a state with other features as in section 3.5, are written from the wrong picture.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def look_and_write(self, token: Tensor, hidden: Tensor, features: Tensor):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), weights, hidden

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.features = features
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, _ = state
        logits, _, hidden = self.look_and_write(token, hidden, self.features)
        return logits, (hidden, self.features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        columns, maps = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.look_and_write(token, hidden, features)
            columns.append(logits)
            maps.append(weights)
        return torch.stack(columns, dim=1), torch.stack(maps, dim=1)


# %% wrong: a second look for the output
# After the cell the attention is asked again, with the new state, and the logits are made of that context. They should use
# the context that went into the cell. Any random input with N above 1 shows it.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def look_and_write(self, token: Tensor, hidden: Tensor, features: Tensor):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, features, features)
        return self.output(torch.cat([hidden, context], dim=1)), weights, hidden

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, _, hidden = self.look_and_write(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        columns, maps = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.look_and_write(token, hidden, features)
            columns.append(logits)
            maps.append(weights)
        return torch.stack(columns, dim=1), torch.stack(maps, dim=1)


# %% correct: logits for the whole caption after the loop

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def turn(self, word: Tensor, hidden: Tensor, features: Tensor):
        context, weights = self.attention(hidden, features, features)
        return self.cell(torch.cat([word, context], dim=-1), hidden), context, weights

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(torch.einsum("bnd->bd", features) / features.shape[1])), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, context, _ = self.turn(self.embedding(token), *state)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        states, contexts, maps = [], [], []
        for word in self.embedding(tokens).unbind(1):
            hidden, context, weights = self.turn(word, hidden, features)
            for kept, new in zip((states, contexts, maps), (hidden, context, weights), strict=True):
                kept.append(new)
        read = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1)], dim=-1)
        return self.output(read), torch.stack(maps, 1)


# %% correct: tables filled column by column, with the output map in two halves

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def look_and_write(self, token: Tensor, hidden: Tensor, features: Tensor):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        by_state, by_context = self.output.weight.split([hidden.shape[1], context.shape[1]], dim=1)
        return F.linear(hidden, by_state, self.output.bias) + F.linear(context, by_context), weights, hidden

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mapped = self.initial(features).mean(dim=1)  # the mean and a linear map may change places
        return mapped.tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, _, hidden = self.look_and_write(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.start(features)[0]
        batch, steps = tokens.shape
        logits = features.new_empty(batch, steps, self.output.out_features)
        weights = features.new_empty(batch, steps, features.shape[1])
        for t in range(steps):
            logits[:, t], weights[:, t], hidden = self.look_and_write(tokens[:, t], hidden, features)
        return logits, weights
