# %% wrong: one token at a time, all at position 0
# step embeds and decodes only the new token: no earlier word is read, and its position is always 0. The first step is right. A good message: "step 0 agrees with forward, step 1 does not: the state must hold the tokens so far".

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


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
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        logits = self.decode(token.unsqueeze(1), memory, memory_mask)
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return logits.squeeze(1), (tokens, memory, memory_mask)

# %% wrong: shifted in the caller's tensor
# The shift writes into targets: the caller's labels are then the inputs, and the loss asks for what goes in. A good message: "targets has changed: shift a copy".

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


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
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        inputs = targets
        inputs[:, 1:] = targets[:, :-1].clone()
        inputs[:, 0] = self.bos_id
        return self.decode(inputs, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: the mask as wide as the longest, and no mask across
# The padding mask is made for lengths.max() keys (an error where the batch is padded further), and the decoder does not hand it to its layers, so words read padding. A good message: "more padding changes the logits".

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask)
        return self.norm(x)


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
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, int(lengths.max()))
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: the root over both, no dropout
# The root multiplies the sum of vectors and sines, and embed has no dropout. A good message: "embed: the sines must not be multiplied; and in training dropout falls on the sum".

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


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
        return (embedding(tokens) + positions) * self.d_model**0.5

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% wrong: the norm at the end forgotten
# The decoder returns the bare stream of its last layer; with norm_first=False that is right. A good message: "with norm_first the stream is normed once at the end: self.norm is never called".

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return x


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
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)

# %% correct: joined first, cut after; state by star

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        from functools import reduce

        return self.norm(reduce(lambda stream, layer: layer(stream, memory, mask, memory_mask), self.layers, x))


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
        vectors = embedding(tokens)
        positions = sinusoidal_encoding(tokens.size(-1), self.d_model).type_as(vectors)
        return self.dropout(torch.add(positions, vectors, alpha=self.d_model**0.5))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        inputs = torch.cat([targets.new_full((len(targets), 1), self.bos_id), targets], dim=1)[:, :-1]
        return self.decode(inputs, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return source.new_zeros((source.shape[0], 0), dtype=torch.long), *self.encode(source, lengths)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, *rest = state
        tokens = torch.hstack([tokens, token[:, None]])
        return self.decode(tokens, *rest).select(1, -1), (tokens, *rest)

# %% correct: own masks; shifted by roll on a copy

class TransformerDecoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        stack = list(self.layers)
        while stack:
            x = stack.pop(0)(x, memory, mask=mask, memory_mask=memory_mask)
        return self.norm(x)


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
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        real = (places < lengths.to(source.device).view(-1, 1)).unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), real), real

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        stream = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(stream, memory, place[:, None] >= place, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        inputs = targets.roll(1, dims=1)  # roll makes a new tensor
        inputs[:, :1] = self.bos_id
        memory, memory_mask = self.encode(source, lengths)
        return self.decode(inputs, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(len(source), 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)
