# %% wrong: the targets are shifted in place
# Shift right writes into the caller's targets: after forward they begin with bos_id and the loss is taken
# against the wrong words. Shows in every call, in targets.

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
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors)
        return self.dropout(vectors + positions)

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
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: the state begins with bos_id already
# start puts bos_id into the tokens and step is fed with it again: it stands there twice and all is one
# place later than in forward. Shows in start's tokens, (B, 1), and in each step's logits.

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
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors)
        return self.dropout(vectors + positions)

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
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.full((source.shape[0], 1), self.bos_id, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: the encoder reads the padding
# The mask is made and handed to the decoder, and the encoder's own attention goes without it. Shows where a
# length is below S: what stands in the padding moves the memory at real tokens.

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
        vectors = embedding(tokens) * math.sqrt(self.d_model)
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors)
        return self.dropout(vectors + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory = self.encoder(self.embed(self.source_embedding, source))
        return memory, padding_mask(lengths, source.shape[1])

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
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% wrong: the root multiplies the sum
# (vectors + positions) times the root: the sines are scaled as well. Shows for every input with d_model > 1,
# in embed.

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
        vectors = embedding(tokens)
        vectors = vectors + sinusoidal_encoding(tokens.shape[1], self.d_model).to(vectors)
        return self.dropout(vectors * self.d_model**0.5)

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
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)

# %% correct: rolled targets and masks by comparison

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
        places = sinusoidal_encoding(tokens.shape[-1], embedding.embedding_dim)
        table = embedding.weight
        return self.dropout(torch.add(places.to(table), embedding(tokens), alpha=embedding.embedding_dim**0.5))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        place = torch.arange(source.shape[1], device=source.device)
        real = (place < lengths.to(source.device).unsqueeze(1)).unsqueeze(1)
        return self.encoder(self.embed(self.source_embedding, source), real), real

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        past = place.unsqueeze(1) >= place
        stream = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(stream, memory, mask=past, memory_mask=memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = targets.roll(1, dims=1)  # a copy
        first = torch.arange(targets.shape[1], device=targets.device) == 0
        return self.decode(shifted.masked_fill(first, self.bos_id), *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (source.new_empty((len(source), 0), dtype=torch.int64), *self.encode(source, lengths))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        before, *read = state
        now = F.pad(before, (0, 1))
        now[:, -1] = token
        return self.decode(now, *read).select(1, -1), (now, *read)

# %% correct: one-hot rows, and a forward by way of start

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
        def level(number: int) -> Tensor:
            if number < 0:
                return x
            return self.layers[number](level(number - 1), memory, mask, memory_mask)

        return self.norm(level(len(self.layers) - 1))


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
        weight = embedding.weight
        rows = F.one_hot(tokens.long(), weight.shape[0]).to(weight.dtype) @ (weight * weight.shape[1] ** 0.5)
        return self.dropout(rows + sinusoidal_encoding(tokens.shape[1], weight.shape[1]).to(rows))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        real = torch.zeros(source.shape[0], 1, source.shape[1], dtype=torch.bool, device=source.device)
        for row, length in zip(real, lengths.tolist(), strict=True):
            row[:, :length] = True
        return self.encoder(self.embed(self.source_embedding, source), real), real

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(diagonal=1)
        written = self.decoder(self.embed(self.target_embedding, tokens), memory, ~future, memory_mask)
        return torch.einsum("btd,vd->btv", written, self.output.weight) + self.output.bias

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        nothing, memory, memory_mask = self.start(source, lengths)
        goes_in = F.pad(targets[:, : targets.shape[1] - 1], (1, 0), value=self.bos_id)
        return self.decode(torch.cat([nothing, goes_in], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        columns = [*state[0].unbind(dim=1), token]
        state = (torch.stack(columns, dim=1), state[1], state[2])
        return self.decode(*state)[:, len(columns) - 1], state
