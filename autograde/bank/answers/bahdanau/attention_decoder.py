# %% wrong: the new state asks
# The weights and the output's context come from the state after the cell. That is Luong's order; Bahdanau asks with
# the old state, once, and uses that context twice. See section 2.5.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            logits_t, hidden, weights_t = self.advance(token, hidden, keys, values, mask)
            logits.append(logits_t)
            weights.append(weights_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token, state):
        hidden, keys, values, mask = state
        logits, hidden, _ = self.advance(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def advance(self, token, hidden, keys, values, mask):
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

# %% wrong: one context for the whole sentence
# The attention was asked once, before the loop, which makes it chapter 01's fixed vector again. Ask inside the loop.
# See section 2.5.

# --- before
        logits, weights = [], []
# --- after
        logits, weights = [], []
        first = self.attention(hidden, keys, values, mask)
# --- before
            logits_t, hidden, weights_t = self._advance(token, hidden, keys, values, mask)
# --- after
            context, weights_t = first
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits_t = self.output(torch.cat([hidden, context], dim=1))

# %% wrong: every step starts from the first state
# The hidden state was not carried from one step to the next, so every step asks the same question. Keep what the cell
# returns.

# --- before
            logits_t, hidden, weights_t = self._advance(token, hidden, keys, values, mask)
# --- after
            logits_t, _, weights_t = self._advance(token, hidden, keys, values, mask)

# %% wrong: the context does not reach the cell
# The cell never sees what the attention found. Its input is the token's embedding and the context, side by side.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([self.embedding(token), torch.zeros_like(context)], dim=1), hidden)

# %% wrong: the context does not reach the output
# The logits are made without the context. The output reads the new state and the context, side by side.

# --- before
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights
# --- after
        return self.output(torch.cat([hidden, torch.zeros_like(context)], dim=1)), hidden, weights

# %% wrong: the output reads the old state
# The logits were made with the state before the cell, so the token that just went in is not in them. Use the new state
# for the output.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights
# --- after
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), new, weights

# %% wrong: embedding and context in the other order
# The cell's input is [embedding; context], in this order, or weights that were trained elsewhere do not fit.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)

# %% wrong: state and context in the other order
# The output's input is [state; context], in this order, or weights that were trained elsewhere do not fit.

# --- before
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights
# --- after
        return self.output(torch.cat([context, hidden], dim=1)), hidden, weights

# %% wrong: the mask is lost
# The attention looks at padding: the mask was not handed on to it. Hand it on at every step.

# --- before
        context, weights = self.attention(hidden, keys, values, mask)
# --- after
        context, weights = self.attention(hidden, keys, values)

# %% wrong: step forgets the mask
# Only forward uses the mask: `step`, with which sentences are written, lets the attention look at padding. It is the
# fourth thing in the state.

# --- before
        logits, hidden, _ = self._advance(token, hidden, keys, values, mask)
# --- after
        logits, hidden, _ = self._advance(token, hidden, keys, values, None)

# %% wrong: step returns the old state
# `step` gave back the hidden state it was given, so greedy decoding would write one word for ever. Return the new one.

# --- before
        logits, hidden, _ = self._advance(token, hidden, keys, values, mask)
# --- after
        logits, _, _ = self._advance(token, hidden, keys, values, mask)

# %% wrong: the attention gets the values as keys
# The scores are made from the values. The attention takes keys and values apart: hand on both.

# --- before
        context, weights = self.attention(hidden, keys, values, mask)
# --- after
        context, weights = self.attention(hidden, values, values, mask)

# %% wrong: the weights carry no gradient
# Nothing is learned about where to look: the gradient stops before the scores. Leave detach out; an optimiser needs
# the whole path.

# --- before
        context, weights = self.attention(hidden, keys, values, mask)
# --- after
        weights = self.attention(hidden, keys, values, mask)[1].detach()
        context = torch.einsum('bs,bsd->bd', weights, values)

# %% wrong: the tokens are shifted once more
# The tokens that came in were moved one place to the right, but they had been shifted by the caller already. Feed
# token t at step t.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in torch.cat([tokens[:, :1], tokens[:, :-1]], dim=1).unbind(dim=1):  # T times (B,)

# %% wrong: the new state asks, after a cell without a context
# The cell ran first, without a context, and its new state asked. That is Luong's order; in Bahdanau's the old state
# asks, and what it finds goes into the cell. See section 2.5.

# --- before
    def _advance(self, token, hidden, keys, values, mask):
# --- after
    def _advance(self, token, hidden, keys, values, mask):
        nothing = values.new_zeros(len(values), values.shape[2])
        hidden = self.cell(torch.cat([self.embedding(token), nothing], dim=1), hidden)
# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after

# %% wrong: the output's context is the new state's
# The attention was asked a second time, with the new state, and the output read what it found then. One context a
# step: the old state's, for the cell and for the output.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context = self.attention(hidden, keys, values, mask)[0]

# %% wrong: the attention gets the keys as values
# The context was made from the keys, which need not be as wide as the values: the cell's input does not fit. The
# attention takes keys and values apart: hand on both.

# --- before
        context, weights = self.attention(hidden, keys, values, mask)
# --- after
        context, weights = self.attention(hidden, keys, keys, mask)

