# %% wrong: the input is not shifted
# The token to be predicted goes in with the question. Training would drive the loss to nothing and teach the model
# nothing. Put bos_id in front and leave the last target out.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = targets  # (B, T), the last target never goes in

# %% wrong: the input is shifted twice
# Each true token arrives one step late. Only one bos_id stands in front.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = torch.cat([begin, begin, targets[:, :-2]], dim=1)  # (B, T), the last target never goes in

# %% wrong: the input is shifted the other way
# What goes in at step t is the token AFTER the one to predict. Shift right, not left.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = torch.cat([targets[:, 1:], begin], dim=1)  # (B, T), the last target never goes in

# %% wrong: the shift wraps the last target to the front
# The last target stands at step 0, where bos_id belongs: `roll` wraps around. The first logits know how the sentence
# ends.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = targets.roll(1, dims=1)  # (B, T), the last target never goes in

# %% wrong: the begin token is written down as 1
# Step 0 is fed with token 1 whatever bos_id the model was built with. Use the model's own.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
# --- after
        begin = torch.ones_like(targets[:, :1])

# %% wrong: the caller's targets are shifted in place
# The logits are right, but the caller's own tensor has been shifted, and the loss that is computed from it next
# compares with the wrong tokens. Build a new tensor for what goes in.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, 0] = self.bos_id
        tokens = targets  # (B, T), the last target never goes in

# %% wrong: the last target goes in too
# One step too many comes back: bos_id stands in front and all the targets behind it. The last target is only ever an
# answer and never goes in.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = torch.cat([begin, targets], dim=1)  # (B, T), the last target never goes in

# %% wrong: it begins with padding instead of bos_id
# Step 0 is fed with token 0, the padding, not with bos_id. In use it will be fed with bos_id, which it has never seen.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
# --- after
        begin = torch.zeros_like(targets[:, :1])

# %% wrong: the context does not reach the GRU
# The GRU sees the source only through its first state. Its input at every step is the token's embedding joined with
# the context.

# --- before
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
# --- after
        states, last = self.gru(torch.cat([self.embedding(tokens), torch.zeros_like(repeated)], dim=2), hidden.unsqueeze(0))

# %% wrong: the context does not reach the output
# The logits do not look at the context themselves. They are made of the state joined with the context.

# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        return self.output(torch.cat([states, torch.zeros_like(repeated)], dim=2)), last.squeeze(0)

# %% wrong: the context comes before the embedding
# Embedding and context are joined in the other order than the docstring gives: embedding first.

# --- before
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
# --- after
        states, last = self.gru(torch.cat([repeated, self.embedding(tokens)], dim=2), hidden.unsqueeze(0))

# %% wrong: decode hands the decoder a state of zeros
# decode starts the decoder from zeros. The vector has two parts to play, that of the context and that of the first
# hidden state.

# --- before
        logits, _ = self.decoder(tokens, vector, vector)
# --- after
        logits, _ = self.decoder(tokens, torch.zeros_like(vector), vector)

# %% wrong: start hands out a state of zeros
# The state that start hands out has zeros for its hidden half. The vector is both the first hidden state and the
# context.

# --- before
        return vector, vector
# --- after
        return torch.zeros_like(vector), vector

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
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
# --- after
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2))

# %% wrong: the context comes before the state in the output
# State and context are joined in the other order than the docstring gives: for the logits the state comes first.

# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        return self.output(torch.cat([repeated, states], dim=2)), last.squeeze(0)

# %% wrong: the context comes first in both places
# Both times the context is laid in front. The docstring has it behind: embedding and context, state and context. A
# network trained so would do as well; weights loaded from another would not fit.

