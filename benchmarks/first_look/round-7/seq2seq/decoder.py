# %% wrong: context repeated and viewed
# context.repeat(T, 1) viewed as (B, T, H) hands the rows one another's vectors.
# Right for B = 1 or T = 1, wrong for B > 1 and T > 1 (so step and forward disagree).

class Decoder(nn.Module):
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
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
        logits = self.output(torch.cat([states, repeated], dim=2))
        return logits, last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        goes_in = torch.cat([begin, targets[:, :-1]], dim=1)
        logits, _ = self.decoder(goes_in, vector, vector)
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


# %% wrong: shift written into the caller's targets
# The shift is done in place, so after decode (or forward) the caller's targets begin with bos_id and have lost
# their last token. The logits are right; shows for every targets.

class Decoder(nn.Module):
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
        embedded = self.embedding(tokens)
        repeated = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([embedded, repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = targets
        goes_in[:, 1:] = targets[:, :-1].clone()
        goes_in[:, 0] = self.bos_id
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


# %% wrong: the new hidden state as the next context
# step returns (hidden, hidden): from the second token on the decoder gets its own state in place of the source's
# vector. Shows at the second step, when start and step are compared with forward.

class Decoder(nn.Module):
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
        embedded = self.embedding(tokens)
        repeated = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([embedded, repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        goes_in = torch.cat([begin, targets[:, :-1]], dim=1)
        logits, _ = self.decoder(goes_in, vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, -1], (hidden, hidden)


# %% wrong: squeeze without an axis
# step's logits (B, 1, V) are squeezed of every axis of one.
# For a batch of one it returns (V,) and not (1, V).

class Decoder(nn.Module):
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
        embedded = self.embedding(tokens)
        repeated = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([embedded, repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        goes_in = torch.cat([begin, targets[:, :-1]], dim=1)
        logits, _ = self.decoder(goes_in, vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token[:, None], *state)
        return logits.squeeze(), (hidden, state[1])


# %% correct: one column at a time, and decode as a loop over step

class Decoder(nn.Module):
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
        rows = []
        for column in tokens.unbind(dim=1):
            x = torch.cat([self.embedding(column), context], dim=1)
            _, after = self.gru(x.unsqueeze(1), hidden.unsqueeze(0))
            hidden = after.squeeze(0)
            rows.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(rows, dim=1), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        token, state, columns = torch.full_like(targets[:, 0], self.bos_id), (vector, vector), []
        for answer in targets.unbind(dim=1):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = answer
        return torch.stack(columns, dim=1)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% correct: each matrix split into its share of the word and its share of the vector

class Decoder(nn.Module):
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
        H, E = self.hidden_size, self.embedding.embedding_dim
        w_ih, w_hh, b_ih, b_hh = (getattr(self.gru, f"{name}_l0") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        always = F.linear(context, w_ih[:, E:], b_ih)  # what the vector adds at every step, (B, 3H)
        moving = F.linear(self.embedding(tokens), w_ih[:, :E])  # (B, T, 3H)
        states = []
        for t in range(length):
            x_r, x_z, x_n = (moving[:, t] + always).split(H, dim=1)
            h_r, h_z, h_n = F.linear(hidden, w_hh, b_hh).split(H, dim=1)
            candidate = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
            hidden = candidate + torch.sigmoid(x_z + h_z) * (hidden - candidate)
            states.append(hidden)
        of_state = F.linear(torch.stack(states, dim=1), self.output.weight[:, :H])
        of_vector = F.linear(context, self.output.weight[:, H:], self.output.bias)
        return of_state + of_vector[:, None], hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, state = self.encoder(source, lengths)
        return state

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = targets.roll(1, dims=1)
        first = torch.arange(targets.shape[1], device=targets.device) == 0
        return self.decoder(goes_in.masked_fill(first, self.bos_id), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token.reshape(-1, 1), state[0], state[1])
        return logits.flatten(0, 1), (hidden, state[1])
