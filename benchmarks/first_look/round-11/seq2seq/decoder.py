# %% wrong: the step hands the hidden state on as context
# The context must stay the source's vector. From the second step on the logits of `step` differ from those of forward; the
# first step is right, and so is training.

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
        every = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, every], dim=2)), last.squeeze(0)


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

# %% wrong: all axes of one squeezed away
# squeeze() without an axis takes the batch axis too where B = 1: `step` gives (V,) instead of (1, V). Right for every B
# above 1.

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
        every = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, every], dim=2)), last.squeeze(0)


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
        logits, hidden = self.decoder(token.view(-1, 1), hidden, context)
        return logits.squeeze(), (hidden, context)

# %% wrong: the context repeated along the batch
# repeat(T, 1) and then view mixes the sentences: with B = 2 and T = 3 the first gets c0 c1 c0, the second c1 c0 c1. Right for
# B = 1 or T = 1, so `step` is right, and forward differs from it.

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
        every = context.repeat(length, 1).view(batch, length, self.hidden_size)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=-1), hidden[None].contiguous())
        return self.output(torch.cat([states, every], dim=-1)), last[0]


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
        return logits.squeeze(1), (hidden, context)

# %% wrong: the context kept on the model
# `start` stores the vector and `step` reads it from there instead of from the state: with two translations under way at
# once (start a, start b, step a), a is written with the vector of b.

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
        every = context.unsqueeze(1).expand(-1, length, -1)
        states, last = self.gru(torch.cat([self.embedding(tokens), every], dim=2), hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, every], dim=2)), last.squeeze(0)


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
        self.context = self.encode(source, lengths)
        return self.context, self.context

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden = state[0]
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, self.context)
        return logits.squeeze(1), (hidden, self.context)

# %% correct: split weights: the context's share computed once

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
        size, width = self.hidden_size, self.embedding.embedding_dim
        for_words, for_context = self.gru.weight_ih_l0.split([width, size], dim=1)
        constant = F.linear(context, for_context, self.gru.bias_ih_l0)  # (B, 3H)
        states = []
        for x in F.linear(self.embedding(tokens), for_words).unbind(dim=1):
            i_r, i_z, i_n = (x + constant).split(size, dim=1)
            h_r, h_z, h_n = F.linear(hidden, self.gru.weight_hh_l0, self.gru.bias_hh_l0).split(size, dim=1)
            candidate = torch.tanh(i_n + torch.sigmoid(i_r + h_r) * h_n)
            hidden = candidate + torch.sigmoid(i_z + h_z) * (hidden - candidate)
            states.append(hidden)
        of_state, of_context = self.output.weight.split(size, dim=1)
        always = F.linear(context, of_context, self.output.bias).unsqueeze(1)
        return F.linear(torch.stack(states, dim=1), of_state) + always, hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        return self.decoder(F.pad(targets[:, :-1], (1, 0), value=self.bos_id), vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(1), (hidden, context)

# %% correct: training is a loop over the step

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
        steps = []
        hidden = hidden.unsqueeze(0).contiguous()
        for token in tokens.split(1, dim=1):
            state, hidden = self.gru(torch.cat([self.embedding(token), context[:, None]], dim=2), hidden)
            steps.append(self.output(torch.cat([state, context[:, None]], dim=2)))
        return torch.cat(steps, dim=1), hidden[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, vector = self.encoder(source, lengths)
        return vector

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        token, state, columns = torch.full_like(targets[:, 0], self.bos_id), (vector, vector), []
        for true_token in targets.unbind(dim=1):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = true_token
        return torch.stack(columns, dim=1)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token[:, None], *state)
        return logits[:, -1], (hidden, state[1])
