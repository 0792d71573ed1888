# %% wrong: the new state asks again before the output
# The cell gets the context of the old state, but the output layer (and the weights returned) that of the new one.
# One step has one context c_t, asked for by s_{t-1}. Shows in the logits for any S above 1.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one_step(self, token, hidden, keys, values, mask):
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.one_step(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, _, hidden = self.one_step(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: the step forgets the mask
# step hands the mask on in its state but not to the attention, so it looks at the padding, and its logits are not those of
# forward. Shows where the mask forbids something; right for one sentence without padding.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one_step(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.one_step(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)


# %% wrong: the keys as values
# The context is blended from the keys: in the paper both are the encoder's states, here they are two arguments.
# Shows where keys and values differ (raises where their widths do); right where the caller hands over one tensor twice.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one_step(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, keys, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.one_step(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, _, hidden = self.one_step(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: the state holds still at padding
# Where the token that goes in is pad_id the old state is kept; the docstring's step is s_t = cell(...) for every token.
# Shows in the logits of a row from its first pad_id on; right where no pad_id goes in.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one_step(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        real = (token != self.embedding.padding_idx).unsqueeze(1)
        hidden = torch.where(real, new, hidden)  # padding must not speak
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, hidden = self.one_step(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, _, hidden = self.one_step(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% correct: a generator of steps, the logits of all of them in one product

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def walk(self, tokens: Tensor, hidden: Tensor, *memory):
        """Yield [state; context], weights and state, token after token."""
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, *memory)
            hidden = self.cell(torch.cat((word, context), dim=-1), hidden)
            yield torch.cat((hidden, context), dim=-1), weights, hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        features, weights, _ = zip(*self.walk(tokens, hidden, keys, values, mask), strict=True)
        return self.output(torch.stack(features, dim=1)), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        ((features, _, hidden),) = self.walk(token.unsqueeze(1), *state)
        return self.output(features), (hidden, *state[1:])


# %% correct: forward feeds step and listens to the attention, the output matrix cut in two

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
        state, columns, looks = (hidden, keys, values, mask), [], []
        for t in range(tokens.shape[1]):
            logits, state, weights = self.turn(tokens[:, t], state)
            columns.append(logits.unsqueeze(1))
            looks.append(weights.unsqueeze(1))
        return torch.cat(columns, dim=1), torch.cat(looks, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        return self.turn(token, state)[:2]

    def turn(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple, Tensor]:
        old, keys, values, mask = state
        looked = self.attention(old, keys, values, mask)
        context, weights = looked[0], looked[1]
        new = self.cell(torch.hstack([self.embedding(token), context]), old)
        of_state, of_context = self.output.weight.split([new.shape[1], context.shape[1]], dim=1)
        logits = new @ of_state.T + context @ of_context.T + self.output.bias
        return logits, (new, keys, values, mask), weights
