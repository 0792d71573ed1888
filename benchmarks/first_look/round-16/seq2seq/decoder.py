# %% wrong: the context is remembered on the model
# start stores the vector, and step reads it from there. Wrong where two sources are decoded in turns, or where step gets a
# state that start did not make: the context of the last start is used.

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
        at_every_step = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(
            torch.cat([self.embedding(tokens), at_every_step], dim=2), hidden.unsqueeze(0).contiguous()
        )
        return self.output(torch.cat([states, at_every_step], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decoder(torch.cat([first, targets[:, :-1]], dim=1), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        self.vector = self.encode(source, lengths)
        return self.vector, self.vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, _ = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, self.vector)
        return logits[:, 0], (hidden, self.vector)


# %% wrong: the first hidden state is zeros, as in the encoder
# The vector serves as the context only. decode and start agree, so step by step equals all at once, but
# both differ from the equations: s_0 = v. Wrong for every vector.

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
        at_every_step = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(
            torch.cat([self.embedding(tokens), at_every_step], dim=2), hidden.unsqueeze(0).contiguous()
        )
        return self.output(torch.cat([states, at_every_step], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decoder(torch.cat([first, targets[:, :-1]], dim=1), torch.zeros_like(vector), vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return torch.zeros_like(vector), vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% wrong: the copies of the context get into the wrong rows
# context.repeat(length, 1) lists all sentences, then all again, but is read as T copies of each. Right for B = 1
# or T = 1 (so in step); wrong for B = 2, T = 3.

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
        at_every_step = context.repeat(length, 1).view(batch, length, -1)
        states, last = self.gru(
            torch.cat([self.embedding(tokens), at_every_step], dim=2), hidden.unsqueeze(0).contiguous()
        )
        return self.output(torch.cat([states, at_every_step], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decoder(torch.cat([first, targets[:, :-1]], dim=1), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% wrong: padding does not move the state
# Keeps the old state where padding goes in and gives logits 0 there. The text says that padding goes in like any other token:
# wrong for tokens that hold pad_id, in the logits from there on and in the last state.

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
        pad_id, logits = self.embedding.padding_idx, []
        for t in range(length):
            embedded = torch.cat([self.embedding(tokens[:, t]), context], dim=1)
            _, new = self.gru(embedded.unsqueeze(1), hidden.unsqueeze(0).contiguous())
            is_real = (tokens[:, t] != pad_id).unsqueeze(1)
            hidden = torch.where(is_real, new[0], hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)) * is_real)
        return torch.stack(logits, dim=1), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decoder(torch.cat([first, targets[:, :-1]], dim=1), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% correct: a loop over a cell, and decode as a chain of steps

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
        weights = [self.gru.weight_ih_l0, self.gru.weight_hh_l0, self.gru.bias_ih_l0, self.gru.bias_hh_l0]
        logits = []
        for token in tokens.unbind(dim=1):
            hidden = torch.gru_cell(torch.cat([self.embedding(token), context], dim=1), hidden, *weights)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        token, state, columns = torch.full_like(targets[:, 0], self.bos_id), (vector, vector), []
        for t in range(targets.shape[1]):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = targets[:, t]
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


# %% correct: the output layer split into a part for the state and one for the context

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
        H = self.hidden_size
        embedded = self.embedding(tokens).transpose(0, 1)  # (T, B, E)
        inputs = torch.cat([embedded, torch.stack([context] * length)], dim=2).transpose(0, 1)
        states, last = self.gru(inputs, hidden[None].contiguous())
        of_state, of_context = self.output.weight[:, :H], self.output.weight[:, H:]
        constant = F.linear(context, of_context, self.output.bias)  # (B, V)
        return F.linear(states, of_state) + constant[:, None], last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = targets.roll(1, dims=1)
        shifted[:, 0] = self.bos_id
        return self.decoder(shifted, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token[:, None], *state)
        return logits.squeeze(1), (hidden, state[1])
