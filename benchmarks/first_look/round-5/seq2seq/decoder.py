# %% wrong: the context is repeated along the wrong axis
# repeat(T, 1) lays the whole batch T times under itself, and the view cuts it into rows of mixed sentences; right for a batch of one only.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        contexts = context.repeat(length, 1).view(batch, length, self.hidden_size)
        embedded = self.embedding(tokens)
        states, last = self.gru(torch.cat([embedded, contexts], dim=-1), hidden.unsqueeze(0))
        return self.output(torch.cat([states, contexts], dim=-1)), last.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        logits, _ = self.decoder(torch.cat([begin, targets[:, :-1]], dim=1), vector, vector)
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


# %% wrong: the shift pads with zero
# F.pad moves the targets to the right but fills in its default 0, the padding token, where bos_id should go in.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        contexts = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), contexts], dim=2), hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, contexts], dim=2))
        return logits, last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = F.pad(targets, (1, -1))  # one place to the right
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


# %% wrong: the first hidden state takes the place of the context
# The output layer gets the hidden state that came in, not the context: the same at the start, another one at every later single step.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        at_every_step = torch.stack([context] * length, dim=1)
        states, last = self.gru(torch.cat([self.embedding(tokens), at_every_step], dim=2), hidden[None])
        vector = torch.stack([hidden] * length, dim=1)
        logits = self.output(torch.cat([states, vector], dim=2))
        return logits, last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        logits, _ = self.decoder(torch.cat([begin, targets[:, :-1]], dim=1), vector, vector)
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


# %% wrong: training on its own words
# decode feeds back what the model wrote itself and takes from the targets only their count: no teacher forcing.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        contexts = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), contexts], dim=2), hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, contexts], dim=2))
        return logits, last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        token = torch.full((targets.shape[0],), self.bos_id, device=targets.device)
        state, columns = (vector, vector), []
        for _ in range(targets.shape[1]):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = logits.argmax(dim=1)
        return torch.stack(columns, dim=1)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% wrong: the context is kept on the model
# start notes the vector on the model and step reads it there: a state made elsewhere, or from an earlier start, meets the wrong context.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        contexts = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), contexts], dim=2), hidden.unsqueeze(0).contiguous())
        logits = self.output(torch.cat([states, contexts], dim=2))
        return logits, last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        logits, _ = self.decoder(torch.cat([begin, targets[:, :-1]], dim=1), vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        self.context = self.encode(source, lengths)
        return self.context, self.context

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token[:, None], state[0], self.context)
        return logits.squeeze(1), (hidden, self.context)


# %% correct: one column at a time throughout

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        for t in range(length):
            word = self.embedding(tokens[:, t])
            _, after = self.gru(torch.cat([word, context], dim=1).unsqueeze(1), hidden.unsqueeze(0).contiguous())
            hidden = after[0]
            columns.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(columns, dim=1), hidden


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector; decode is a walk of single steps."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        state, written = (vector, vector), []
        incoming = torch.empty_like(targets[:, 0]).fill_(self.bos_id)
        for true_word in targets.unbind(dim=1):
            logits, state = self.step(incoming, state)
            written.append(logits)
            incoming = true_word
        return torch.stack(written, dim=1)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, after = self.decoder(token.view(-1, 1), *state)
        return logits.select(1, 0), (after, state[1])


# %% correct: output weights in two halves, targets rolled

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step."""

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
        words = self.embedding(tokens)
        at_left, at_right = F.pad(words, (0, self.hidden_size)), F.pad(context, (words.shape[2], 0))
        incoming = at_left + at_right.unsqueeze(1)  # each fills the other's zeros
        states, final = self.gru(incoming, hidden.reshape(1, batch, self.hidden_size))
        of_state, of_context = self.output.weight.split(self.hidden_size, dim=1)
        bias = F.linear(context, of_context, self.output.bias)  # (B, V), the same at every step
        return states @ of_state.T + bias[:, None, :], final.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        outputs_and_state = self.encoder(source, lengths)
        return outputs_and_state[-1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = targets.roll(1, dims=1)  # a copy; the last word has come round to the front
        goes_in[:, 0] = self.bos_id
        logits, _ = self.decoder(goes_in, hidden=vector, context=vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector.clone(), vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        before, context = state
        logits, after = self.decoder(token.unsqueeze(-1), before, context)
        return logits.flatten(0, 1), (after, context)
