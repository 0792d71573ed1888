# %% wrong: shifts the caller's targets
# The shift is done in place in the tensor that came in: the first call gives the right logits, but the targets are shifted afterwards, and the loss is measured against them. A good message: "targets have changed: make a new tensor".

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
        repeated = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, 0] = self.bos_id
        logits, _ = self.decoder(targets, vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(1), (hidden, context)

# %% wrong: the context wanders along with the state
# step hands back (hidden, hidden): from the second step on the context is the decoder's own state and no longer the source's vector. Training is right, writing is not. A good message: "the first step agrees with forward, the second does not: the context never changes".

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
        repeated = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        return self.decoder(torch.cat([begin, targets[:, :-1]], dim=1), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token.unsqueeze(1), *state)
        return logits[:, -1], (hidden, hidden)

# %% wrong: squeezes away whatever is one
# squeeze() without an axis: with a batch of one sentence the batch axis goes as well, and hidden comes back as (H,). A good message: "B = 1 fails: squeeze(0) for the layer axis, squeeze(1) for the step, never all at once".

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
        repeated = context.unsqueeze(1).repeat(1, length, 1)
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze()


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        return self.decoder(torch.cat([begin, targets[:, :-1]], dim=1), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(), (hidden, context)

# %% wrong: bos put over the first word
# The first column is overwritten with bos_id and nothing is shifted: each other column is handed its own answer. A good message: "logits at step t depend on target t: shift, do not overwrite".

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
        repeated = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0))
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = targets.clone()
        goes_in[:, 0] = self.bos_id
        logits, hidden = self.decoder(goes_in, vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(1), (hidden, context)

# %% correct: token by token, roll for the shift

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
        logits = []
        for token in tokens.split(1, dim=1):
            word = torch.hstack([self.embedding(token.squeeze(1)), context])
            state, layers = self.gru(word[:, None], hidden[None])
            hidden = layers[0]
            logits.append(self.output(torch.hstack([state[:, 0], context])))
        return torch.stack(logits, dim=1), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, vector = self.encoder(source, lengths)
        return vector

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        goes_in = targets.roll(1, dims=1)
        goes_in[:, 0] = self.bos_id
        return self.decoder(goes_in, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token.view(-1, 1), *state)
        return logits.select(1, 0), (hidden, state[1])

# %% correct: the context's share of the logits worked out once

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
        words = self.embedding(tokens)
        into = words.new_empty(batch, length, words.shape[2] + H)
        into[..., :-H] = words
        into[..., -H:] = context[:, None]
        states, last = self.gru(into, hidden.reshape(1, batch, H).contiguous())
        from_state, from_context = self.output.weight.split(H, dim=1)
        logits = states @ from_state.T + (context @ from_context.T + self.output.bias).unsqueeze(1)
        return logits, last[-1]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[-1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = F.pad(targets, (1, 0), value=self.bos_id)[:, : targets.shape[1]]
        logits, _ = self.decoder(shifted, hidden=vector, context=vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector.clone()

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token[:, None], hidden=hidden, context=context)
        return logits.flatten(0, 1), (hidden, context)
