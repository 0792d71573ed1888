# %% wrong: feeds its own words in training
# forward takes only the first column of tokens and goes on with the words it would have written, as when decoding.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        token = tokens[:, 0]
        all_logits, all_weights = [], []
        for _ in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits = self.output(torch.cat([hidden, context], dim=1))
            all_logits.append(logits)
            all_weights.append(weights)
            token = logits.argmax(dim=1)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: keeps the state from the last call
# The hidden state is remembered on the module, so a second call of forward goes on where the first stopped and ignores what it is given.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)
        self.hidden = None

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        if self.hidden is None:
            self.hidden = hidden
        all_logits, all_weights = [], []
        for token in tokens.T:
            context, weights = self.attention(self.hidden, keys, values, mask)
            self.hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), self.hidden)
            all_logits.append(self.output(torch.cat([self.hidden, context], dim=-1)))
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, keys, values, mask)


# %% wrong: context before the word in the cell
# The widths fit either way round, but the cell is promised the embedding first and the context behind it.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat((context, self.embedding(token)), dim=1), hidden)
        return self.output(torch.cat((hidden, context), dim=1)), weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            row, share, hidden = self._one(tokens[:, t], hidden, keys, values, mask)
            logits.append(row)
            weights.append(share)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self._one(token, *state)
        return logits, (hidden, *state[1:])


# %% wrong: step loses the mask
# step looks at the padding too, and the state it hands back has only three parts: with padding its logits are not those of forward.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            context, share = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], 1), hidden)
            logits.append(self.output(torch.cat([hidden, context], 1)))
            weights.append(share)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values = state[:3]
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], 1), hidden)
        return self.output(torch.cat([hidden, context], 1)), (hidden, keys, values)


# %% wrong: logits from the state before the word went in
# The output layer gets the old hidden state, so the logits know nothing of the token that just went in but for the context.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self.step_with_weights(token, state)
        return logits, state

    def step_with_weights(self, token, state):
        hidden, keys, values, mask = state
        context, weights = self.attention(hidden, keys, values, mask)
        new_hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, (new_hidden, keys, values, mask)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        state = (hidden, keys, values, mask)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            row, share, state = self.step_with_weights(token, state)
            logits.append(row)
            weights.append(share)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: states first, then all logits in one product

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _advance(self, word, hidden, memory):
        context, shares = self.attention(hidden, *memory)
        return self.cell(torch.cat((word, context), dim=-1), hidden), context, shares

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        memory = keys, values, mask
        features, maps = [], []
        for word in self.embedding(tokens).unbind(1):
            hidden, context, shares = self._advance(word, hidden, memory)
            features.append(torch.cat((hidden, context), dim=-1).unsqueeze(1))
            maps.append(shares.unsqueeze(1))
        return self.output(torch.cat(features, dim=1)), torch.cat(maps, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        old, *memory = state
        new, context, _ = self._advance(self.embedding(token), old, memory)
        return self.output(torch.cat((new, context), dim=-1)), (new, *memory)


# %% correct: recursion over the tokens

def _write_rest(decoder, tokens, hidden, memory):
    if tokens.shape[1] == 0:
        return [], [], hidden
    context, shares = decoder.attention(hidden, *memory)
    goes_in = torch.cat([decoder.embedding(tokens[:, 0]), context], dim=1)
    hidden = decoder.cell(goes_in, hidden)
    row = decoder.output(torch.cat([hidden, context], dim=1))
    rows, maps, last = _write_rest(decoder, tokens[:, 1:], hidden, memory)
    return [row, *rows], [shares, *maps], last


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        rows, maps, _ = _write_rest(self, tokens, hidden, (keys, values, mask))
        return torch.stack(rows).transpose(0, 1), torch.stack(maps).transpose(0, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        rows, _, hidden = _write_rest(self, token[:, None], state[0], state[1:])
        return rows[0], (hidden,) + tuple(state[1:])
