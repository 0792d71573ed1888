# %% wrong: the new state becomes the context too
# step hands on (hidden, hidden), so from the second step on the context is no longer the vector.
# Shows where step is compared with forward, from column 1 on.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014)."""

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
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014)."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
        return self.decoder(tokens, vector, vector)[0]

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, hidden)


# %% wrong: squeeze without an axis
# squeeze() drops every axis of size 1: with a batch of one, the last state comes out as (H,) and
# step's logits as (V,), and the second step raises.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014)."""

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
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze()


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014)."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
        return self.decoder(tokens, vector, vector)[0]

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(), (hidden, context)


# %% wrong: the shift is done in the caller's targets
# The logits are right, but targets has been moved and begins with bos_id afterwards, so the loss is
# taken against the wrong words. Shows in targets after any call.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014)."""

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
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014)."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, 0] = self.bos_id
        return self.decoder(targets, vector, vector)[0]

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% wrong: the context goes into the GRU and not into the output
# The output layer gets [hidden; hidden before the first token] in place of [hidden; context].
# In Seq2Seq.decode both are the vector; it shows in Decoder with hidden and context apart, and in step.

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014)."""

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
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0).contiguous())
        vector = hidden.unsqueeze(1).expand(-1, length, -1)
        return self.output(torch.cat([states, vector], dim=2)), last[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014)."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
        return self.decoder(tokens, vector, vector)[0]

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% correct: gate by gate with the GRU's weights, the output layer cut in two

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014)."""

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
        from_word, from_context = self.gru.weight_ih_l0.split([E, H], dim=1)
        of_state, of_context = self.output.weight.split([H, H], dim=1)
        constant = F.linear(context, from_context, self.gru.bias_ih_l0)
        always = F.linear(context, of_context, self.output.bias)
        written = []
        for word in self.embedding(tokens).unbind(1):
            x = (F.linear(word, from_word) + constant).chunk(3, 1)
            h = F.linear(hidden, self.gru.weight_hh_l0, self.gru.bias_hh_l0).chunk(3, 1)
            stays = torch.sigmoid(x[1] + h[1])
            candidate = torch.tanh(x[2] + torch.sigmoid(x[0] + h[0]) * h[2])
            hidden = candidate + stays * (hidden - candidate)
            written.append(F.linear(hidden, of_state) + always)
        return torch.stack(written, 1), hidden


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014)."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        return self.decoder(F.pad(targets, (1, -1), value=self.bos_id), vector, vector)[0]

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)


# %% correct: decode is a loop over step, and the decoder runs time first

class Decoder(nn.Module):
    """Writes token by token, the source's vector before it at every step (Cho et al., 2014)."""

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
        ahead = self.embedding(tokens.t())  # (T, B, E)
        repeated = context.expand(length, -1, -1)
        inputs = torch.cat([ahead, repeated], -1)
        state, states = hidden[None].contiguous(), []
        for x in inputs:
            _, state = self.gru(x[:, None], state)
            states.append(state)
        joined = torch.cat([torch.cat(states), repeated], -1)
        return self.output(joined).transpose(0, 1), state[0]


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014; Cho et al., 2014)."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        state, columns = (vector, vector), []
        token = targets.new_full((targets.shape[0],), self.bos_id)
        for true in targets.unbind(1):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = true
        return torch.stack(columns, 1)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token.reshape(-1, 1), *state)
        return logits.flatten(1), (hidden, state[1])
