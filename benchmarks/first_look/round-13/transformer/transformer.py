# %% wrong: the padding is read off the ids
# source != PAD_ID, where the text says "by lengths, not by ids". Shows where what stands behind a sentence's end is not
# PAD_ID (it moves the logits), or a real token has that id (it is not seen).

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = (source != PAD_ID).unsqueeze(1)
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        bos = torch.full_like(targets[:, :1], self.bos_id)
        shifted = torch.cat([bos, targets[:, :-1]], dim=1)
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: a mask as wide as the longest sentence
# padding_mask(lengths, lengths.max()) fits only where some sentence fills the batch. A source that is wider than every
# length (lengths [2, 3], width 5) raises, as a sentence alone does that was cut out of a padded batch.

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, int(lengths.max()))
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        bos = torch.full_like(targets[:, :1], self.bos_id)
        shifted = torch.cat([bos, targets[:, :-1]], dim=1)
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: the caller's targets are shifted
# The shift is written into targets itself. The logits are right, but the loss is then taken against shifted targets, and a
# second call shifts again. Shows for every T.

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, 0] = self.bos_id
        return self.decode(targets, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: the memory is kept in the module
# start puts memory and mask on self, and step reads them there. With two sentences written in turns, both are written from the
# memory that was made last; rows of the state that were picked or reordered meet the memory of other rows.

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        bos = torch.full_like(targets[:, :1], self.bos_id)
        shifted = torch.cat([bos, targets[:, :-1]], dim=1)
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.memory, self.memory_mask = self.encode(source, lengths)
        tokens = torch.empty(source.shape[0], 0, dtype=torch.long, device=source.device)
        return tokens, self.memory, self.memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.cat([state[0], token[:, None]], dim=1)
        logits = self.decode(tokens, self.memory, self.memory_mask)[:, -1]
        return logits, (tokens, self.memory, self.memory_mask)

# %% correct: padded, compared and narrowed

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
        loud = F.embedding(tokens, embedding.weight * self.d_model**0.5)
        places = sinusoidal_encoding(tokens.shape[1], self.d_model).to(device=loud.device, dtype=loud.dtype)
        return self.dropout(torch.add(places.unsqueeze(0), loud))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        number = torch.ones_like(source).cumsum(dim=1)  # 1 at the first token
        memory_mask = number.le(lengths.unsqueeze(1)).unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        stream = self.decoder(
            self.embed(self.target_embedding, tokens), memory, place[:, None] >= place[None, :], memory_mask
        )
        return torch.einsum("btd,vd->btv", stream, self.output.weight) + self.output.bias

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        return self.decode(F.pad(targets, (1, -1), value=self.bos_id), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nothing = source.new_zeros((source.shape[0], 0)).long()
        return nothing, *self.encode(source, lengths)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        so_far, *source_side = state
        so_far = torch.hstack([so_far, token.reshape(-1, 1)])
        return self.decode(so_far, *source_side).select(1, so_far.shape[1] - 1), (so_far, *source_side)

# %% correct: rolled, and forward as start and one long step

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
        one_by_one = sinusoidal_encoding(tokens.shape[1], self.d_model).to(embedding.weight)
        return self.dropout(torch.add(one_by_one, embedding(tokens), alpha=self.d_model**0.5))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        columns = torch.arange(source.size(1), device=lengths.device)
        memory_mask = torch.stack([columns < length for length in lengths]).unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        T = tokens.size(1)
        past = ~torch.triu(torch.ones(T, T, dtype=torch.bool, device=tokens.device), diagonal=1)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, past, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = targets.roll(1, dims=1)  # a new tensor
        shifted[:, 0] = self.bos_id
        _, *source_side = self.start(source, lengths)
        return self.decode(shifted, *source_side)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.tensor([[]] * len(source), dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.column_stack((state[0], token))
        return self.decode(tokens, state[1], state[2])[:, -1, :], (tokens,) + tuple(state[1:])
