# %% wrong: the context is repeated across the sentences
# repeat(length, 1) lays the whole batch end to end, and view(B, T, H) then gives sentence 0 the contexts of others. It
# shows where B and T are both above 1.

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
        entering = torch.cat([self.embedding(tokens), repeated], dim=2)
        states, last = self.gru(entering, hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


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


# %% wrong: the context is kept on the model
# start puts it on self and step reads it there, not in the state. With two batches started before the first step, or a
# state that was reordered or built by hand, the steps use the wrong context (or find none).

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
        entering = torch.cat([self.embedding(tokens), repeated], dim=2)
        states, last = self.gru(entering, hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


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
        hidden, _ = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, self.context)
        return logits[:, 0], (hidden, self.context)


# %% wrong: the shift happens in the caller's targets
# `shifted = targets` is a second name and no copy. The caller's targets begin with bos_id afterwards, and the loss is then
# measured against the inputs.

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
        entering = torch.cat([self.embedding(tokens), repeated], dim=2)
        states, last = self.gru(entering, hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


class Seq2Seq(nn.Module):
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


# %% wrong: the begin token is the notebook's constant
# BOS_ID in place of self.bos_id. A model made with another bos_id starts training from the wrong token, and decode no
# longer agrees with step fed with its bos_id.

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
        entering = torch.cat([self.embedding(tokens), repeated], dim=2)
        states, last = self.gru(entering, hidden.unsqueeze(0).contiguous())
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = F.pad(targets[:, :-1], (1, 0), value=BOS_ID)
        logits, _ = self.decoder(shifted, vector, vector)
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


# %% correct: the decoder as a loop of single steps, and a shift by roll

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
        columns, state = [], hidden[None].contiguous()
        for token in tokens.unbind(1):
            entering = torch.cat((self.embedding(token), context), dim=-1)
            _, state = self.gru(entering[:, None], state)
            columns.append(self.output(torch.cat((state[0], context), dim=-1)))
        return torch.stack(columns, dim=1), state[0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        return self.encoder(source, lengths)[1]

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        first = torch.arange(targets.shape[1], device=targets.device) == 0
        shifted = targets.roll(1, dims=1).masked_fill(first, self.bos_id)
        return self.decoder(shifted, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        logits, hidden = self.decoder(token.reshape(-1, 1), *state)
        return logits.flatten(1), (hidden, state[1])


# %% correct: the context's part of the logits is computed once

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
        entering = torch.cat([words, torch.stack([context] * length, dim=1)], dim=-1)
        states = self.gru(entering, hidden.clone(memory_format=torch.contiguous_format).unsqueeze(0))[0]
        of_state, of_context = self.output.weight.split(self.hidden_size, dim=1)
        constant = F.linear(context, of_context, self.output.bias)  # (B, V)
        return states @ of_state.T + constant[:, None], states[:, -1]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, vector = self.encoder(source, lengths)
        return vector

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        shifted = torch.empty_like(targets).fill_(self.bos_id)
        shifted[:, 1:] = targets[:, :-1]
        return self.decoder(shifted, vector, vector)[0]

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return (self.encode(source, lengths),) * 2

    def step(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits[:, 0], (hidden, context)