# %% wrong: the decoder's own word goes in
# From the second step on, the most probable word of the step before went in. That is how a sentence is written;
# forward is for training, and feeds the tokens it was given.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in tokens.unbind(dim=1):  # T times (B,)
            token = logits[-1].argmax(dim=1) if logits else token

# %% wrong: the tokens are shifted behind a begin token again
# The tokens that came in were shifted behind a begin token, but the caller has done that already: the docstring says
# so. Feed token t at step t.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in torch.cat([torch.ones_like(tokens[:, :1]), tokens[:, :-1]], dim=1).unbind(dim=1):  # T times (B,)

# %% wrong: the cell does not get the state
# Your cell was called with its input alone. It needs the old hidden state as well, as its second argument.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1))

# %% wrong: the hidden state is kept for the next sentence
# A second batch started from the state in which the first one ended, because it was kept on the module. Start from the
# hidden state that is given, every time.

# --- before
        logits, weights = [], []
# --- after
        logits, weights = [], []
        hidden = getattr(self, '_h', hidden)
# --- before
            weights.append(weights_t)
# --- after
            weights.append(weights_t)
        self._h = hidden.detach()

# %% wrong: step returns the hidden state alone
# `step` gave back the hidden state alone, and the next step cannot take keys, values and mask out of it. Return all
# four, as they came in, with the new hidden state in front.

# --- before
        return logits, (hidden, keys, values, mask)
# --- after
        return logits, hidden

# %% wrong: step returns probabilities
# `step` gave probabilities, and logits are asked for: the caller takes the softmax, or the largest. Leave the softmax
# out.

# --- before
        return logits, (hidden, keys, values, mask)
# --- after
        return torch.softmax(logits, dim=1), (hidden, keys, values, mask)

# %% wrong: step returns the word
# `step` gave the most probable word, and logits are asked for: greedy_decode chooses the word itself. Leave the argmax
# out.

# --- before
        return logits, (hidden, keys, values, mask)
# --- after
        return logits.argmax(dim=1), (hidden, keys, values, mask)

# %% wrong: the tokens are shifted behind padding again
# The tokens that came in were moved one place to the right, but the caller has done that already: the docstring says
# so. Feed token t at step t.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in torch.cat([torch.zeros_like(tokens[:, :1]), tokens[:, :-1]], dim=1).unbind(dim=1):  # T times (B,)

# %% correct: torch's own cell, the output after the loop

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = nn.GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        embedded, states, contexts, weights = self.embedding(tokens), [], [], []
        for t in range(tokens.shape[1]):
            context, w = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], -1), hidden)
            states.append(hidden)
            contexts.append(context)
            weights.append(w)
        read = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1)], dim=2)
        return self.output(read), torch.stack(weights, 1)

    def step(self, token, state):
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], -1), hidden)
        return self.output(torch.cat([hidden, context], -1)), (hidden, keys, values, mask)

# %% correct: forward by way of step, which asks twice

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        state, logits, weights = (hidden, keys, values, mask), [], []
        for token in tokens.T:
            weights.append(self.attention(*state)[1])
            column, state = self.step(token, state)
            logits.append(column)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token, state):
        context = self.attention(*state)[0]
        hidden = self.cell(torch.cat((self.embedding(token), context), 1), state[0])
        return self.output(torch.cat((hidden, context), 1)), (hidden, *state[1:])

# %% correct: step by way of forward

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        logits, weights, _ = self.run(tokens, hidden, keys, values, mask)
        return logits, weights

    def step(self, token, state):
        logits, _, hidden = self.run(token.unsqueeze(1), *state)
        return logits.squeeze(1), (hidden,) + tuple(state)[1:]

    def run(self, tokens, hidden, keys, values, mask):
        B, T = tokens.shape
        logits = hidden.new_zeros(B, T, self.output.out_features)
        weights = hidden.new_zeros(B, T, keys.shape[1])
        for t in range(T):
            context, weights[:, t] = self.attention(query=hidden, keys=keys, values=values, mask=mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits[:, t] = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, hidden

# %% correct: the output's two halves apart

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        results = []
        for t in range(tokens.size(1)):
            logits, hidden, weights = self.one(tokens[:, t], hidden, keys, values, mask)
            results.append((logits, weights))
        return tuple(torch.stack(column, dim=1) for column in zip(*results))

    def step(self, token, state):
        logits, hidden, _ = self.one(token, *state)
        return logits, (hidden, state[1], state[2], state[3])

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        H = hidden.shape[1]
        logits = hidden @ self.output.weight[:, :H].T + context @ self.output.weight[:, H:].T + self.output.bias
        return logits, hidden, weights

# %% correct: by recursion over the tokens

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(tokens[:, 0]), context], 1), hidden)
        logits, weights = self.output(torch.cat([hidden, context], 1)).unsqueeze(1), weights.unsqueeze(1)
        if tokens.shape[1] == 1:
            return logits, weights
        later = self(tokens[:, 1:], hidden, keys, values, mask)
        return torch.cat([logits, later[0]], 1), torch.cat([weights, later[1]], 1)

    def step(self, token, state):
        hidden, keys, values, mask = state
        context = self.attention(hidden, keys, values, mask)[0]
        new = self.cell(torch.cat([self.embedding(token), context], 1), hidden)
        return self.output(torch.cat([new, context], 1)), (new, keys, values, mask)
