# %% wrong: the targets' padding is masked by its id
# Hides every input token that is PAD_ID from the decoder's self-attention; the class knows no padding id, and the id
# may be a word's. Shows for tokens with a 0 before the last column: the rows after it miss a token.

class Transformer(nn.Module):
    """Reads one sentence and writes another."""

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        x = embedding(tokens) * math.sqrt(self.d_model)
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model)
        return self.dropout(x + positions.to(x.device, x.dtype))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        causal = causal_mask(tokens.shape[1]).to(tokens.device)
        mask = causal & (tokens != PAD_ID).unsqueeze(1)  # (B, T, T)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: dropout before the positions are added
# Dropout acts on the scaled embedding alone, not on the sum. Shows in training mode with dropout above 0: where a
# number was dropped the position's sine remains, undivided.

class Transformer(nn.Module):
    """Reads one sentence and writes another."""

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        x = self.dropout(embedding(tokens) * self.d_model**0.5)
        return x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        x = self.embed(self.target_embedding, tokens)
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        shifted = targets.roll(1, dims=1)
        shifted[:, 0] = self.bos_id
        return self.decode(shifted, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(source.shape[0], 0, dtype=torch.long, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)


# %% wrong: the mask is as wide as the longest sentence
# The padding mask has lengths.max() columns instead of the source's: with lengths (3, 2) and a source of five columns
# the attention raises an error.

class Transformer(nn.Module):
    """Reads one sentence and writes another."""

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        x = embedding(tokens) * self.d_model**0.5
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, int(lengths.max()))
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = torch.full_like(targets, self.bos_id)
        shifted[:, 1:] = targets[:, :-1]
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        none_yet = torch.zeros((len(source), 0), dtype=torch.int64, device=source.device)
        return none_yet, *self.encode(source, lengths)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.cat([state[0], token.unsqueeze(1)], dim=1)
        return self.decode(tokens, *state[1:])[:, -1], (tokens, *state[1:])


# %% wrong: start switches to evaluation
# Calls self.eval() before writing and never goes back: a model in training mode is left in evaluation mode after
# start, so that the training that goes on has no dropout.

class Transformer(nn.Module):
    """Reads one sentence and writes another."""

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        x = embedding(tokens) * self.d_model**0.5
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = targets.new_full((targets.shape[0], 1), self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.eval()  # no dropout while writing
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% correct: one token too many goes in, and its row is cut off
class Transformer(nn.Module):
    """Reads one sentence and writes another."""

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens)
        sines = sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors)
        return self.dropout(torch.add(sines, vectors, alpha=self.d_model**0.5))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        memory_mask = torch.lt(places, lengths.to(source.device).view(-1, 1, 1))
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        stream = self.embed(self.target_embedding, tokens)
        stream = self.decoder(stream, memory, mask=places.unsqueeze(1) >= places, memory_mask=memory_mask)
        return self.output(stream)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        # the whole target goes in behind bos_id; by causality the last row, about what comes after it, can go
        with_bos = F.pad(targets, (1, 0), value=self.bos_id)
        return self.decode(with_bos, *self.encode(source, lengths))[:, : targets.shape[1]]

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return source[:, :0].to(torch.int64), *self.encode(source, lengths)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, *memory = state
        tokens = torch.hstack([tokens, token.view(-1, 1)])
        return self.decode(tokens, *memory).select(1, -1), (tokens, *memory)


# %% correct: parts in methods of their own, rows of the table by index_select
class Transformer(nn.Module):
    """Reads one sentence and writes another."""

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        batch, length = tokens.shape
        vectors = embedding.weight.index_select(0, tokens.reshape(-1)).view(batch, length, self.d_model)
        sines = sinusoidal_encoding(length, self.d_model).to(device=vectors.device, dtype=vectors.dtype)
        return self.dropout(vectors.mul(math.sqrt(self.d_model)).add(sines.expand_as(vectors)))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = source.new_zeros(source.shape, dtype=torch.bool)
        for row, length in zip(mask, lengths.tolist(), strict=True):
            row[:length] = True
        mask = mask.unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), mask=mask), mask

    def stream(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None) -> Tensor:
        """The decoder's last stream (B, T, D), before the output layer."""
        size = tokens.shape[1]
        causal = ~torch.ones(size, size, dtype=torch.bool, device=tokens.device).triu(1)
        return self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        return self.output(self.stream(tokens, memory, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        columns = [torch.full_like(targets[:, 0], self.bos_id), *targets.unbind(dim=1)]
        memory, memory_mask = self.encode(source, lengths)
        return self.decode(torch.stack(columns[:-1], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return memory_mask.new_empty((source.shape[0], 0), dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        written, memory, memory_mask = state
        longer = written.new_empty(written.shape[0], written.shape[1] + 1)
        longer[:, :-1], longer[:, -1] = written, token
        # only the last place needs the output layer
        logits = self.output(self.stream(longer, memory, memory_mask)[:, -1])
        return logits, (longer, memory, memory_mask)
