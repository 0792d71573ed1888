# %% wrong: the new state asks again for the output
# The cell gets the right context, but the logits (and the weights returned) come from a second look with the
# new state, half Bahdanau's order and half Luong's. Shows wherever the attention depends on its query.

class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each (Bahdanau et al., 2015, 3.1)."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, _ = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            context, weights = self.attention(hidden, keys, values, mask)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, _ = self.attention(hidden, keys, values, mask)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: step looks without the mask
# step unpacks the mask and does not hand it to the attention, so it gives weight to padding.
# forward is right; shows where a mask forbids something and step is compared with it.

class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each (Bahdanau et al., 2015, 3.1)."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, None)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: the weights joined by cat and view
# T pieces of (B, S) laid end to end are (T, B, S) in memory; the view to (B, T, S) gives rows of other
# sentences and steps. Shows where B and T are above 1; the logits are right.

class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each (Bahdanau et al., 2015, 3.1)."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([word, context], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        batch, length = tokens.shape
        return torch.stack(all_logits, dim=1), torch.cat(all_weights).view(batch, length, -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: one look for the whole sentence
# forward asks once with the state before the first token and uses that context at every step. The first column
# is right; shows from the second on, and against step.

class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each (Bahdanau et al., 2015, 3.1)."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        length = tokens.shape[1]
        context, weights = self.attention(hidden, keys, values, mask)
        all_logits = []
        for t in range(length):
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(all_logits, dim=1), weights.unsqueeze(1).repeat(1, length, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% correct: a loop for the states alone, all logits in one product

class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each (Bahdanau et al., 2015, 3.1)."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, looks, _ = self.walk(tokens, hidden, keys, values, mask)
        return logits, looks

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self.walk(token.unsqueeze(-1), *state)
        return logits.squeeze(1), (hidden, *state[1:])

    def walk(self, tokens, hidden, keys, values, mask):
        """Logits (B, T, V), weights (B, T, S) and the last hidden state."""
        states, contexts, looks = [hidden], [], []
        for word in self.embedding(tokens.t()):  # T times (B, E)
            seen, look = self.attention(states[-1], keys, values, mask)
            states.append(self.cell(torch.cat((word, seen), -1), states[-1]))
            contexts.append(seen)
            looks.append(look)
        joined = torch.cat((torch.stack(states[1:]), torch.stack(contexts)), -1)  # (T, B, H + d_value)
        return self.output(joined).permute(1, 0, 2), torch.stack(looks).permute(1, 0, 2), states[-1]


# %% correct: steps accumulated, the output layer cut in two

import itertools


class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each (Bahdanau et al., 2015, 3.1)."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        def onward(before, token):
            return self._turn(token, before[0], keys, values, mask)

        turns = itertools.accumulate(tokens.unbind(1), onward, initial=(hidden, None, None))
        _, logits, weights = zip(*itertools.islice(turns, 1, None), strict=True)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, logits, _ = self._turn(token, *state)
        return logits, (hidden,) + tuple(state[1:])

    def _turn(self, token, hidden, keys, values, mask):
        """(new hidden, logits, weights) of one step."""
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        of_state, of_context = self.output.weight.tensor_split([new.shape[1]], dim=1)
        logits = torch.addmm(self.output.bias, new, of_state.T) + context @ of_context.T
        return new, logits, weights
