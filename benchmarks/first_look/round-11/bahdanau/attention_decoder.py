# %% wrong: the context before the word
# The cell's input is [context; embedding] in place of [embedding; context]. The sizes agree, so nothing complains, but
# with given weights every logit is another. Shows for every input.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward_one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.forward_one(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.forward_one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: asks again for the output
# Before the output layer the new state asks the attention once more, so the logits are from another context than the
# cell's, and the weights that come back too. Shows for every input with two positions or more.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.step_with_weights(token, state)
        return logits, state

    def step_with_weights(self, token, state):
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        logits = self.output(torch.cat([hidden, context], dim=-1))
        return logits, (hidden, keys, values, mask), weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        state = (hidden, keys, values, mask)
        logits_of, weights_of = [], []
        for token in tokens.T:
            logits, state, weights = self.step_with_weights(token, state)
            logits_of.append(logits)
            weights_of.append(weights)
        return torch.stack(logits_of, 1), torch.stack(weights_of, 1)


# %% wrong: padding leaves the state where it was
# Where the token is padding the old state is kept, as the encoder does at its padding; here a padding token moves the
# state on like any other. Shows from the step of a padding token on: in its logits and in all that follow.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)
        self.pad_id = pad_id

    def one_step(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        hidden = torch.where((token == self.pad_id).unsqueeze(1), hidden, new)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        steps = []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.one_step(tokens[:, t], hidden, keys, values, mask)
            steps.append((logits, weights))
        logits, weights = zip(*steps)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *memory = state
        logits, hidden, _ = self.one_step(token, hidden, *memory)
        return logits, (hidden, *memory)


# %% wrong: step looks without the mask
# forward passes the mask on, step does not: when writing, padding gets weight. Shows in step's logits where the mask
# forbids something; forward is right, and so is every batch of one length.

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
        embedded = self.embedding(tokens)  # (B, T, E)
        logits, looks = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), torch.stack(looks, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask)


# %% correct: states first, all logits at the end

# The loop collects states, contexts and weights only; the output layer maps all words in one product.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _walk(self, tokens, hidden, keys, values, mask):
        """What every step leaves: new states (B, T, H), contexts (B, T, d_value), weights (B, T, S)."""
        left = []
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat((word, context), dim=-1), hidden)
            left.append((hidden, context, weights))
        return [torch.stack(part, dim=1) for part in zip(*left, strict=True)]

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        states, contexts, weights = self._walk(tokens, hidden, keys, values, mask)
        return self.output(torch.cat((states, contexts), dim=-1)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        states, contexts, _ = self._walk(token.unsqueeze(1), *state)
        logits = self.output(torch.cat((states, contexts), dim=-1)).squeeze(1)
        return logits, (states.squeeze(1), *state[1:])


# %% correct: accumulate over the words

# itertools.accumulate carries the hidden state from word to word; the output layer is split into its two halves.

from itertools import accumulate

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _next(self, memory, before, token):
        hidden = before[0]
        context, weights = self.attention(hidden, *memory)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        for_state, for_context = self.output.weight.split([hidden.shape[1], context.shape[1]], dim=1)
        logits = torch.addmm(self.output.bias, hidden, for_state.T) + context @ for_context.T
        return hidden, logits, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        memory = (keys, values, mask)
        steps = accumulate(
            tokens.unbind(1), lambda before, token: self._next(memory, before, token), initial=(hidden,)
        )
        next(steps)
        _, logits, weights = zip(*steps)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *memory = state
        hidden, logits, _ = self._next(memory, (hidden,), token)
        return logits, (hidden, *memory)
