# %% wrong: the mask is as wide as the longest sentence
# The padding mask ends at lengths.max(). A source that is padded further, as a part of a larger batch, gets a mask that is too narrow: encode raises. Right where the longest sentence fills the
# width.

class Transformer(nn.Module):
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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(tokens.device)
        return self.dropout(embedding(tokens) * math.sqrt(self.d_model) + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, int(lengths.max()))
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros(len(source), 0, dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: the root multiplies the positions too
# The sum of vector and sines is multiplied by the root of d_model; only the tokens' vectors should be. Shows for every d_model (the sines are too large by its root).

class Transformer(nn.Module):
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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(tokens.device)
        return self.dropout((embedding(tokens) + positions) * self.d_model**0.5)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        causal = causal_mask(tokens.shape[1]).to(tokens.device)
        stream = self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)
        return self.output(stream)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = torch.cat([torch.full_like(targets[:, :1], self.bos_id), targets[:, :-1]], dim=1)
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nothing = torch.zeros(len(source), 0, dtype=torch.int64, device=source.device)
        return nothing, *self.encode(source, lengths)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: the caller's targets are shifted
# The shift is done in place: after forward the caller's targets begin with bos_id and lack their last token, and a loss computed from them compares the model with its own input. The logits of the first
# call are right.

class Transformer(nn.Module):
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
        return self.dropout(x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = padding_mask(lengths, source.shape[1])
        memory = self.encoder(self.embed(self.source_embedding, source), mask)
        return memory, mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        x = self.embed(self.target_embedding, tokens)
        x = self.decoder(x, memory, causal_mask(tokens.shape[1]).to(x.device), memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, mask = self.encode(source, lengths)
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, 0] = self.bos_id
        return self.decode(targets, memory, mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, mask)[:, -1], (tokens, memory, mask)

# %% wrong: the state begins with bos_id
# start already puts bos_id in. The first step, which is fed with bos_id, makes it two: tokens has shape (B, 1) before the first token, and all the logits of step are one position late.

class Transformer(nn.Module):
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
        length = tokens.shape[1]
        vectors = self.d_model**0.5 * embedding(tokens)
        return self.dropout(vectors + sinusoidal_encoding(length, self.d_model).to(vectors.device))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        x = self.embed(self.source_embedding, source)
        return self.encoder(x, memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        x = self.embed(self.target_embedding, tokens)
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(x, memory, mask=mask, memory_mask=memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full((len(targets), 1), self.bos_id, dtype=targets.dtype, device=targets.device)
        tokens = torch.cat([bos, targets], dim=1)[:, :-1]
        return self.decode(tokens, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full((len(source), 1), self.bos_id, dtype=torch.int64, device=source.device)
        return bos, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% correct: one private pass for both towers, and rolled targets

class Transformer(nn.Module):
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
        where = sinusoidal_encoding(tokens.size(1), self.d_model).to(embedding.weight.device)
        what = F.embedding(tokens, embedding.weight)
        return self.dropout(torch.add(where, what, alpha=math.sqrt(self.d_model)))

    def _read(self, tower: nn.Module, embedding: nn.Embedding, tokens: Tensor, *others) -> Tensor:
        return tower(self.embed(embedding, tokens), *others)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        keys = torch.arange(source.size(1), device=source.device)
        real = torch.stack([keys < length for length in lengths.to(source.device)]).unsqueeze(1)
        return self._read(self.encoder, self.source_embedding, source, real), real

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        t = torch.arange(tokens.size(1), device=tokens.device)
        stream = self._read(
            self.decoder, self.target_embedding, tokens, memory, t[:, None].ge(t), memory_mask
        )
        return self.output(stream)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        going_in = targets.roll(1, dims=1)  # a copy
        going_in[:, 0] = self.bos_id
        return self.decode(going_in, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (source[:, :0].to(torch.int64), *self.encode(source, lengths))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        written, *read = state
        written = torch.column_stack([written, token])
        *_, last = self.decode(written, *read).unbind(dim=1)
        return last, (written, *read)

# %% correct: layer by layer, the towers' parts called by hand

class Transformer(nn.Module):
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
        rows = sinusoidal_encoding(tokens.shape[1], self.d_model).to(tokens.device)
        vectors = [
            embedding(column) * self.d_model**0.5 + row
            for column, row in zip(tokens.unbind(dim=1), rows, strict=True)
        ]
        return self.dropout(torch.stack(vectors, dim=1))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        memory = self.embed(self.source_embedding, source)
        for layer in self.encoder.layers:
            memory = layer(memory, memory_mask)
        return self.encoder.norm(memory), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        past = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        stream = self.embed(self.target_embedding, tokens)
        for layer in self.decoder.layers:
            stream = layer(stream, memory, past, memory_mask)
        return self.output(self.decoder.norm(stream))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        shifted = F.pad(targets[:, :-1], (1, 0), value=self.bos_id)
        return self.decode(shifted, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.cat((state[0], token.view(-1, 1)), dim=1)
        logits = self.decode(tokens, state[1], state[2])
        return logits.select(1, tokens.shape[1] - 1), (tokens, *state[1:])
