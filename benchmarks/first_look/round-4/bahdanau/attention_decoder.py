# %% wrong: the output layer reads a second context made by the new state
# After the GRU the new state asks again, and that context and its weights go into the logits. In the docstring each step has one context, of the old state, which goes into the cell and into the output.
# Hint: count how often the attention is called for one word, and read off the docstring which c_t the logits use.

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
        return logits, hidden, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.one_step(tokens[:, t], hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.one_step(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)


# %% wrong: the steps are stacked in front and viewed into the batch's shape
# The list of T tensors (B, V) is stacked to (T, B, V) and then reshaped to (B, T, V). The shape is right, and the logits and weights of different sentences and places are mixed up.
# Hint: what is the difference between moving an axis and reshaping? Try B = 2 and T = 3 and follow sentence 0.

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
            context, alpha = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=-1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=-1)))
            weights.append(alpha)
        return torch.stack(logits).view(B, T, -1), torch.stack(weights).view(B, T, -1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), (hidden, keys, values, mask)


# %% wrong: the mask is lost while decoding
# forward uses the mask, but step calls the attention without it. What is written word by word then depends on the padding, and differs from forward for every padded sentence.
# Hint: feed the same tokens through forward and, one by one, through step, for a batch with padding, and compare.

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
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            context, alpha = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
            weights.append(alpha)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask)


# %% wrong: the decoder feeds on its own words in training
# Only the first token of the tokens is used; from then on forward puts its own best word in. The logits do not depend on the rest of what was given, and differ from step fed with the same tokens.
# Hint: change the token at place 2 and see which logits move.

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
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            now = self.output(torch.cat([hidden, context], dim=1))
            token = now.argmax(dim=1)
            logits.append(now)
            weights.append(alpha)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, keys, values, mask)


# %% wrong: the first state asks at every step of forward
# The loop keeps its state under another name, and the attention goes on asking with the state that came in. All the contexts and weights of a sentence are the same, and step does something else.
# Hint: print the weights of two steps of one sentence. Which variable changes in the loop, and which one asks?

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
        s = hidden
        logits, weights = [], []
        for t in range(tokens.size(1)):
            context, alpha = self.attention(hidden, keys, values, mask)
            s = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), s)
            logits.append(self.output(torch.cat([s, context], dim=1)))
            weights.append(alpha)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        s = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([s, context], dim=1)), (s, keys, values, mask)


# %% correct: the logits of all steps in one product at the end

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def look_and_move(self, embedded, hidden, memory):
        context, weights = self.attention(hidden, *memory)
        moved = self.cell(torch.cat((embedded, context), dim=-1), hidden)
        return torch.cat((moved, context), dim=-1), moved, weights

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        readouts, looks = [], []
        for embedded in self.embedding(tokens).unbind(dim=1):
            readout, hidden, weights = self.look_and_move(embedded, hidden, (keys, values, mask))
            readouts.append(readout)
            looks.append(weights)
        return self.output(torch.stack(readouts, dim=1)), torch.stack(looks, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *memory = state
        readout, hidden, _ = self.look_and_move(self.embedding(token), hidden, memory)
        return self.output(readout), (hidden, *memory)


# %% correct: a generator that both methods draw from

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def unroll(self, columns, s, keys, values, mask):
        for column in columns:
            c, alpha = self.attention(s, keys, values, mask)
            s = self.cell(torch.hstack([self.embedding(column), c]), s)
            yield self.output(torch.hstack([s, c])), alpha, s

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        steps = list(self.unroll(tokens.T, hidden, keys, values, mask))
        logits = torch.stack([logits for logits, _, _ in steps]).transpose(0, 1)
        weights = torch.stack([alpha for _, alpha, _ in steps]).transpose(0, 1)
        return logits, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        (logits, _, s), = self.unroll([token], *state)
        return logits, (s, *state[1:])
