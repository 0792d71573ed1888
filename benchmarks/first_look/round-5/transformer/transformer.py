# %% wrong: the root multiplies the positions too
# Token vector plus sines, all times the root of d_model; only the token's vector is to be scaled.

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
        x = embedding(tokens)
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device)
        return self.dropout(x * math.sqrt(self.d_model))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        x = self.embed(self.target_embedding, tokens)
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_zeros(len(source), 0), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: shifted within the given targets
# The shift right is written into targets itself, so that the loss is then computed against shifted targets.

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
        x = embedding(tokens) * self.d_model**0.5
        return self.dropout(x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        memory = self.encoder(self.embed(self.source_embedding, source), memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        x = self.embed(self.target_embedding, tokens)
        x = self.decoder(x, memory, causal_mask(tokens.shape[1]).to(tokens.device), memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        shifted = targets
        shifted[:, 1:] = targets[:, :-1].clone()
        shifted[:, 0] = self.bos_id
        return self.decode(shifted, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return (tokens, *self.encode(source, lengths))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.cat((state[0], token[:, None]), dim=1)
        logits = self.decode(tokens, state[1], state[2])
        return logits[:, -1], (tokens, state[1], state[2])


# %% wrong: causal in training only
# In eval mode the decoder has no mask, in the belief that nothing stands to the right when writing; the old words then
# look at the newer ones, and forward leaks in evaluation.

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
            x = layer(x, memory, mask=mask, memory_mask=memory_mask)
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
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        return self.dropout(vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors.device))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device) if self.training else None
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = F.pad(targets[:, :-1], (1, 0), value=self.bos_id)
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.empty(source.shape[0], 0, dtype=torch.long, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: the mask of the memory is lost in writing
# start keeps the mask in the state, but step does not hand it on: sentences with padding are written from padding too.

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
        x = self.norm(x)
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
        x = embedding(tokens) * self.d_model**0.5
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2]).to(x.device)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = padding_mask(lengths, source.shape[1])
        x = self.embed(self.source_embedding, source)
        return self.encoder(x, mask), mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        x = self.embed(self.target_embedding, tokens)
        x = self.decoder(x, memory, causal_mask(x.shape[1]).to(x.device), memory_mask)
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, mask = self.encode(source, lengths)
        first = torch.full((targets.shape[0], 1), self.bos_id, dtype=targets.dtype, device=targets.device)
        inputs = torch.cat([first, targets[:, :-1]], dim=1)
        return self.decode(inputs, memory, mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, mask = self.encode(source, lengths)
        tokens = torch.zeros((source.shape[0], 0), dtype=torch.long, device=source.device)
        return tokens, memory, mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, mask = state
        tokens = torch.cat([tokens, token.view(-1, 1)], dim=1)
        logits = self.decode(tokens, memory)
        return logits[:, -1, :], (tokens, memory, mask)


# %% wrong: a padding mask without its middle axis
# The mask is (B, S) and not (B, 1, S): fine for a batch of one, but with more its rows are taken for queries, or do
# not fit.

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
        return self.dropout(embedding(tokens) * math.sqrt(self.d_model) + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        memory_mask = places < lengths.to(source.device).unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        x = self.decoder(
            self.embed(self.target_embedding, tokens), memory, causal_mask(length).to(tokens.device), memory_mask
        )
        return self.output(x)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        shifted = torch.roll(targets, 1, dims=1)
        shifted[:, 0] = self.bos_id
        return self.decode(shifted, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source.new_empty((source.shape[0], 0)), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.hstack([tokens, token.unsqueeze(1)])
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% correct: with functions beside the class

from functools import reduce


def moved_right(tokens: Tensor, first: int) -> Tensor:
    longer = F.pad(tokens, (1, 0), value=first)
    return longer.narrow(1, 0, tokens.shape[1])


def real_places(lengths: Tensor, size: int, device: torch.device) -> Tensor:
    return torch.arange(size, device=device).view(1, 1, size) < lengths.to(device).view(-1, 1, 1)


def looks_back(size: int, device: torch.device) -> Tensor:
    place = torch.arange(size, device=device)
    return place.unsqueeze(0) <= place.unsqueeze(1)


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
        climb = reduce(lambda stream, layer: layer(stream, memory, mask, memory_mask), self.layers, x)
        return self.norm(climb)


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
        sines = sinusoidal_encoding(tokens.shape[1], self.d_model).to(embedding.weight)
        return self.dropout(torch.add(sines, embedding(tokens), alpha=math.sqrt(self.d_model)))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        allowed = real_places(lengths, source.shape[1], source.device)
        return self.encoder(self.embed(self.source_embedding, source), allowed), allowed

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        stream = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(stream, memory, looks_back(tokens.shape[1], tokens.device), memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(moved_right(targets, self.bos_id), *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nothing = torch.empty(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return (nothing,) + self.encode(source, lengths)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        so_far, *rest = state
        longer = torch.column_stack([so_far, token])
        return self.decode(longer, *rest).select(1, -1), (longer, *rest)


# %% correct: forward starts where step does

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
        stream, level = x, 0
        while level < len(self.layers):
            stream = self.layers[level](stream, memory, mask=mask, memory_mask=memory_mask)
            level += 1
        return self.norm(stream)


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
        batch_size, length = tokens.shape
        positions = sinusoidal_encoding(length, embedding.embedding_dim)
        x = torch.empty(batch_size, length, embedding.embedding_dim, device=tokens.device, dtype=embedding.weight.dtype)
        x = x.copy_(positions.expand_as(x)) + embedding(tokens).mul(embedding.embedding_dim**0.5)
        return self.dropout(x)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        rows = []
        for length in lengths.tolist():
            row = torch.zeros(1, source.shape[1], dtype=torch.bool, device=source.device)
            row[:, :length] = True
            rows.append(row)
        mask = torch.stack(rows)
        memory = self.encoder(self.embed(self.source_embedding, source), mask=mask)
        return memory, mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1).logical_not()
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def _append(self, state: tuple, more: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        tokens, memory, memory_mask = state
        return torch.cat([tokens, more.to(tokens.dtype)], dim=1), memory, memory_mask

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        state = self.start(source, lengths)
        state = self._append(state, torch.full((len(targets), 1), self.bos_id, device=targets.device))
        state = self._append(state, targets)
        tokens, memory, memory_mask = state
        return self.decode(tokens[:, :-1], memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, device=source.device).long(), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        state = self._append(state, token.reshape(-1, 1))
        return self.decode(*state)[:, -1], state
