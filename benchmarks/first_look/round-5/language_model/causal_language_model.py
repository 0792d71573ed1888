# %% wrong: all tokens go in, and the last row is thrown away
# loss reads T + 1 tokens where only the first T may go in: a window for all max_length positions raises an error.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if T > position_table(self).shape[0]:
            raise ValueError(f"{T} tokens are more than there are positions")
        x = self.dropout(self.token_embedding(tokens) + position_table(self)[:T])
        mask = causal_mask(T).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: the root of chapter 06
# The embedding is multiplied by the root of d_model as in the translator; here nothing says so, and GPT-2 does not.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        places = position_table(self)
        if length > len(places):
            raise ValueError("too many tokens")
        x = self.token_embedding(tokens) * math.sqrt(self.token_embedding.embedding_dim)
        x = self.dropout(x + places[:length])
        for layer in self.layers:
            x = layer(x, causal_mask(length).to(x.device))
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: an output layer that only begins as the embedding
# A Linear gets a copy of the embedding's values: equal before training, but not one matrix, and V * D parameters more.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

        self.output = nn.Linear(d_model, vocab_size, bias=False)
        self.output.weight.data = self.token_embedding.weight.data.clone()

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        if T > position_table(self).shape[0]:
            raise ValueError(f"T is {T}, too long")
        x = self.dropout(self.token_embedding(tokens) + position_table(self)[:T])
        for layer in self.layers:
            x = layer(x, causal_mask(T).to(tokens.device))
        return self.output(self.norm(x))

    def loss(self, tokens: Tensor) -> Tensor:
        return F.cross_entropy(self(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])


# %% wrong: what is too long is cut off
# Where T is above max_length the model quietly reads the last tokens only, instead of raising ValueError.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        table = position_table(self)
        tokens = tokens[:, -len(table) :]
        T = tokens.shape[1]
        x = self.dropout(self.token_embedding(tokens) + table[:T])
        allowed = causal_mask(T).to(x.device)
        for layer in self.layers:
            x = layer(x, allowed)
        x = self.norm(x)
        return x @ self.token_embedding.weight.t()

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        return F.cross_entropy(self(inputs).flatten(0, 1), targets.flatten())


# %% wrong: shifted twice
# The last token is left out of the input, and the rows are shifted against the targets once more: row t is trained
# on token t + 2.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if T > position_table(self).shape[0]:
            raise ValueError("longer than max_length")
        x = self.dropout(self.token_embedding(tokens) + position_table(self)[:T])
        mask = causal_mask(T).to(x.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        inputs = tokens[:, :-1]
        targets = tokens[:, 1:]
        logits = self(inputs)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten())


# %% correct: one-hot tokens and a tower by recursion

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def _climb(self, x: Tensor, mask: Tensor, layers: list) -> Tensor:
        if not layers:
            return self.norm(x)
        return self._climb(layers[0](x, mask), mask, layers[1:])

    def forward(self, tokens: Tensor) -> Tensor:
        table, words = position_table(self), self.token_embedding.weight
        B, T = tokens.shape
        if T > table.shape[0]:
            raise ValueError(f"there are {table.shape[0]} positions, and {T} tokens")
        x = F.one_hot(tokens, words.shape[0]).to(words.dtype) @ words + table[:T]
        place = torch.arange(T, device=tokens.device)
        h = self._climb(self.dropout(x), place[:, None] >= place, list(self.layers))
        return torch.einsum("btd,vd->btv", h, words)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self.forward(tokens[:, :-1])
        following = tokens[:, 1:].unsqueeze(2)
        return (logits.logsumexp(dim=2, keepdim=True) - logits.gather(2, following)).mean()


# %% correct: the loss picked out place by place

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # logits of order one
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def read(self, tokens: Tensor) -> Tensor:
        """The outputs of the last norm, (B, T, D)."""
        positions = torch.arange(tokens.size(1), device=tokens.device)
        available = position_table(self)
        if len(positions) > len(available):
            raise ValueError(f"at most {len(available)} tokens, not {len(positions)}")
        stream = self.dropout(self.token_embedding(tokens).add(available.index_select(0, positions)))
        future = torch.ones(len(positions), len(positions), device=tokens.device).triu(diagonal=1).bool()
        for layer in self.layers:
            stream = layer(stream, mask=~future)
        return self.norm(stream)

    def forward(self, tokens: Tensor) -> Tensor:
        return F.linear(self.read(tokens), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        *given, _ = tokens.unbind(1)
        rows = self(torch.stack(given, dim=1)).log_softmax(dim=-1).unbind(1)
        each = torch.arange(len(tokens), device=tokens.device)
        picked = [row[each, following] for row, following in zip(rows, tokens.unbind(1)[1:], strict=True)]
        return -torch.stack(picked).mean()
