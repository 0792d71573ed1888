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
        return features.new_zeros(len(features), self.initial.out_features), features

# %% wrong: the first state is made from the sum of the cells
# The first hidden state is made from the sum of the cells, which grows with the picture. Take their mean.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features.sum(dim=1))), features

# %% wrong: the mean runs over the pictures of the batch
# Every picture of the batch starts from the same state: the mean ran over the batch too. Take it over the cells alone.

# --- before
        return torch.tanh(self.initial(features.mean(dim=1))), features
# --- after
        return torch.tanh(self.initial(features.mean(dim=0).mean(dim=0).expand(len(features), -1))), features

# %% wrong: the new state asks
# The cell moved before the attention was asked, so the new state asks. Here the order is Bahdanau's: the old state
# asks, and what it finds goes into the cell.

# --- before
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        mean = features.mean(dim=1)
        hidden = self.cell(torch.cat([self.embedding(token), mean], dim=1), hidden)
        context, weights = self.attention(hidden, features, features)

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

# --- before
        state = self.start(features)
# --- after
        hidden, _ = self.start(features)
        context, weights_t = self.attention(hidden, features, features)
# --- before
            logits_t, state, weights_t = self._advance(token, state)
# --- after
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits_t = self.output(torch.cat([hidden, context], dim=1))

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

# %% wrong: the logits went through a softmax
# What came back are probabilities. The loss takes logits, and makes its own softmax.

# --- before
            self.output(torch.cat([hidden, context], dim=1)),
# --- after
            torch.softmax(self.output(torch.cat([hidden, context], dim=1)), dim=1),

# %% wrong: time before the batch
# Logits and weights came back as (T, B, ...). Stack the steps along dim 1: batch first everywhere.

# --- before
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        return torch.stack(logits), torch.stack(weights)

# %% wrong: the words fed back are its own
# From the second step on `forward` fed in its own guess. In training the true words go in: use `tokens`.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in tokens.unbind(dim=1):  # T times (B,)
            token = token if not logits else logits[-1].argmax(dim=1)

# %% wrong: step gives the old state back
# `step` returned the state that it was given. The new hidden state goes back, with the features beside it.

# --- before
        logits, state, _ = self._advance(token, state)
# --- after
        logits, _, _ = self._advance(token, state)

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

# %% correct: one output layer at the end
# --- before
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, state, weights_t = self._advance(token, state)
            logits.append(logits_t)
            weights.append(weights_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        hidden, _ = self.start(features)
        read, weights = [], []
        for token in tokens.unbind(1):
            context, weights_t = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat((self.embedding(token), context), -1), hidden)
            read.append(torch.cat((hidden, context), -1))
            weights.append(weights_t)
        return self.output(torch.stack(read, 1)), torch.stack(weights, 1)

# %% correct: forward goes through step and asks for the weights again
# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, state, weights_t = self._advance(token, state)
            logits.append(logits_t)
            weights.append(weights_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        for token in tokens.T:
            weights.append(self.attention(state[0], state[1], state[1])[1])
            out, state = self.step(token, state)
            logits.append(out)
        return torch.stack(logits).transpose(0, 1), torch.stack(weights).transpose(0, 1)

# %% correct: torch's own cell
# --- before
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
# --- after
        self.cell = nn.GRUCell(embedding_size + d_model, hidden_size)

# %% correct: results written into their places
# --- before
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, state, weights_t = self._advance(token, state)
            logits.append(logits_t)
            weights.append(weights_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        logits = features.new_zeros(*tokens.shape, self.output.out_features)
        weights = features.new_zeros(*tokens.shape, features.shape[1])
        for t in range(tokens.shape[1]):
            logits[:, t], state, weights[:, t] = self._advance(tokens[:, t], state)
        return logits, weights

# %% correct: the mask given as all True
# --- before
        context, weights = self.attention(hidden, features, features)
# --- after
        everywhere = features.new_ones(features.shape[:2], dtype=torch.bool)
        context, weights = self.attention(hidden, features, features, everywhere)
