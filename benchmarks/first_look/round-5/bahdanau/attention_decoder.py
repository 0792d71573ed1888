# %% wrong: keys and values are handed over the other way round
# The attention is called with values before keys. With the encoder's states for both, as in the notebook, nobody sees
# it; with keys and values that differ it compares with the values and blends the keys.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _move(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, values, keys, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._move(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self._move(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: the stack is viewed as a batch instead of transposed
# stack makes (T, B, V); view calls it (B, T, V) without moving anything, and mixes steps and sentences. Right for a
# batch of one or a single step.

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
        B, T = tokens.shape
        logits, weights = [], []
        for t in range(T):
            c, w = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat((self.embedding(tokens[:, t]), c), dim=1), hidden)
            logits.append(self.output(torch.cat((hidden, c), dim=1)))
            weights.append(w)
        return torch.stack(logits).view(B, T, -1), torch.stack(weights).view(B, T, -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        c, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat((self.embedding(token), c), dim=1), hidden)
        return self.output(torch.cat((hidden, c), dim=1)), (hidden, keys, values, mask)


# %% wrong: forward uses a step that keeps no gradients
# step is marked no_grad because it is for decoding, but forward is built on it: the logits have no gradient, and
# nothing can be trained.

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
        state = (hidden, keys, values, mask)
        for token in tokens.unbind(dim=1):
            _, alpha = self.attention(state[0], keys, values, mask)
            scores, state = self.step(token, state)
            logits.append(scores)
            weights.append(alpha)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    @torch.no_grad()
    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask)


# %% wrong: the context stands before the embedding
# cell and output get [c; embedding] and [c; s] in place of [embedding; c] and [s; c]. The widths are the same in sum,
# so it runs and it trains, but it is not the decoder asked for.

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
        outs, alphas = [], []
        for t in range(tokens.size(1)):
            out, state, alpha = self.one(tokens[:, t], (hidden, keys, values, mask))
            hidden = state[0]
            outs.append(out)
            alphas.append(alpha)
        return torch.stack(outs, 1), torch.stack(alphas, 1)

    def one(self, token, state):
        hidden, keys, values, mask = state
        context, alpha = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([context, self.embedding(token)], 1), hidden)
        out = self.output(torch.cat([context, hidden], 1))
        return out, (hidden, keys, values, mask), alpha

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        out, state, _ = self.one(token, state)
        return out, state


# %% wrong: forward feeds its own best word back
# After the first token forward goes on with the argmax of its own logits, as greedy decoding does. The other tokens
# given to it are not looked at.

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
        logits, weights = [], []
        for _ in range(tokens.shape[1]):
            context, alpha = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
            out = self.output(torch.cat([hidden, context], dim=-1))
            logits.append(out)
            weights.append(alpha)
            token = out.argmax(dim=-1)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, keys, values, mask)


# %% correct: a generator walks, and the output layer comes last

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _walk(self, embedded, hidden, keys, values, mask):
        """Yields the hidden state, the context and the weights of each step."""
        for word in embedded:
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([word, context], dim=1), hidden)
            yield hidden, context, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        embedded = self.embedding(tokens).unbind(dim=1)
        walked = list(self._walk(embedded, hidden, keys, values, mask))
        hiddens, contexts, weights = (torch.stack(part, dim=1) for part in zip(*walked, strict=True))
        return self.output(torch.cat([hiddens, contexts], dim=2)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        ((hidden, context, _),) = self._walk([self.embedding(token)], *state)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, *state[1:])


# %% correct: recursion, with the output layer in two halves

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _read_off(self, hidden, context):
        for_hidden, for_context = self.output.weight.split([hidden.shape[1], context.shape[1]], dim=1)
        return hidden @ for_hidden.T + context @ for_context.T + self.output.bias

    def _rest(self, tokens, t, hidden, memory):
        """The logits and the weights from step t on, each a list."""
        if t == tokens.shape[1]:
            return [], []
        context, weights = self.attention(hidden, *memory)
        hidden = self.cell(torch.hstack((self.embedding(tokens[:, t]), context)), hidden)
        later_logits, later_weights = self._rest(tokens, t + 1, hidden, memory)
        return [self._read_off(hidden, context), *later_logits], [weights, *later_weights]

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = self._rest(tokens, 0, hidden, (keys, values, mask))
        return torch.stack(logits).transpose(0, 1), torch.stack(weights).transpose(0, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        old, *memory = state
        context, _ = self.attention(old, *memory)
        new = self.cell(torch.hstack((self.embedding(token), context)), old)
        return self._read_off(new, context), (new, *memory)
