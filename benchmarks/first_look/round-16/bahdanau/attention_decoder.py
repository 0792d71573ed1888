# %% wrong: keys are the values, too
# The keys go in twice, as in the notebook where both are the encoder's states. Wrong wherever values differ from keys
# (and an error where their widths differ).

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, keys, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, looked = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: shifts the tokens once more
# forward puts the begin token in front itself, although tokens are already shifted: its logits are one step late and
# do not agree with those of step. Any T >= 2 (or a first token that is not the begin token).

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        tokens = F.pad(tokens[:, :-1], (1, 0), value=BOS_ID)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, looked = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: the state waits at padding
# Where the token that goes in is padding the old state is kept, as in chapter 01's encoder. The text says that padding
# changes the state like any other token. Shows for a row with pad_id among its tokens.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        real = (token != self.embedding.padding_idx).unsqueeze(-1)
        hidden = torch.where(real, new, hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, looked = self.one(tokens[:, t], hidden, keys, values, mask)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: cuts the graph between the steps
# The hidden state is detached after each step, "so that the graph does not grow". All outputs are right, but with T >= 2
# the gradients of the cell, the embedding and the first hidden state are those of single steps.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            scores, hidden, looked = self.one(tokens[:, t], hidden, keys, values, mask)
            hidden = hidden.detach()
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% correct: one fold over the columns, the output layer at the end

from itertools import accumulate


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def turn(self, hidden, embedded, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        return self.cell(torch.cat((embedded, context), dim=1), hidden), context, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        columns = self.embedding(tokens).unbind(dim=1)
        turns = accumulate(
            columns,
            lambda before, embedded: self.turn(before[0], embedded, keys, values, mask),
            initial=(hidden, None, None),
        )
        states, contexts, weights = (torch.stack(part, dim=1) for part in zip(*list(turns)[1:], strict=True))
        return self.output(torch.cat((states, contexts), dim=2)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, context, _ = self.turn(state[0], self.embedding(token), *state[1:])
        return self.output(torch.cat((hidden, context), dim=1)), (hidden, *state[1:])


# %% correct: forward calls itself on the rest

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
        looks = []
        logits, rest = self._look_and_step(tokens[:, 0], (hidden, keys, values, mask), looks)
        logits, weights = logits[:, None], looks[0][:, None]
        if tokens.shape[1] == 1:
            return logits, weights
        later_logits, later_weights = self.forward(tokens[:, 1:], *rest)
        return torch.hstack((logits, later_logits)), torch.hstack((weights, later_weights))

    def _look_and_step(self, token, state, looks):
        hidden, *memory = state
        context, weights = self.attention(hidden, *memory)
        looks.append(weights)
        hidden = self.cell(torch.hstack((self.embedding(token), context)), hidden)
        parts = self.output.weight.split((hidden.shape[1], context.shape[1]), dim=1)
        logits = hidden @ parts[0].T + context @ parts[1].T + self.output.bias
        return logits, (hidden, *memory)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        return self._look_and_step(token, state, [])
