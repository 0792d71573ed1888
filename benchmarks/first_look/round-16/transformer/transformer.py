# %% wrong: start switches the model to evaluation
# Writing wants no dropout, so start calls self.eval(). A model in training mode is in evaluation
# mode afterwards, without dropout from then on: it shows in model.training, and with dropout > 0.

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device, x.dtype)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        bos = torch.full_like(targets[:, :1], self.bos_id)
        return self.decode(torch.cat([bos, targets[:, :-1]], dim=1), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.eval()
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: the word 0 is hidden as padding
# decode also hides the places of id 0 from the self-attention. In a vocabulary where 0 is a word,
# or bos_id is 0, the logits after it are others. It shows for targets with a 0 before the end.

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device, x.dtype)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        mask = mask & (tokens != 0).unsqueeze(1)  # (B, T, T): nobody reads padding
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

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
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% wrong: step shifts once more
# step gives its tokens to the same shift as forward, so the newest never goes in. The first step,
# fed with bos_id, is right; from the second on the logits are those of a column before.

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
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device, x.dtype)
        return self.dropout(x + positions)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

    def shifted(self, tokens: Tensor) -> Tensor:
        bos = torch.full_like(tokens[:, :1], self.bos_id)
        return torch.cat([bos, tokens[:, :-1]], dim=1)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source, lengths)
        return self.decode(self.shifted(targets), memory, memory_mask)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        tokens = torch.zeros(source.shape[0], 0, dtype=torch.int64, device=source.device)
        return tokens, memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        logits = self.decode(self.shifted(tokens), memory, memory_mask)
        return logits[:, -1], (tokens, memory, memory_mask)


# %% wrong: the root multiplies the sum
# The sines are multiplied by the root of d_model as well, and outweigh the words. It shows in embed
# for any tokens with d_model above one.

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
        x = x + sinusoidal_encoding(tokens.shape[1], self.d_model).to(x.device, x.dtype)
        return self.dropout(x * self.d_model**0.5)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        x = self.embed(self.target_embedding, tokens)
        return self.output(self.decoder(x, memory, mask, memory_mask))

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
        return self.decode(tokens, memory, memory_mask)[:, -1], (tokens, memory, memory_mask)


# %% correct: padded shift, masks by comparing positions

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
        vectors = F.embedding(tokens, embedding.weight)
        sines = sinusoidal_encoding(tokens.shape[-1], self.d_model).to(vectors)
        return self.dropout(torch.add(sines, vectors, alpha=self.d_model**0.5))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(source.shape[1], device=source.device)
        real = torch.lt(places.view(1, 1, -1), lengths.to(source.device).view(-1, 1, 1))
        return self.encoder(self.embed(self.source_embedding, source), mask=real), real

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        earlier = places.unsqueeze(0) <= places.unsqueeze(1)
        stream = self.decoder(
            self.embed(self.target_embedding, tokens), memory, mask=earlier, memory_mask=memory_mask
        )
        return self.output(stream)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        goes_in = F.pad(targets[:, :-1], (1, 0), value=self.bos_id)
        return self.decode(goes_in, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, real = self.encode(source, lengths)
        return source.new_empty((source.shape[0], 0), dtype=torch.int64), memory, real

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        written = F.pad(state[0], (0, 1))
        written[:, -1] = token
        logits = self.decode(written, *state[1:])
        return logits.select(1, written.shape[1] - 1), (written, *state[1:])


# %% correct: roll for the shift, one step for every sequence of the state

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
        table = embedding.weight * self.d_model**0.5
        x = table[tokens]
        for_each = sinusoidal_encoding(tokens.shape[1], embedding.embedding_dim)
        return self.dropout(x + for_each.to(device=x.device, dtype=x.dtype).expand_as(x))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        x = self.embed(self.source_embedding, source)
        counted = torch.ones_like(source).cumsum(dim=1)
        real = (counted <= lengths.to(source.device)[:, None])[:, None, :]
        return self.encoder(x, real), real

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        later = torch.ones(length, length, device=tokens.device).triu(1).bool()
        x = self.embed(self.target_embedding, tokens)
        x = self.decoder(x, memory, later.logical_not(), memory_mask)
        return F.linear(x, self.output.weight, self.output.bias)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        first = torch.arange(targets.shape[1], device=targets.device) == 0
        before = targets.roll(1, dims=1).masked_fill(first, self.bos_id)
        memory, real = self.encode(source, lengths)
        return self.decode(before, memory, real)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (source[:, :0].long().clone(), *self.encode(source, lengths))

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        old, memory, real = state
        new = torch.stack([*old.unbind(dim=1), token.to(old.dtype)], dim=1)
        return self.decode(new, memory, real)[:, -1, :], (new, memory, real)
