# %% wrong: stacked by time and viewed as batch
# torch.stack(...) gives (T, B, ...), and .view(B, T, ...) does not swap the axes: rows of other sentences
# and times are put together. Shows in logits and weights of forward for B and T of 2 or more.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        all_logits, all_weights = [], []
        for t in range(length):
            logits, hidden, weights = self.one(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits).view(batch, length, -1), torch.stack(all_weights).view(batch, length, -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% wrong: the state is cut from the graph after each word
# hidden.detach() between the steps, "so that the graph does not grow": the values are right, but no gradient
# goes from a later word to an earlier one. Shows in the gradients for T of 2 or more (that of the first hidden state).

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.one(tokens[:, t], hidden, keys, values, mask)
            hidden = hidden.detach()
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% wrong: step writes into the state that it was given
# hidden[:] = ... puts the new state into the caller's tensor. Shows when the old state is looked at, or used
# for a second word, after step (under no_grad), and as an error in backward otherwise.

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
        embedded = self.embedding(tokens)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=1), hidden)
            all_logits.append(self.output(torch.cat([hidden, context], dim=1)))
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden[:] = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), state

# %% wrong: guesses a mask where there is none
# mask=None is taken as "padding is where the keys are zero". None allows every position. Shows with mask
# None and a key of zeros (which then gets no weight), in forward and step.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        if mask is None:
            mask = (keys != 0).any(dim=2)
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.T:
            logits, hidden, weights = self.one(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% correct: the loop only makes states, and the output layer works once, in two halves

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def run(self, tokens, hidden, keys, values, mask):
        """All states (B, T, H), contexts (B, T, d_value) and weights (B, T, S)."""
        states, contexts, weights = [hidden], [], []
        for word in self.embedding(tokens).unbind(dim=1):
            context, shares = self.attention(states[-1], keys, values, mask)
            states.append(self.cell(torch.cat((word, context), dim=-1), states[-1]))
            contexts.append(context)
            weights.append(shares)
        return (torch.stack(x, dim=1) for x in (states[1:], contexts, weights))

    def read(self, states, contexts):
        width = states.shape[-1]
        of_state, of_context = self.output.weight[:, :width], self.output.weight[:, width:]
        return states @ of_state.t() + contexts @ of_context.t() + self.output.bias

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        states, contexts, weights = self.run(tokens, hidden, keys, values, mask)
        return self.read(states, contexts), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        states, contexts, _ = self.run(token.unsqueeze(1), *state)
        return self.read(states, contexts)[:, 0], (states[:, 0], *state[1:])

# %% correct: forward calls itself on what is left of the sentence

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def look(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        return self.output(torch.hstack([new, context])), weights, new

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights, new = self.look(tokens[:, 0], hidden, keys, values, mask)
        first = logits.unsqueeze(1), weights.unsqueeze(1)
        if tokens.shape[1] == 1:
            return first
        rest = self.forward(tokens[:, 1:], new, keys, values, mask)
        return tuple(torch.cat(pair, dim=1) for pair in zip(first, rest, strict=True))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, new = self.look(token, *state)
        return logits, (new,) + tuple(state[1:])
