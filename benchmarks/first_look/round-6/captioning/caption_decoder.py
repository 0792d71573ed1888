# %% wrong: the weights returned are those of the new state
# In forward the logits are right, but the weights handed back are made by asking the attention again
# after the step, with the NEW hidden state: they belong to the word after.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, state = self.step(tokens[:, t], state)
            _, weights = self.attention(state[0], features, features)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the new state is a list
# The old state's tuple is made a list so that its first entry can be replaced, and step hands back that
# list, where a tuple was promised.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.mean(1)).tanh(), features

    def look(self, token, state):
        context, weights = self.attention(state[0], state[1], state[1])
        state = list(state)
        state[0] = self.cell(torch.cat((self.embedding(token), context), -1), state[0])
        return self.output(torch.cat((state[0], context), -1)), state, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.T:
            now, state, looked = self.look(token, state)
            logits.append(now)
            weights.append(looked)
        return torch.stack(logits, 1), torch.stack(weights, 1)


# %% wrong: the context stands before what it is joined to
# Both joins are turned round, [context; embedding] into the cell and [context; state] into the output.
# The sizes fit, so nothing complains.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._step(token, state)
        return logits, state

    def _step(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)
        logits = self.output(torch.cat([context, hidden], dim=1))
        return logits, (hidden, features), weights

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        outputs = []
        for t in range(tokens.size(1)):
            logits, state, weights = self._step(tokens[:, t], state)
            outputs.append((logits, weights))
        logits, weights = zip(*outputs)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: forward lets the gradient end at each step
# The state is detached from one word to the next "to save memory": the numbers are right, but no word's
# loss reaches the steps before it nor the first glance.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, self.last_weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            out, (hidden, _) = self.step(tokens[:, t], (hidden.detach(), features))
            logits.append(out)
            weights.append(self.last_weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: forward goes on with its own words
# Only the first token that goes in is used; after that the most probable word of the step before is fed
# back, as in writing, and not the given tokens.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        token = tokens[:, 0]
        logits, weights = [], []
        for _ in range(tokens.shape[1]):
            weights.append(self.attention(state[0], features, features)[1])
            scores, state = self.step(token, state)
            logits.append(scores)
            token = scores.argmax(dim=1)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: by recursion over the rest of the caption

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        glance = features.sum(dim=1) / features.shape[1]
        return self.initial(glance).tanh(), features

    def _write(self, token, state):
        old, cells = state
        seen, weights = self.attention(old, cells, cells)
        new = self.cell(torch.hstack([self.embedding(token), seen]), old)
        return self.output(torch.hstack([new, seen])), weights, (new, cells)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._write(token, state)
        return logits, state

    def _rest(self, tokens, state):
        if not tokens:
            return [], []
        logits, weights, state = self._write(tokens[0], state)
        later_logits, later_weights = self._rest(tokens[1:], state)
        return [logits, *later_logits], [weights, *later_weights]

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        logits, weights = self._rest(list(tokens.unbind(dim=1)), self.start(features))
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: states first and all logits at once at the end

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(torch.einsum("bnd->bd", features) / features.size(1))), features

    def run(self, embedded, state):
        hidden, features = state
        states, contexts, looks = [], [], []
        for word in embedded.unbind(dim=1):
            context, weights = self.attention(query=hidden, keys=features, values=features)
            hidden = self.cell(torch.cat([word, context], dim=-1), hidden)
            states.append(hidden)
            contexts.append(context)
            looks.append(weights)
        both = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1)], dim=-1)
        return self.output(both), torch.stack(looks, 1), (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self.run(self.embedding(token).unsqueeze(1), state)
        return logits[:, 0], state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        logits, weights, _ = self.run(self.embedding(tokens), self.start(features))
        return logits, weights
