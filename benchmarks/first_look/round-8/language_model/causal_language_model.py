# %% wrong: the dropout forgotten
# The sum of embedding and positions goes into the layers without dropout. The same in eval mode and at dropout 0;
# shows in training mode with dropout above 0, most plainly with no layers or dropout near 1.

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
        x = self.positions(self.token_embedding(tokens))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: the embedding scaled
# Multiplies the embedding by the root of d_model, as the Transformer of 2017 does; GPT-2 and the formula of the
# text do not. All logits are others, for every d_model above 1.

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
        self.d_model = d_model

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token_embedding(tokens) * math.sqrt(self.d_model)
        x = self.dropout(self.positions(x))
        for layer in self.layers:
            x = layer(x, causal_mask(tokens.shape[1]).to(tokens.device))
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self.forward(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: a tied layer with a bias
# nn.Linear has a bias unless told otherwise: its matrix is tied to the embedding, and a random vector is added to
# the logits and counted among the parameters. The docstring promises no output bias.

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
        self.output = nn.Linear(d_model, vocab_size)
        self.output.weight = self.token_embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        mask = causal_mask(T).to(tokens.device)
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        for layer in self.layers:
            x = layer(x, mask)
        return self.output(self.norm(x))

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))


# %% wrong: the last token goes in too
# loss reads all T + 1 tokens and throws the last row away: the same number, except for windows of max_length + 1
# tokens, whose T = max_length inputs fit: a ValueError.

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
        return self.norm(x) @ self.token_embedding.weight.t()

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]  # the last row is about a token that is not there
        targets = tokens[:, 1:]
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% correct: by index and einsum

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
        E = self.token_embedding.weight
        place = torch.arange(tokens.size(1), device=tokens.device)
        if len(place) > len(self.positions.weight):
            raise ValueError(f"{len(place)} tokens, {len(self.positions.weight)} positions")
        words = E.index_select(0, tokens.reshape(-1)).view(*tokens.shape, -1)
        stream = self.dropout(words + self.positions.weight[place])
        not_after = place.unsqueeze(0).le(place.unsqueeze(1))
        for layer in self.layers:
            stream = layer(stream, not_after)
        return torch.einsum("vd,btd->btv", E, self.norm(stream))

    def loss(self, tokens: Tensor) -> Tensor:
        came = tokens[:, 1:]
        logits = self(tokens[:, : came.size(1)])
        of_what_came = torch.take_along_dim(logits, came.unsqueeze(2), dim=2).squeeze(2)
        return (logits.logsumexp(dim=2) - of_what_came).mean()


# %% correct: the loss place by place

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
        batch, length = tokens.shape
        x = self.positions(self.token_embedding(tokens))  # raises the ValueError
        mask = torch.stack([torch.arange(length) <= t for t in range(length)]).to(tokens.device)
        x = F.dropout(x, p=self.dropout.p, training=self.training)
        for layer in self.layers:
            x = layer(x, mask.expand(batch, -1, -1))
        return torch.matmul(self.token_embedding.weight, self.norm(x).transpose(1, 2)).transpose(1, 2)

    def loss(self, tokens: Tensor) -> Tensor:
        *inputs, _ = tokens.unbind(dim=1)
        rows = self(torch.stack(inputs, dim=1)).unbind(dim=1)
        of_places = [F.nll_loss(row.log_softmax(dim=1), tokens[:, t]) for t, row in enumerate(rows, start=1)]
        return torch.stack(of_places).mean()  # every place has B predictions
