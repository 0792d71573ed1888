# %% wrong: the output reads the old state
# The new state goes on to the next step, but the logits are made of the state before the cell.
# Shows in every logit.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _turn(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new_hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), new_hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._turn(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self._turn(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% wrong: asks a second time for the output
# The new state asks again, and the output layer gets that context: a mixture of Bahdanau's order and Luong's.
# Shows in the logits, and in the weights, which are those of the second asking.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _turn(self, token, hidden, keys, values, mask):
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._turn(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self._turn(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% wrong: padding holds the state
# Where a padding token goes in the old state is kept, as in an encoder; here it is to move the state on like any other.
# Shows for tokens that hold pad_id, from that step on.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _turn(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        hidden = torch.where((token == self.embedding.padding_idx).unsqueeze(1), hidden, new)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._turn(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self._turn(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% wrong: the mask is lost after one step
# step takes the mask out of the state and gives back None in its place.
# Shows from the second step on wherever the mask forbids something: forward and step differ.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _turn(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._turn(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self._turn(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, None)

# %% correct: all logits at the end, in one product

# forward keeps states and contexts, and calls the output layer once; step is the same recurrence for one word.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _states(self, embedded, hidden, keys, values, mask):
        """The recurrence alone, step by step: (state, context, weights)."""
        for word in embedded.unbind(dim=1):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.hstack([word, context]), hidden)
            yield hidden, context, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        turns = list(self._states(self.embedding(tokens), hidden, keys, values, mask))
        states, contexts, weights = (torch.stack(parts, dim=1) for parts in zip(*turns, strict=True))
        return self.output(torch.cat([states, contexts], dim=2)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        ((hidden, context, _),) = self._states(self.embedding(token[:, None]), *state)
        return self.output(torch.hstack([hidden, context])), (hidden, *state[1:])

# %% correct: one run for both

# A helper runs the recurrence for any number of words, with the output layer split into two products; step runs it for one.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _run(self, tokens, hidden, keys, values, mask):
        count, width = tokens.shape[1], hidden.shape[1]
        W_state, W_context = self.output.weight[:, :width], self.output.weight[:, width:]
        logits, shares = [], []
        for t in range(count):
            context, share = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat((self.embedding(tokens[:, t]), context), -1), hidden)
            logits.append(hidden @ W_state.T + context @ W_context.T + self.output.bias)
            shares.append(share)
        return torch.stack(logits, 1), torch.stack(shares, 1), hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return self._run(tokens, hidden, keys, values, mask)[:2]

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self._run(token.unsqueeze(1), *state)
        return logits[:, 0], (hidden,) + tuple(state[1:])
