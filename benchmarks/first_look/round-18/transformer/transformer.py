# %% wrong: root of d_model times the sum
# The sines are scaled too: any tokens, d_model above 1.

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
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens)
        vectors = vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors)
        return self.dropout(vectors * math.sqrt(self.d_model))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        mask = (places < lengths.to(source.device)[:, None])[:, None, :]
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        T = tokens.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros((len(source), 0), dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: memory mask from ids
# Masks id 0 instead of by lengths: a source with id 0 within a sentence, or padded with another id.

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
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        return self.dropout(vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = (source != 0)[:, None, :]
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        T = tokens.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros((len(source), 0), dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: targets not shifted
# forward gives the true token in at its own place: any targets.

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
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        return self.dropout(vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        mask = (places < lengths.to(source.device)[:, None])[:, None, :]
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        T = tokens.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        return self.decode(targets, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros((len(source), 0), dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: step sees the newest token only
# step decodes one token, at position 0, without its past: wrong from the second step on.

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
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        return self.dropout(vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        mask = (places < lengths.to(source.device)[:, None])[:, None, :]
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        T = tokens.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros((len(source), 0), dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        return self.decode(token[:, None], memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% correct: roll and empty, masks by comparing places

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
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        weight = embedding.weight
        sines = sinusoidal_encoding(tokens.shape[-1], self.d_model).to(device=weight.device, dtype=weight.dtype)
        return self.dropout(torch.add(sines, embedding(tokens), alpha=self.d_model**0.5))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        ones = torch.ones_like(source, dtype=torch.int64)
        mask = (ones.cumsum(dim=1) <= lengths.to(source.device).view(-1, 1)).unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, place[:, None] >= place, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = targets.roll(1, dims=1)  # a copy
        shifted[:, :1] = self.bos_id
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        none = torch.empty(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return (none, *self.encode(source, lengths))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.hstack([state[0], token.reshape(-1, 1)])
        logits = self.decode(tokens, *state[1:])
        return logits.select(1, tokens.shape[1] - 1), (tokens, *state[1:])

# %% correct: pad for shift and step

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
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        return self.dropout(vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        mask = (places < lengths.to(source.device)[:, None])[:, None, :]
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        T = tokens.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, causal, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        inputs = F.pad(targets, (1, 0), value=self.bos_id).narrow(1, 0, targets.shape[1])
        return self.decode(inputs, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros((len(source), 0), dtype=torch.int64), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        longer = tokens.new_empty((len(tokens), tokens.shape[1] + 1))
        longer[:, :-1], longer[:, -1] = tokens, token
        tokens = longer
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

