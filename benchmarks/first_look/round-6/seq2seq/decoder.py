# %% wrong: contexts of different sentences get mixed
# repeat(length, 1) lays the whole batch T times below itself; the view then hands rows of other sentences to a sentence. Right for a batch of one.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        repeated = context.repeat(length, 1).view(batch, length, self.hidden_size)
        inputs = torch.cat([self.embedding(tokens), repeated], dim=-1)
        states, last = self.gru(inputs, hidden[None])
        return self.output(torch.cat([states, repeated], dim=-1)), last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        bos = torch.full_like(targets[:, :1], self.bos_id)
        logits, _ = self.decoder(torch.cat([bos, targets[:, :-1]], dim=1), vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% wrong: after the first step the state is also the context
# step returns (hidden, hidden): from the second step on the context is the decoder's own state and no longer the source's vector.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        inputs = torch.cat([self.embedding(tokens), context.unsqueeze(1).expand(-1, length, -1)], dim=2)
        states, last = self.gru(inputs, hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, context.unsqueeze(1).expand(-1, length, -1)], dim=2))
        return logits, last.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        bos = torch.full_like(targets[:, :1], self.bos_id)
        logits, _ = self.decoder(torch.cat([bos, targets[:, :-1]], dim=1), vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token[:, None], hidden, context)
        return logits.squeeze(1), (hidden, hidden)


# %% wrong: the course begin id instead of the given one
# The begin token is the notebook's constant BOS_ID; bos_id, which the constructor was given, is never looked at.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        inputs = torch.cat([self.embedding(tokens), context.unsqueeze(1).expand(-1, length, -1)], dim=2)
        states, last = self.gru(inputs, hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, context.unsqueeze(1).expand(-1, length, -1)], dim=2))
        return logits, last.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = F.pad(targets[:, :-1], (1, 0), value=BOS_ID)
        return self.decoder(goes_in, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% wrong: one sentence alone loses its batch axis in step
# A bare squeeze() takes away every axis of length 1: with one sentence step gives logits (V,) and hidden (H,),
# and the next step refuses the state.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        inputs = torch.cat([self.embedding(tokens), context.unsqueeze(1).expand(-1, length, -1)], dim=2)
        states, last = self.gru(inputs, hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, context.unsqueeze(1).expand(-1, length, -1)], dim=2))
        return logits, last.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        outputs, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        bos = torch.full_like(targets[:, :1], self.bos_id)
        logits, _ = self.decoder(torch.cat([bos, targets[:, :-1]], dim=1), vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(), (hidden.squeeze(), context)


# %% wrong: the shift is written into the targets
# An assignment makes no copy: the caller's targets are shifted too, and the loss is then counted against what went in.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        inputs = torch.cat([self.embedding(tokens), context.unsqueeze(1).expand(-1, length, -1)], dim=2)
        states, last = self.gru(inputs, hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, context.unsqueeze(1).expand(-1, length, -1)], dim=2))
        return logits, last.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = targets
        shifted[:, 1:] = targets[:, :-1].clone()
        shifted[:, 0] = self.bos_id
        return self.decoder(shifted, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% correct: one step at a time throughout

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        columns = []
        for column in tokens.unbind(dim=1):
            inputs = torch.cat([self.embedding(column), context], dim=1)
            state, _ = self.gru(inputs[:, None], hidden[None].contiguous())
            hidden = state[:, 0]
            columns.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(columns, dim=1), hidden


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, vector = self.encoder(source, lengths)
        return vector

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        state, columns = (vector, vector), []
        token = torch.full_like(targets[:, 0], self.bos_id)
        for t in range(targets.shape[1]):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = targets[:, t]
        return torch.stack(columns, dim=1)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, after = self.decoder(token.reshape(-1, 1), *state)
        return logits.select(1, 0), (after, state[1])


# %% correct: the two halves of each linear map by themselves

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H), context (B, H).
    Returns logits (B, T, V) and the hidden state after the last token (B, H). At step t
      the GRU's input is [embedding of token t; context];
      the logits are output([hidden state after token t; context]).
    The context is the same at every step and is never changed. Raises ValueError where hidden
    or context is not (B, H).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens: Tensor, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        E, H = self.embedding.embedding_dim, self.hidden_size
        w_word, w_context = self.gru.weight_ih_l0.split([E, H], dim=1)
        from_words = self.embedding(tokens) @ w_word.t()  # (B, T, 3H)
        from_outside = from_words + (context @ w_context.t() + self.gru.bias_ih_l0).unsqueeze(1)
        states = []
        for x_r, x_z, x_n in (column.split(H, dim=1) for column in from_outside.unbind(1)):
            h_r, h_z, h_n = F.linear(hidden, self.gru.weight_hh_l0, self.gru.bias_hh_l0).split(H, dim=1)
            keep = (x_z + h_z).sigmoid()
            hidden = keep * hidden + (1 - keep) * (x_n + (x_r + h_r).sigmoid() * h_n).tanh()
            states.append(hidden)
        o_state, o_context = self.output.weight.split([H, H], dim=1)
        logits = torch.stack(states, 1) @ o_state.t() + F.linear(context, o_context, self.output.bias)[:, None]
        return logits, hidden


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first hidden
      state and the context. Teacher forcing: what goes in at step t is the true token t-1, and
      bos_id at step 0 (shift right). The caller's targets are left as they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the first
      token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed with
      bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = targets.roll(1, dims=1)  # a new tensor; its first column is overwritten
        goes_in[:, 0] = self.bos_id
        return self.decoder(goes_in, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        hidden = context = self.encode(source, lengths)
        return hidden, context

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)
