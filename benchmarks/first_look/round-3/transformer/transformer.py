# %% wrong: the decoder's last norm is forgotten
# TransformerDecoder runs its layers and returns the bare stream; self.norm is made and never used.
# Breaks "layers, then norm" where norm_first. Hint: what norms the end of a pre-norm stream?

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

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
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

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
        return self.dropout(x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: the targets are shifted in place
# forward writes the shifted tokens into the tensor that it was given.
# Breaks "the caller's targets are left as they were": the loss behind it sees shifted targets. Hint: print targets before and after the call.

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

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
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

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
        return self.dropout(x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, 0] = self.bos_id
        return self.decode(targets, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: the mask is as wide as the longest sentence
# encode makes the mask lengths.max() wide instead of source.shape[1].
# Right where the longest sentence fills the batch; where every row has padding the mask does not fit (B, 1, S). Hint: S is the width of source.

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

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
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

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
        return self.dropout(x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, int(lengths.max()))
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: the notebook's BOS_ID instead of the model's
# forward puts the global BOS_ID at place 0, not the bos_id that the constructor was given.
# Right in this notebook, wrong for any vocabulary with another start token. Hint: for what does the constructor keep self.bos_id?

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

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
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

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
        return self.dropout(x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        return self.output(self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        first = torch.full_like(targets[:, :1], BOS_ID)
        return self.decode(torch.cat([first, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.int64, device=source.device), memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% correct: functional, with a pad for the shift

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

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
        for depth in range(len(self.layers)):
            x = self.layers[depth](x=x, memory=memory, memory_mask=memory_mask, mask=mask)
        return self.norm(x)


class Transformer(nn.Module):
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

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
        vectors = math.sqrt(embedding.embedding_dim) * F.embedding(tokens, embedding.weight)
        positions = sinusoidal_encoding(tokens.size(1), embedding.embedding_dim)
        positions = positions.to(device=vectors.device, dtype=vectors.dtype)
        return F.dropout(vectors + positions.unsqueeze(0), self.dropout.p, self.training)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.size(1), device=source.device)
        memory_mask = (places[None, None, :] < lengths.to(source.device)[:, None, None])
        memory = self.encoder(x=self.embed(self.source_embedding, source), mask=memory_mask)
        return memory, memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        places = torch.arange(tokens.size(1), device=tokens.device)
        may_attend = places[:, None] >= places[None, :]
        stream = self.embed(self.target_embedding, tokens)
        stream = self.decoder(x=stream, memory=memory, mask=may_attend, memory_mask=memory_mask)
        return F.linear(stream, self.output.weight, self.output.bias)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        shifted = F.pad(targets, (1, 0), value=self.bos_id)[:, :-1]
        return self.decode(shifted, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nothing = source.new_empty((source.size(0), 0), dtype=torch.long)
        return (nothing, *self.encode(source, lengths))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        so_far, *rest = state
        so_far = torch.hstack((so_far, token.reshape(-1, 1)))
        return self.decode(so_far, *rest).select(1, so_far.size(1) - 1), (so_far, *rest)


# %% correct: a roll for the shift, where for the first token

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

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
        stream = x
        for layer in self.layers.children():
            stream = layer(stream, memory, mask, memory_mask)
        return self.norm(stream)


class Transformer(nn.Module):
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

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
        scale = torch.tensor(float(self.d_model), dtype=vectors.dtype, device=vectors.device).sqrt()
        positions = sinusoidal_encoding(tokens.shape[-1], self.d_model).to(vectors)
        return self.dropout(torch.addcmul(positions.expand_as(vectors), vectors, scale))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, max_length=source.shape[-1])
        x = self.embed(self.source_embedding, source)
        return self.encoder(x, memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(diagonal=1)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, ~future, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        rolled = targets.roll(1, dims=1)
        at_the_start = torch.arange(targets.shape[1], device=targets.device) == 0
        going_in = torch.where(at_the_start, torch.full_like(rolled, self.bos_id), rolled)
        memory, memory_mask = self.encode(source, lengths)
        return self.decode(going_in, memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.empty(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens = torch.cat((state[0], token[:, None]), dim=1)
        memory, memory_mask = state[1], state[2]
        logits = self.decode(tokens, memory, memory_mask)
        return logits[:, tokens.shape[1] - 1, :], (tokens, memory, memory_mask)
