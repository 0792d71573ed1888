# %% wrong: the whole window goes into loss
# loss reads all T + 1 tokens and drops the last row of logits. The same number for shorter windows; for one of
# max_length + 1 tokens, which is what a model of max_length is trained on, forward raises ValueError.

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
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(T)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: shifted twice
# The last token is dropped on the way in, and then logits and targets are shifted against each other once more: row t is
# scored on token t + 2, and there are T - 1 predictions (none, and NaN, for windows of two tokens).

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
        x = self.token_embedding(tokens)
        x = self.positions(x)
        x = self.dropout(x)
        mask = causal_mask(tokens.shape[1])
        for layer in self.layers:
            x = layer(x, mask)
        x = self.norm(x)
        return F.linear(x, self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        targets = tokens[:, 1:]
        return F.cross_entropy(logits[:, :-1].transpose(1, 2), targets[:, 1:])


# %% wrong: embeddings times the root of d_model
# Taken over from the translator, whose embeddings are multiplied by sqrt(d_model) before the sinusoids are added. GPT-2's
# form has no such factor: other logits for every input as soon as d_model > 1.

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
        B, T = tokens.shape
        d_model = self.token_embedding.embedding_dim
        x = self.token_embedding(tokens) * math.sqrt(d_model)
        x = self.dropout(self.positions(x))
        for layer in self.layers:
            x = layer(x, causal_mask(T))
        return self.norm(x) @ self.token_embedding.weight.t()

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        logits = self.forward(inputs)
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))


# %% wrong: no last norm
# What comes out of the layers goes to the logits as it is; self.norm is never called and its parameters get no gradient.
# Shows in the logits of every input.

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
        h = self.dropout(self.positions(self.token_embedding(tokens)))
        allowed = causal_mask(tokens.shape[1])
        for layer in self.layers:
            h = layer(h, allowed)
        return h @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% correct: one-hot words, in and out by einsum

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
        length, most = tokens.shape[1], self.positions.weight.shape[0]
        if length > most:
            raise ValueError(f"{length} tokens, and no more than {most} positions")
        place = torch.arange(length, device=tokens.device)
        not_later = place <= place[:, None]
        words = F.one_hot(tokens, self.token_embedding.num_embeddings).to(self.token_embedding.weight.dtype)
        stream = self.dropout(self.positions(torch.einsum("btv,vd->btd", words, self.token_embedding.weight)))
        for layer in self.layers:
            stream = layer(stream, not_later)
        return torch.einsum("btd,vd->btv", self.norm(stream), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens.narrow(1, 0, tokens.shape[1] - 1))
        came = logits.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
        return (logits.logsumexp(dim=2) - came).mean()


# %% correct: the tower as one list of steps, the loss place by place

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
        mask = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool, device=tokens.device).tril()
        steps = [self.token_embedding, self.positions, self.dropout]
        steps += [lambda x, layer=layer: layer(x, mask) for layer in self.layers]
        steps += [self.norm, lambda h: (self.token_embedding.weight @ h.transpose(1, 2)).transpose(1, 2)]
        found = tokens
        for step in steps:
            found = step(found)
        return found

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = self(tokens[:, :-1]).log_softmax(dim=2).unbind(dim=1)
        nats = [F.nll_loss(row, target) for row, target in zip(log_p, tokens[:, 1:].unbind(dim=1), strict=True)]
        return torch.stack(nats).mean()  # every place has the same B predictions
