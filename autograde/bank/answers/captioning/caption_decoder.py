# %% wrong: the first state has no tanh
# The first hidden state is not between -1 and 1, where a GRU's states live: the tanh round `initial` is missing.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return self.initial(features.mean(dim=1)), features

# %% wrong: the first state is zeros
# The first hidden state is zeros, whatever the picture. It is made from the mean of the cells by `initial`, so that
# the first question can depend on the picture.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.zeros(len(features), self.initial.out_features), features

# %% wrong: the first state is made from the first cell
# The first hidden state knows the top left cell alone. It is made from the mean over all cells.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features[:, 0])), features

# %% wrong: the first state is made from the largest features
# The first hidden state is made from the maximum over the cells; the docstring says the mean.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features.amax(dim=1))), features

# %% wrong: the first state is made from the sum of the cells
# The first hidden state is made from the sum of the cells, which grows with the picture. Take their mean.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features.sum(dim=1))), features

# %% wrong: the mean runs over the pictures of the batch
# Every picture of the batch starts from the same state: the mean ran over the batch too. Each picture has its own.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features.mean(dim=0).mean(dim=0).expand(len(features), -1))), features

# %% wrong: the new state asks
# The cell moved before the attention was asked, so the new state asks. Here the order is Bahdanau's: the old state
# asks, and what it finds goes into the cell.

# --- before
        hidden, features = state
# --- after
        hidden, features = state
        mean = features.mean(dim=1)
        hidden = self.cell(torch.cat([self.embedding(token), mean], dim=1), hidden)
# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after

# %% wrong: every cell counts the same
# The weights are right and nothing is done with them: the context is the plain mean of the cells. Use what the
# attention returns.

# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        context, weights = self.attention(hidden, features, features)
        context = features.mean(dim=1)

# %% wrong: the picture is looked at once
# In `forward` the attention is asked once, before the loop, so all words get the same context: that is one vector
# again. Ask inside the loop, with the state of that step.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features):
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token, state):
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features, tokens):
        hidden, _ = self.start(features)
        context, weights = self.attention(hidden, features, features)
        logits = []
        for token in tokens.unbind(dim=1):
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), weights.unsqueeze(1).expand(-1, tokens.shape[1], -1)

# %% wrong: the hidden state is not carried on
# In `forward` every step starts from the first state, so the decoder never knows what it has written. Keep the state
# that a step returns for the next one.

# --- before
            logits_t, state, weights_t = self._advance(token, state)
# --- after
            logits_t, _, weights_t = self._advance(token, state)

# %% wrong: the context before the embedding
# The cell gets [context; embedding]. The two are as wide together in either order, so nothing complains. The docstring
# wants the embedding first.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)

# %% wrong: the context before the state
# `output` gets [context; state]. The two are as wide together in either order, so nothing complains. The docstring
# wants the state first.

# --- before
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights
# --- after
        return self.output(torch.cat([context, hidden], dim=1)), (hidden, features), weights

# %% wrong: the old state writes
# The logits were made from the state that came in. The new state, which has read the word and the context, writes.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights
# --- after
        old, hidden = hidden, self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([old, context], dim=1)), (hidden, features), weights

# %% wrong: the logits went through a softmax
# What came back are probabilities. The loss takes logits, and makes its own softmax.

# --- before
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights
# --- after
        return torch.softmax(self.output(torch.cat([hidden, context], dim=1)), dim=1), (hidden, features), weights

# %% wrong: time before the batch
# Logits and weights came back as (T, B, ...). Stack the steps along dim 1: batch first everywhere.

# --- before
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        return torch.stack(logits), torch.stack(weights)

# %% wrong: weights before logits
# `forward` returned the weights first. Output first, weights second, all through the course.

# --- before
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        return torch.stack(weights, dim=1), torch.stack(logits, dim=1)

# %% wrong: the words fed back are its own
# From the second step on `forward` fed in its own guess. In training the true words go in: use `tokens`.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in tokens.unbind(dim=1):  # T times (B,)
            token = token if not logits else logits[-1].argmax(dim=1)

# %% wrong: the state comes back in the other order
# `step` returned (features, hidden). The state is (hidden, features), as `start` makes it.