# --- before
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        states, last = self.gru(torch.cat([repeated, self.embedding(tokens)], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([repeated, states], dim=2)), last.squeeze(0)

# %% wrong: the hidden state stands where the context belongs
# What is laid beside every token is the first hidden state. In decode the two are the same vector, so nothing shows
# there; in single steps the hidden state moves on and the context must not.

# --- before
        repeated = context.unsqueeze(1).expand(-1, length, -1)  # (B, H) -> (B, T, H)
# --- after
        repeated = hidden.unsqueeze(1).expand(-1, length, -1)  # (B, H) -> (B, T, H)

# %% wrong: the repeated context mixes the sentences
# The shape is right and the rows are not: the copies were laid one batch after the other and then cut as if they lay
# sentence by sentence. Give the context a time axis first, then repeat along it.

# --- before
        repeated = context.unsqueeze(1).expand(-1, length, -1)  # (B, H) -> (B, T, H)
# --- after
        repeated = context.repeat(length, 1).view(batch, length, -1)  # (B, H) -> (B, T, H)

# %% wrong: the last state keeps the GRU's layer axis
# The hidden state comes back as torch's GRU has it, (1, B, H), and the next single step refuses it. Take the first
# axis away.

# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        return self.output(torch.cat([states, repeated], dim=2)), last

# %% wrong: a step keeps the time axis
# A single step gives logits (B, 1, V). The axis that was added on the way in has to be taken away on the way out.

# --- before
        return logits.squeeze(1), (hidden, context)
# --- after
        return logits, (hidden, context)

# %% wrong: the context is replaced while decoding
# After a step the context is the newest hidden state. The context is the source's vector and stays the same to the
# end; only the hidden state moves.

# --- before
        return logits.squeeze(1), (hidden, context)
# --- after
        return logits.squeeze(1), (hidden, hidden)

# %% wrong: a step hands the old state on
# The state after a step is the state before it, so every step starts at the beginning. Hand the decoder's new hidden
# state on.

# --- before
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)  # (B,) -> (B, 1)
# --- after
        logits, _ = self.decoder(token.unsqueeze(1), hidden, context)  # (B,) -> (B, 1)

# %% wrong: the logits see the state before the token
# The logits at step t are made of the state before token t went in: that is a second shift. Use the GRU's outputs as
# they are.

# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        before = torch.cat([hidden.unsqueeze(1), states[:, :-1]], dim=1)
        return self.output(torch.cat([before, repeated], dim=2)), last.squeeze(0)

# %% wrong: probabilities instead of logits
# What comes back is already a softmax. The loss takes the softmax itself: return the plain scores.

# --- before
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)
# --- after
        return torch.softmax(self.output(torch.cat([states, repeated], dim=2)), dim=2), last.squeeze(0)

# %% wrong: the vector is the outputs' mean
# encode gives something made of the encoder's outputs. The vector is the second thing the encoder returns, its state.

# --- before
        _, vector = self.encoder(source, lengths)
        return vector
# --- after
        outputs, _ = self.encoder(source, lengths)
        return outputs.mean(dim=1)[:, : outputs.shape[2] // 2]

# %% wrong: no guard
# What comes back is right, but the guard of the stub is gone, which says what is wrong with a state or a context. Put
# it back.

# --- before
        if hidden.shape != wanted or context.shape != wanted:
# --- after
        if False:

# %% correct: roll, then overwrite the first column

class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens, hidden, context):
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(f"need hidden and context {wanted}, got {tuple(hidden.shape)} and {tuple(context.shape)}")

        repeated = context[:, None].expand(context.shape[0], tokens.shape[1], context.shape[1])
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], -1), hidden[None])
        return self.output(torch.cat([states, repeated], -1)), last[0]

class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, bos_id):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source, lengths):
        return self.encoder(source, lengths)[1]

    def decode(self, vector, targets):
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id
        return self.decoder(tokens, vector, vector)[0]

    def forward(self, source, lengths, targets):
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source, lengths):
        return (self.encode(source, lengths),) * 2

    def step(self, token, state):
        logits, hidden = self.decoder(token[:, None], *state)
        return logits[:, 0], (hidden, state[1])

