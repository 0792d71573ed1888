# %% wrong: the logits see a context of the new state
# After the cell the picture is looked at once more, and that context goes to the output (and its weights are returned).
# Promise: c_t is what the attention gives for the OLD state, and the logits are output([s_t; c_t]). Shows for N of 2 or more.

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
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, features, features)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._step(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            scores, state, looked = self._step(token, state)
            logits.append(scores)
            weights.append(looked)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the mean of the first states of the cells
# tanh of `initial` for each cell, and the mean of those.
# Promise: hidden is the tanh of `initial` applied to the MEAN of the cells. Shows for N of 2 or more with differing cells.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        hidden = torch.tanh(self.initial(features)).mean(dim=1)
        return (hidden, features)

    def look(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.look(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self.look(tokens[:, t], hidden, features)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, 1), torch.stack(all_weights, 1)


# %% wrong: a padded word leaves the state alone
# Taken over from the encoder of chapter 02: where the token is padding, the old hidden state is kept.
# Promise: s_t = cell([embedding of the token; c_t], s_{t-1}) for the token that goes in. Shows for tokens with pad_id in them.

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

    def _advance(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        real = (token != self.embedding.padding_idx).unsqueeze(1)
        hidden = torch.where(real, new, hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self._advance(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            out, hidden, w = self._advance(tokens[:, t], hidden, features)
            logits.append(out)
            weights.append(w)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the picture is remembered in the module
# start puts the features on self, and step looks at those in place of the ones of its state.
# Promise: step works from the state it is given. Shows where start was called for another picture in between, or state[1] is another.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.features = features
        self.weights = []
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden = state[0]
        context, weights = self.attention(hidden, self.features, self.features)
        self.weights.append(weights)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits = []
        for t in range(tokens.shape[1]):
            out, state = self.step(tokens[:, t], state)
            logits.append(out)
        return torch.stack(logits, dim=1), torch.stack(self.weights, dim=1)


# %% correct: states first, all logits in one product

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        share = features.new_full((1, features.shape[1]), 1 / features.shape[1])
        glance = (share @ features).squeeze(1)
        return self.initial(glance).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        (before, context, after, _) = next(self._walk(self.embedding(token).unsqueeze(1), *state))
        return self.output(torch.cat((after, context), dim=1)), (after, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        steps = list(self._walk(self.embedding(tokens), *self.start(features)))
        contexts = torch.stack([context for _, context, _, _ in steps], dim=1)
        states = torch.stack([after for _, _, after, _ in steps], dim=1)
        weights = torch.stack([w for *_, w in steps], dim=1)
        return self.output(torch.cat((states, contexts), dim=2)), weights

    def _walk(self, embedded, hidden, features):
        for word in embedded.unbind(dim=1):
            before = hidden
            context, weights = self.attention(before, features, features)
            hidden = self.cell(torch.cat((word, context), dim=1), before)
            yield before, context, hidden, weights


# %% correct: recursion over the words, the output layer in two halves

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.sum(dim=1) / features.size(1))), features

    def _once(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        of_state, of_context = self.output.weight.split([hidden.size(1), context.size(1)], dim=1)
        logits = hidden @ of_state.T + context @ of_context.T + self.output.bias
        return logits, weights, hidden

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, hidden = self._once(token, state[0], state[1])
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        def rest(hidden, t):
            if t == tokens.size(1):
                return [], []
            logits, weights, hidden = self._once(tokens[:, t], hidden, features)
            later_logits, later_weights = rest(hidden, t + 1)
            return [logits.unsqueeze(1), *later_logits], [weights.unsqueeze(1), *later_weights]

        logits, weights = rest(self.start(features)[0], 0)
        return torch.cat(logits, dim=1), torch.cat(weights, dim=1)