# --- before
        hidden, features = state
# --- after
        features, hidden = state if state[0].ndim == 3 else state[::-1]
# --- before
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights
# --- after
        return self.output(torch.cat([hidden, context], dim=1)), (features, hidden), weights

# %% wrong: the picture fades
# The features that come back are not those that went in. Of the state only the hidden part is new.

# --- before
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights
# --- after
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features * (1 - weights.unsqueeze(2))), weights

# %% wrong: the weights do not let the gradient through
# The numbers are right and the gradients are not: the context was cut off from what it was made of, so the attention
# would learn nothing.

# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        context, weights = self.attention(hidden, features, features)
        context = context.detach()

# %% wrong: the attention is never asked
# Every cell has the same weight at every step: the attention is never asked.

# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        context = features.mean(dim=1)
        weights = torch.full(features.shape[:2], 1 / features.shape[1])

# %% wrong: the tanh before the mean
# Each cell went through `initial` and tanh, and then the mean was taken. Take the mean of the cells first.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features)).mean(dim=1), features

# %% wrong: the tanh inside
# The tanh was taken of the mean, before `initial`. It goes round what `initial` gives.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return self.initial(torch.tanh(features.mean(dim=1))), features

# %% wrong: the first state is made from the last cell
# The first hidden state knows the bottom right cell alone. It is made from the mean over all cells.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features[:, -1])), features

# %% wrong: start gives the hidden state alone
# `start` returned the hidden state alone. The state is a pair: the features stay in it, since `step` has to look at
# them.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features.mean(dim=1)))
# --- before
        state = self.start(features)
# --- after
        state = self.start(features), features

# %% wrong: step gives the hidden state alone
# `step` returned the hidden state in the place of the pair (hidden, features), so the next step has nothing to look
# at.

# --- before
        return logits, state
# --- after
        return logits, state[0]

# %% wrong: step gives the old state back
# `step` returned the state that it was given. The new hidden state goes back, with the features beside it.

# --- before
        logits, state, _ = self._advance(token, state)
# --- after
        logits, _, _ = self._advance(token, state)

# %% wrong: step gives the weights too
# `step` returned three things. It gives logits and state; the weights are for `forward` to collect.

# --- before
        logits, state, _ = self._advance(token, state)
        return logits, state
# --- after
        return self._advance(token, state)

# %% wrong: forward gives the logits alone
# `forward` returned the logits alone. The weights (B, T, N) come back beside them.

# --- before
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        return torch.stack(logits, dim=1)

# %% wrong: the weights of the next question
# The logits are right, and the weights are one step late: the new state was asked for them. A word's weights are those
# that its context was made with.

# --- before
            weights.append(weights_t)
# --- after
            weights.append(self.attention(state[0], *[features] * 2)[1])

# %% wrong: a second look for the output
# The attention was asked a second time, by the new state, and the output layer got that context. One step looks once:
# the same context goes into the cell and into the output layer.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, _ = self.attention(hidden, features, features)

# %% wrong: the words are shifted once more
# `forward` moved the words one place later. They come in shifted already: feed them in as they are.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in nn.functional.pad(tokens[:, :-1], (1, 0), value=1).unbind(dim=1):  # T times (B,)

# %% wrong: the past is cut off from the gradient
# The numbers are right and the gradients are not: the old hidden state was detached, so no step learns what would have
# helped a later one.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden.detach())

# %% wrong: the weights come back detached
# The weights that come back carry no gradient. Return them as the attention gave them: whoever wants to train the
# looks, or plot them, decides.

# --- before
            weights.append(weights_t)
# --- after
            weights.append(weights_t.detach())

# %% wrong: padding moves nothing
# At a padding token the hidden state was kept. Here padding is a token like any other: the loss leaves it out.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        old, hidden = hidden, self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        hidden = torch.where((token == self.embedding.padding_idx).unsqueeze(1), old, hidden)

# %% wrong: cells of zeros are masked
# Cells whose features are all zero got no weight. After a ReLU such cells are nothing unusual: there is no mask here.

# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        context, weights = self.attention(hidden, features, features, (features != 0).any(dim=2))

