# %% wrong: `step` squeezes every axis of one
# A bare squeeze() removes every axis of size one: with a single sentence the batch's axis too. Squeeze the axis of time
# alone, by its number.

# --- before
        return logits.squeeze(1), (hidden, context)
# --- after
        return logits.squeeze(), (hidden, context)

# %% wrong: the input is not shifted
# The token to be predicted goes in with the question. Training would drive the loss to nothing and teach the model
# nothing. Put bos_id in front and leave the last target out.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = targets

# %% wrong: the input is shifted twice
# Each true token arrives one step late. Put one bos_id in front, not two.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = torch.cat([begin, begin, targets[:, :-2]], dim=1)

# %% wrong: the shift wraps the last target to the front
# The last target stands at step 0, where bos_id belongs: `roll` wraps around, so the first logits know how the sentence
# ends. Put bos_id there.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = targets.roll(1, dims=1)

# %% wrong: the begin token is written down as 1
# Step 0 is fed with token 1 whatever bos_id the model was built with. Use the model's own.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
# --- after
        begin = torch.ones_like(targets[:, :1])

# %% wrong: the context does not reach the GRU
# The GRU sees the source only through its first state. Its input at every step is the token's embedding joined with
# the context.

# --- before
            torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0)
# --- after
            torch.cat([self.embedding(tokens), torch.zeros_like(repeated)], dim=2), hidden.unsqueeze(0)

# %% wrong: the context does not reach the output
# The logits do not look at the context themselves. They are made of the state joined with the context.

# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        return self.output(torch.cat([states, torch.zeros_like(repeated)], dim=2)), last.squeeze(0)

# %% wrong: decode and start begin with a state of zeros
# Both ways of decoding begin with a hidden state of zeros. They agree with each other and not with the docstring: the
# vector is the first hidden state too.

# --- before
        logits, _ = self.decoder(tokens, vector, vector)
# --- after
        logits, _ = self.decoder(tokens, torch.zeros_like(vector), vector)
# --- before
        return vector, vector
# --- after
        return torch.zeros_like(vector), vector

# %% wrong: the decoder starts its GRU from zeros
# The hidden state that is handed in has no effect: without a second argument the GRU starts from zeros. In single
# steps it then forgets everything it has written.

# --- before
            torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0)
# --- after
            torch.cat([self.embedding(tokens), repeated], dim=2)

# %% wrong: the context comes first in both places
# In both places the context comes first. The docstring has it second: embedding and context, state and context. A
# network trained your way would do as well, but weights loaded from another would not fit it.

# --- before
        states, last = self.gru(
            torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0)
        )
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        states, last = self.gru(torch.cat([repeated, self.embedding(tokens)], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([repeated, states], dim=2)), last.squeeze(0)

# %% wrong: the repeated context mixes the sentences
# The shape is right and the rows are not: the copies were laid one batch after the other and then cut as if they lay
# sentence by sentence. Give the context a time axis first, then repeat along it.

# --- before
        repeated = context.unsqueeze(1).expand(-1, length, -1)  # (B, H) -> (B, T, H)
# --- after
        repeated = context.repeat(length, 1).view(batch, length, -1)  # (B, H) -> (B, T, H)

# %% wrong: the context is replaced while decoding
# After a step the context is the newest hidden state. The context is the source's vector and stays the same to the
# end; only the hidden state moves.

# --- before
        return logits.squeeze(1), (hidden, context)
# --- after
        return logits.squeeze(1), (hidden, hidden)

# %% wrong: a step hands the old state on
# The state after a step is the state before it, so every step starts at the beginning. Return the decoder's new hidden
# state.

# --- before
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
# --- after
        logits, _ = self.decoder(token.unsqueeze(1), hidden, context)

# %% wrong: no guard
# What comes back is right, but the stub's first lines are gone, which raise ValueError for a hidden state or a context
# of another shape. Put them back.

# --- before
        if hidden.shape != wanted or context.shape != wanted:
# --- after
        if False:

# %% wrong: the context is kept on the model
# The context of the last `start` was used for every state. Several sentences may be in progress at once: take the
# context from the state.

# --- before
        return vector, vector
# --- after
        self.context = vector
        return vector, vector
# --- before
        hidden, context = state
# --- after
        hidden, context = state[0], getattr(self, "context", state[1])

# %% correct: roll, then overwrite the first column
# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id

# %% correct: the decoder as a loop of single steps
# --- before
        repeated = context.unsqueeze(1).expand(-1, length, -1)  # (B, H) -> (B, T, H)
        states, last = self.gru(
            torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0)
        )
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        logits = []
        for t in range(length):
            x = torch.cat([self.embedding(tokens[:, t]), context], dim=1)
            _, last = self.gru(x.unsqueeze(1), hidden.unsqueeze(0))
            hidden = last[0]
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), hidden

# %% correct: padding the targets on the left
# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = F.pad(targets, (1, 0), value=self.bos_id)[:, :-1]

# %% correct: the whole forward pass as single steps
# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
        logits, _ = self.decoder(tokens, vector, vector)
        return logits
# --- after
        state, token = (vector, vector), torch.full_like(targets[:, 0], self.bos_id)
        columns = []
        for t in range(targets.shape[1]):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = targets[:, t]
        return torch.stack(columns, dim=1)

# %% correct: the output layer as two products
# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        from_state, from_context = self.output.weight.chunk(2, dim=1)
        logits = states @ from_state.T + (context @ from_context.T + self.output.bias).unsqueeze(1)
        return logits, states[:, -1]
