# %% wrong: one context for the whole sentence
# forward asks the attention once, before the loop, with the first hidden state, and uses that context for every word. Right
# for the first column; from the second one on (T of 2 or more) the logits and weights are not those of the step.

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
        context, weights = self.attention(hidden, keys, values, mask)
        logits = []
        for t in range(tokens.shape[1]):
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), weights.unsqueeze(1).repeat(1, tokens.shape[1], 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, keys, values, mask)

# %% wrong: the context made again from the weights
# The attention may be any module, and the context is what it gives. Here only its weights are used, and the values summed anew:
# another context wherever the attention maps its values, or scales its output.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def look(self, token, hidden, keys, values, mask):
        _, weights = self.attention(hidden, keys, values, mask)
        context = (weights.unsqueeze(2) * values).sum(dim=1)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            out, hidden, w = self.look(tokens[:, t], hidden, keys, values, mask)
            logits.append(out)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.look(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

# %% wrong: a padding token leaves the state alone
# Taken over from the encoder, where padding must not change the state. Here it changes it like any other token: wherever
# pad_id goes in, this word's logits and all that follow are others.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def _one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        hidden = torch.where((token != self.pad_id).unsqueeze(1), new, hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            out, hidden, w = self._one(token, hidden, keys, values, mask)
            logits.append(out)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *memory = state
        logits, hidden, _ = self._one(token, hidden, *memory)
        return logits, (hidden, *memory)

# %% wrong: step forgets the mask
# forward hands the mask on, step unpacks it and does not. For padded sentences step attends to the padding, and its logits are
# not forward's; without padding nothing shows.

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
        logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=-1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=-1)))
            all_weights.append(weights)
        return torch.stack(logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, None)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=-1))
        return logits, (hidden, keys, values, mask)

# %% correct: a step is a sentence of one word
# The work is done in one method for any number of words; the states and contexts are collected, and all logits made at once.
class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def run(self, tokens, hidden, memory):
        seen, looks = [], []
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(hidden, *memory)
            hidden = self.cell(torch.cat((word, context), dim=1), hidden)
            seen.append(torch.cat((hidden, context), dim=1))
            looks.append(weights)
        return self.output(torch.stack(seen, dim=1)), torch.stack(looks, dim=1), hidden

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights, _ = self.run(tokens, hidden, (keys, values, mask))
        return logits, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self.run(token.unsqueeze(1), state[0], state[1:])
        return logits.squeeze(1), (hidden, *state[1:])

# %% correct: the first word, then the rest of the sentence
# forward calls itself with the state after the first word; the pieces are joined along the words.
class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def look_and_write(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        first, hidden, look = self.look_and_write(tokens[:, 0], hidden, keys, values, mask)
        first, look = first[:, None], look[:, None]
        if tokens.shape[1] == 1:
            return first, look
        rest, looks = self.forward(tokens[:, 1:], hidden, keys, values, mask)
        return torch.cat([first, rest], dim=1), torch.cat([look, looks], dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.look_and_write(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)