# %% wrong: dropout nobody asked for
# In training some of the features are missing: that is dropout, and the docstring has none.

# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        seen = nn.functional.dropout(features, 0.3, self.training)
        context, weights = self.attention(hidden, seen, seen)

# %% correct: forward calls the attention itself, one output layer at the end

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features):
        return self.initial(features.mean(1)).tanh(), features

    def _move(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        return self.cell(torch.cat((self.embedding(token), context), -1), hidden), context, weights

    def step(self, token, state):
        hidden, context, _ = self._move(token, *state)
        return self.output(torch.cat((hidden, context), -1)), (hidden, state[1])

    def forward(self, features, tokens):
        hidden, _ = self.start(features)
        seen, looked = [], []
        for t in range(tokens.shape[1]):
            hidden, context, weights = self._move(tokens[:, t], hidden, features)
            seen.append(torch.cat((hidden, context), -1))
            looked.append(weights)
        return self.output(torch.stack(seen, 1)), torch.stack(looked, 1)

# %% correct: forward goes through step and asks for the weights again

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features):
        pooled = features.sum(dim=1) / features.shape[1]
        return torch.tanh(self.initial(pooled)), features

    def step(self, token, state):
        hidden, features = state
        context = self.attention(hidden, features, features)[0]
        new = self.cell(torch.cat([self.embedding(token), context], 1), hidden)
        return self.output(torch.cat([new, context], 1)), (new, features)

    def forward(self, features, tokens):
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.T:
            weights.append(self.attention(state[0], state[1], state[1])[1])
            out, state = self.step(token, state)
            logits.append(out)
        return torch.stack(logits).transpose(0, 1), torch.stack(weights).transpose(0, 1)

# %% correct: all embeddings at once, filled into tensors

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features):
        return torch.tanh(self.initial(torch.einsum("bnd->bd", features) / features.shape[1])), features

    def step(self, token, state):
        logits, hidden, _ = self._once(self.embedding(token), *state)
        return logits, (hidden, state[1])

    def _once(self, word, hidden, features):
        context, weights = self.attention(query=hidden, keys=features, values=features)
        hidden = self.cell(torch.cat([word, context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(self, features, tokens):
        words = self.embedding(tokens)
        hidden = self.start(features)[0]
        steps = []
        for t in range(words.shape[1]):
            logits, hidden, weights = self._once(words[:, t], hidden, features)
            steps.append((logits, weights))
        logits, weights = zip(*steps)
        return torch.stack(logits, 1), torch.stack(weights, 1)

# %% correct: torch's own cell

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = nn.GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features):
        return torch.tanh(self.initial(features.mean(-2))), features

    def step(self, token, state):
        return self._look_and_write(token, state)[:2]

    def _look_and_write(self, token, state):
        s, cells = state
        c, w = self.attention(s, cells, cells)
        s = self.cell(torch.cat([self.embedding(token), c], 1), s)
        return self.output(torch.cat([s, c], 1)), (s, cells), w

    def forward(self, features, tokens):
        state, rows = self.start(features), []
        for token in tokens.unbind(1):
            y, state, w = self._look_and_write(token, state)
            rows.append((y, w))
        return tuple(torch.stack(column, 1) for column in zip(*rows))

# %% correct: lists for pairs, and results written into their places

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features):
        return [self.initial(features.mean(1)).tanh(), features]

    def step(self, token, state):
        hidden, features = state
        _, weights = self.attention(hidden, features, features)
        context = (weights[:, None] @ features)[:, 0]
        hidden = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        return [self.output(torch.hstack([hidden, context])), [hidden, features]]

    def forward(self, features, tokens):
        state = self.start(features)
        logits = features.new_zeros(*tokens.shape, self.output.out_features)
        weights = features.new_zeros(*tokens.shape, features.shape[1])
        for t in range(tokens.shape[1]):
            weights[:, t] = self.attention(state[0], features, features)[1]
            logits[:, t], state = self.step(tokens[:, t], state)
        return logits, weights

# %% correct: the mask given as all True

# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        everywhere = torch.ones(features.shape[:2], dtype=torch.bool)
        context, weights = self.attention(hidden, features, features, everywhere)
