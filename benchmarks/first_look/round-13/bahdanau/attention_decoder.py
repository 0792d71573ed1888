# %% wrong: the output layer asks once more
# The new state asks the attention again, and that second context goes into the output layer (its weights come back,
# too): the logits differ from output([s_t; c_t]) for any S > 1, and the attention is asked twice a step.

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
        state, logits, weights = (hidden, keys, values, mask), [], []
        for token in tokens.unbind(dim=1):
            scores, state, looked = self._one(token, state)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def _one(self, token, state):
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._one(token, state)
        return logits, state

# %% wrong: padding holds the state
# As in an encoder, a padding token leaves the hidden state as it is. The text says that it moves the state on like any
# other: wrong from the first pad_id that goes in.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            context, looked = self.attention(hidden, keys, values, mask)
            hidden = self._advance(tokens[:, t], context, hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=-1)))
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def _advance(self, token, context, hidden):
        new = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return torch.where((token == self.pad_id).unsqueeze(1), hidden, new)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self._advance(token, context, hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, keys, values, mask)

# %% wrong: context before state in the output layer
# The output layer reads [c_t; s_t] instead of [s_t; c_t]. The widths add up to the same, so nothing complains; the
# logits differ from the documented ones for every input.

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
        state = (hidden, keys, values, mask)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            context, looked = self.attention(state[0], keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), state[0])
            logits.append(self.output(torch.cat([context, hidden], dim=1)))
            weights.append(looked)
            state = (hidden, keys, values, mask)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([context, hidden], dim=1)), (hidden, keys, values, mask)

# %% wrong: step looks at the padding
# forward passes the mask on, step takes it out of the state and does not: with a mask that forbids something, step gives
# other logits than forward.

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
        embedded = self.embedding(tokens)
        for t in range(tokens.shape[1]):
            context, looked = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)

# %% correct: states first, all logits in one product

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
        batch, length = tokens.shape
        embedded = self.embedding(tokens.T)  # (T, B, E)
        looks, contexts, states = [], [], [hidden]
        for word in embedded:
            context, look = self.attention(states[-1], keys, values, mask)
            states.append(self.cell(torch.hstack([word, context]), states[-1]))
            contexts.append(context)
            looks.append(look)
        both = torch.cat([torch.stack(states[1:]), torch.stack(contexts)], dim=2)
        return self.output(both).transpose(0, 1), torch.stack(looks).transpose(0, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *memory = state
        keys, values, mask = memory
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        logits = self.output(torch.hstack([hidden, context]))
        return logits, (hidden, *memory)

# %% correct: a recursion by halves, and an output layer in two halves

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
        _, logits, weights = self._part(tokens, hidden, keys, values, mask)
        return logits, weights

    def _part(self, tokens, hidden, keys, values, mask):
        """The state after the tokens, their logits and weights: one half after the other."""
        length = tokens.shape[1]
        if length == 1:
            logits, hidden, looked = self._look_and_write(tokens[:, 0], hidden, keys, values, mask)
            return hidden, logits.unsqueeze(1), looked.unsqueeze(1)
        hidden, *early = self._part(tokens[:, : length // 2], hidden, keys, values, mask)
        hidden, *late = self._part(tokens[:, length // 2 :], hidden, keys, values, mask)
        return hidden, *(torch.cat(pair, dim=1) for pair in zip(early, late, strict=True))

    def _look_and_write(self, token, hidden, keys, values, mask):
        context, looked = self.attention(hidden, keys, values, mask)
        width = hidden.shape[1]
        hidden = self.cell(torch.cat((self.embedding(token), context), 1), hidden)
        of_state, of_context = self.output.weight.split([width, context.shape[1]], dim=1)
        logits = F.linear(hidden, of_state, self.output.bias) + F.linear(context, of_context)
        return logits, hidden, looked

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, hidden, _ = self._look_and_write(token, *state)
        return logits, (hidden,) + tuple(state[1:])