# %% correct: the decoder as a loop of single steps

class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens, hidden, context):
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(f"need hidden and context {wanted}, got {tuple(hidden.shape)} and {tuple(context.shape)}")

        logits = []
        for t in range(tokens.shape[1]):
            x = torch.cat([self.embedding(tokens[:, t]), context], dim=1)
            out, last = self.gru(x.unsqueeze(1), hidden.unsqueeze(0))
            hidden = last[0]
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), hidden

class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, bos_id):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source, lengths):
        return self.encoder(source, lengths)[1]

    def decode(self, vector, targets):
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id
        return self.decoder(tokens, vector, vector)[0]

    def forward(self, source, lengths, targets):
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source, lengths):
        return (self.encode(source, lengths),) * 2

    def step(self, token, state):
        logits, hidden = self.decoder(token[:, None], *state)
        return logits[:, 0], (hidden, state[1])

# %% correct: padding the targets on the left

class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens, hidden, context):
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(f"need hidden and context {wanted}, got {tuple(hidden.shape)} and {tuple(context.shape)}")

        repeated = context[:, None].expand(context.shape[0], tokens.shape[1], context.shape[1])
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], -1), hidden[None])
        return self.output(torch.cat([states, repeated], -1)), last[0]

class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, bos_id):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source, lengths):
        return self.encoder(source, lengths)[-1]

    def decode(self, vector, targets):
        logits, _ = self.decoder(F.pad(targets, (1, 0), value=self.bos_id)[:, :-1], vector, vector)
        return logits

    def forward(self, source, lengths, targets):
        vector = self.encode(source, lengths)
        return self.decode(vector, targets)

    def start(self, source, lengths):
        vector = self.encode(source, lengths)
        return vector.clone(), vector

    def step(self, token, state):
        logits, hidden = self.decoder(token.view(-1, 1), state[0], state[1])
        return logits[:, -1, :], (hidden, state[1])

# %% correct: the whole forward pass as single steps

class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens, hidden, context):
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(f"need hidden and context {wanted}, got {tuple(hidden.shape)} and {tuple(context.shape)}")

        repeated = context[:, None].expand(context.shape[0], tokens.shape[1], context.shape[1])
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], -1), hidden[None])
        return self.output(torch.cat([states, repeated], -1)), last[0]

class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, bos_id):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source, lengths):
        outputs, state = self.encoder(source, lengths)
        return state

    def decode(self, vector, targets):
        state, token = (vector, vector), torch.full_like(targets[:, 0], self.bos_id)
        columns = []
        for t in range(targets.shape[1]):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = targets[:, t]
        return torch.stack(columns, dim=1)

    def forward(self, source, lengths, targets):
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source, lengths):
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token, state):
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(-1), hidden, context)
        return logits.squeeze(1), (hidden, context)

# %% correct: the output layer as two products

class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens, hidden, context):
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(f"need hidden and context {wanted}, got {tuple(hidden.shape)} and {tuple(context.shape)}")

        T, H = tokens.shape[1], hidden.shape[1]
        inputs = torch.cat([self.embedding(tokens), context.repeat(T, 1, 1).transpose(0, 1)], dim=2)
        states, _ = self.gru(inputs, hidden.unsqueeze(0))
        from_state, from_context = self.output.weight[:, :H], self.output.weight[:, H:]
        logits = states @ from_state.T + (context @ from_context.T + self.output.bias).unsqueeze(1)
        return logits, states[:, -1]

class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, bos_id):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source, lengths):
        return self.encoder(source, lengths)[1]

    def decode(self, vector, targets):
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id
        return self.decoder(tokens, vector, vector)[0]

    def forward(self, source, lengths, targets):
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source, lengths):
        return (self.encode(source, lengths),) * 2

    def step(self, token, state):
        logits, hidden = self.decoder(token[:, None], *state)
        return logits[:, 0], (hidden, state[1])
