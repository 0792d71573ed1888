# %% wrong: the weights asked for again with the new state
# forward gets the weights by asking the attention once more after the step, with s_t in place of s_{t-1}: the logits
# are right, the map is the next word's. Shows in the weights for any input with more than one cell.

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
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            step_logits, state = self.step(tokens[:, t], state)
            logits.append(step_logits)
            weights.append(self.attention(state[0], features, features)[1])
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the logits read from the old hidden state
# output gets [s_{t-1}; c_t], since the new state has a name of its own and the old one is put in by mistake.
# Shows in every logit of step and of forward; a single step cannot see the token that went in.

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

    def _step(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        new_hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=-1))
        return logits, (new_hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        return self._step(token, state)[:2]

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            step_logits, state, step_weights = self._step(token, state)
            logits.append(step_logits)
            weights.append(step_weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the tanh comes before the linear map
# The first hidden state is initial(tanh(mean)) in place of tanh(initial(mean)). Shows in start for any features, and in
# everything that follows from it.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        glance = features.mean(dim=1)
        return self.initial(torch.tanh(glance)), features

    def look(self, hidden, features):
        return self.attention(hidden, features, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.look(hidden, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.size(1)):
            all_weights.append(self.look(state[0], features)[1])
            logits, state = self.step(tokens[:, t], state)
            all_logits.append(logits)
        return torch.stack(all_logits, 1), torch.stack(all_weights, 1)


# %% wrong: the decoder reads its own words in forward
# From the second step on, forward feeds the most likely word of the step before in place of tokens[:, t], as in
# writing. Shows in logits and weights for T of 2 or more, wherever the untrained model's word is not the given one.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.step_with_weights(token, state)
        return logits, state

    def step_with_weights(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], 1), hidden)
        return self.output(torch.cat([hidden, context], 1)), (hidden, features), weights

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        token = tokens[:, 0]
        logits, weights = [], []
        for _ in range(tokens.shape[1]):
            step_logits, state, step_weights = self.step_with_weights(token, state)
            logits.append(step_logits)
            weights.append(step_weights)
            token = step_logits.argmax(dim=1)
        return torch.stack(logits, 1), torch.stack(weights, 1)


# %% correct: one generator of steps, and the output layer once at the end

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        cells = features.shape[1]
        one_row = features.new_full((1, 1, cells), 1 / cells)
        glance = (one_row @ features).squeeze(1)
        return self.initial(glance).tanh(), features

    def _walk(self, words, hidden, features):
        for word in words:
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat((word, context), dim=-1), hidden)
            yield hidden, context, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        ((hidden, context, _),) = self._walk([self.embedding(token)], hidden, features)
        return self.output(torch.cat((hidden, context), dim=-1)), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        words = self.embedding(tokens).unbind(dim=1)
        hiddens, contexts, weights = zip(*self._walk(words, *self.start(features)))
        read = torch.cat((torch.stack(hiddens, dim=1), torch.stack(contexts, dim=1)), dim=2)
        return self.output(read), torch.stack(weights, dim=1)


# %% correct: forward by recursion, the last token first

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        total = features[:, 0]
        for cell in range(1, features.shape[1]):
            total = total + features[:, cell]
        return torch.tanh(self.initial(total / features.shape[1])), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context = self.attention(hidden, features, features)[0]
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        wide = F.linear(new, self.output.weight[:, : new.shape[1]])
        return wide + F.linear(context, self.output.weight[:, new.shape[1] :], self.output.bias), (new, features)

    def _up_to(self, tokens, state):
        """The state after all of tokens, and a list of (logits, weights), one a token."""
        if tokens.shape[1] == 0:
            return state, []
        state, done = self._up_to(tokens[:, :-1], state)
        weights = self.attention(state[0], state[1], state[1])[1]
        logits, state = self.step(tokens[:, -1], state)
        return state, [*done, (logits, weights)]

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        _, pairs = self._up_to(tokens, self.start(features))
        return tuple(torch.stack(parts, dim=1) for parts in zip(*pairs))
