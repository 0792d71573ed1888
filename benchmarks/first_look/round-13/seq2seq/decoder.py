# %% wrong: the context before the state
# The logits are output([context; state]), so the weights of `output` meet the wrong halves: shows for any weights
# that are loaded, wherever state and context differ.

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
        every = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([every, states], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        shifted = torch.cat([begin, targets[:, :-1]], dim=1)
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


# %% wrong: the context walks along in the single step
# step hands the new hidden state on as context as well. Its first logits are right; from the second token on they
# differ from those of forward (T >= 2).

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
        every = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, every], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        shifted = torch.cat([begin, targets[:, :-1]], dim=1)
        return self.decoder(shifted, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, hidden)


# %% wrong: squeezed without saying which axis
# squeeze() removes the batch axis too where B = 1: step then returns logits (V,) instead of (1, V).

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
        every = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, every], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        shifted = torch.cat([begin, targets[:, :-1]], dim=1)
        return self.decoder(shifted, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(), (hidden, context)


# %% wrong: shifted inside the caller's targets
# The shift writes into `targets`: afterwards the caller's begin with bos_id, and the loss compares with shifted
# tokens. Shows in the targets after every call of decode or forward.

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
        every = context.unsqueeze(1).expand(-1, length, -1)  # (B, T, H)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, every], dim=2)), last[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        before = targets[:, :-1].clone()
        targets[:, 1:] = before
        targets[:, 0] = self.bos_id
        return self.decoder(targets, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% correct: step by step in training too

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
        weights = [getattr(self.gru, name) for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")]
        columns = []
        for token in tokens.unbind(dim=1):
            hidden = torch.gru_cell(torch.cat([self.embedding(token), context], dim=-1), hidden, *weights)
            columns.append(self.output(torch.cat([hidden, context], dim=-1)))
        return torch.stack(columns, dim=1), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        state = (vector, vector)
        token = targets.new_full((len(targets),), self.bos_id)
        columns = []
        for true_token in targets.unbind(dim=1):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = true_token
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


# %% correct: the context's share of the logits, once for all steps

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
        words = self.embedding(tokens)
        beside = torch.einsum("bh,t->bth", context, words.new_ones(length))
        states, last = self.gru(torch.cat((words, beside), dim=-1), torch.stack([hidden]))
        for_state, for_context = self.output.weight.split(self.hidden_size, dim=1)
        once = F.linear(context, for_context, self.output.bias)  # (B, V)
        return states @ for_state.T + once[:, None], last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        *_, vector = self.encoder(source, lengths)
        return vector

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = F.pad(targets, (1, 0), value=self.bos_id)[:, : targets.shape[1]]
        logits, _ = self.decoder(shifted, vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, *rest = self.decoder(token[:, None], *state)
        return logits.select(1, 0), (rest[0], state[1])
