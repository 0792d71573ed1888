# %% wrong: the loss reads all tokens and drops the last row
# The T + 1 tokens of a window go in at once. With T = max_length, which is allowed, that is one token too many:
# ValueError. (Shorter windows give the same loss.)


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
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: shifted twice
# The input loses its last token and the targets their first, and then logits and labels are shifted against each
# other once more: row t is trained on token t + 2. Shows for every window; with T = 1 the loss is nan.


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
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, labels = tokens[:, :-1], tokens[:, 1:]
        logits = self(inputs)
        shifted_logits, shifted_labels = logits[:, :-1], labels[:, 1:]
        return F.cross_entropy(
            shifted_logits.reshape(-1, shifted_logits.shape[-1]), shifted_labels.reshape(-1)
        )


# %% wrong: dropout on the embedding before the positions
# "Dropout acts on embedding plus position": here the positions are never dropped. Shows in training mode with
# dropout > 0 (with a dropout near 1 the position still comes through).


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
        x = self.positions(self.dropout(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: the rows of the table added by hand
# weight[:T] in place of the module: T above max_length gives a RuntimeError of broadcasting in place of the
# ValueError, and with max_length = 1 the one row is broadcast in silence.


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
        x = self.token_embedding(tokens) + self.positions.weight[:length]
        x = self.dropout(x)
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% correct: one-hot rows times the matrix at both ends


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
        length, table = tokens.shape[1], self.token_embedding.weight
        if length > len(self.positions.weight):
            raise ValueError(f"at most {len(self.positions.weight)} tokens, got {length}")
        one_hot = F.one_hot(tokens, len(table)).to(table.dtype)
        where = torch.arange(length, device=tokens.device)
        stream = torch.einsum("btv,vd->btd", one_hot, table) + self.positions.weight[where]
        stream = self.dropout(stream)
        for layer in self.layers:
            stream = layer(stream, where[:, None] >= where)
        return torch.einsum("btd,vd->btv", self.norm(stream), table)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = self(tokens[:, :-1]).log_softmax(dim=2)
        hits = F.one_hot(tokens[:, 1:], log_p.shape[2]).bool()
        return -log_p.masked_select(hits).mean()


# %% correct: a fold over the layers, and the logsumexp minus the wanted logit


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
        from functools import reduce

        batch, length = tokens.shape
        allowed = torch.ones(1, length, length, device=tokens.device).tril() > 0
        start = self.dropout(self.positions(self.token_embedding(tokens)))
        end = reduce(lambda x, layer: layer(x, allowed), self.layers, start)
        rows = self.norm(end).reshape(batch * length, -1)
        return torch.mm(rows, self.token_embedding.weight.t()).view(batch, length, -1)

    def loss(self, tokens: Tensor) -> Tensor:
        context, following = tokens.split([tokens.shape[1] - 1, 1], dim=1)[0], tokens[:, 1:]
        logits = self.forward(context)
        wanted = logits.gather(2, following.unsqueeze(2)).squeeze(2)
        return (logits.logsumexp(dim=2) - wanted).mean()
