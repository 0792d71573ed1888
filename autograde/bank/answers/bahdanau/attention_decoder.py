# %% wrong: the new state asks
# The weights and the output's context come from the state after the cell. That is Luong's order; Bahdanau asks with
# the old state, once, and uses that context twice. See section 2.5.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)

# %% wrong: one context for the whole sentence
# The attention is asked once, before the loop, or always with the first state, which makes it chapter 01's fixed vector
# again. Ask inside the loop, with the state of the step before. See section 2.5.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, hidden, alpha_t = self._advance(token, hidden, keys, values, mask)
# --- after
        first = self.attention(hidden, keys, values, mask)
        for token in tokens.unbind(dim=1):  # T times (B,)
            context, alpha_t = first
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits_t = self.output(torch.cat([hidden, context], dim=1))

# %% wrong: every step starts from the first state
# The hidden state was not carried from one step to the next, so every step asks the same question. Keep what the cell
# returns.

# --- before
            logits_t, hidden, alpha_t = self._advance(token, hidden, keys, values, mask)
# --- after
            logits_t, _, alpha_t = self._advance(token, hidden, keys, values, mask)

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

# %% wrong: embedding and context in the other order
# The cell's input is [embedding; context], in this order, or weights that were trained elsewhere do not fit.

# --- before
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
# --- after
        hidden = self.cell(torch.cat([context, self.embedding(token)], dim=1), hidden)

# %% wrong: the mask is lost
# The attention looks at padding: the mask never reached it. Pass the mask at every step.

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

# %% wrong: the tokens are shifted once more
# The tokens that came in were moved one place to the right, but they had been shifted by the caller already. Feed
# token t at step t.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in torch.cat([tokens[:, :1], tokens[:, :-1]], dim=1).unbind(dim=1):  # T times (B,)

# %% wrong: the decoder's own word goes in
# From the second step on, the most probable word of the step before went in. That is how a sentence is written;
# forward is for training, and feeds the tokens it was given.

# --- before
        for token in tokens.unbind(dim=1):  # T times (B,)
# --- after
        for token in tokens.unbind(dim=1):  # T times (B,)
            token = logits[-1].argmax(dim=1) if logits else token

# %% wrong: the hidden state is kept for the next sentence
# A second batch started from the state in which the first one ended, because it was kept on the module. Start from the
# hidden state that is given, every time.

# --- before
        logits, weights = [], []
# --- after
        logits, weights = [], []
        hidden = getattr(self, '_h', hidden)
# --- before
            weights.append(alpha_t)
# --- after
            weights.append(alpha_t)
        self._h = hidden.detach()

# %% correct: torch's own cell
# --- before
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
# --- after
        self.cell = nn.GRUCell(embedding_size + d_value, hidden_size)

# %% correct: forward by way of step, which asks twice
# --- before
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, hidden, alpha_t = self._advance(token, hidden, keys, values, mask)
            logits.append(logits_t)
            weights.append(alpha_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        state, logits, weights = (hidden, keys, values, mask), [], []
        for token in tokens.T:
            weights.append(self.attention(*state)[1])
            column, state = self.step(token, state)
            logits.append(column)
        return torch.stack(logits, 1), torch.stack(weights, 1)

# %% correct: results written into their places
# --- before
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, hidden, alpha_t = self._advance(token, hidden, keys, values, mask)
            logits.append(logits_t)
            weights.append(alpha_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        B, T = tokens.shape
        logits = hidden.new_zeros(B, T, self.output.out_features)
        weights = hidden.new_zeros(B, T, keys.shape[1])
        for t in range(T):
            logits[:, t], hidden, weights[:, t] = self._advance(tokens[:, t], hidden, keys, values, mask)
        return logits, weights

# %% correct: the output's two halves apart
# --- before
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights
# --- after
        H = hidden.shape[1]
        logits = hidden @ self.output.weight[:, :H].T + context @ self.output.weight[:, H:].T + self.output.bias
        return logits, hidden, weights

# %% correct: by recursion over the tokens
# --- before
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, hidden, alpha_t = self._advance(token, hidden, keys, values, mask)
            logits.append(logits_t)
            weights.append(alpha_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
# --- after
        logits, hidden, weights = self._advance(tokens[:, 0], hidden, keys, values, mask)
        logits, weights = logits.unsqueeze(1), weights.unsqueeze(1)
        if tokens.shape[1] == 1:
            return logits, weights
        later = self(tokens[:, 1:], hidden, keys, values, mask)
        return torch.cat([logits, later[0]], 1), torch.cat([weights, later[1]], 1)
