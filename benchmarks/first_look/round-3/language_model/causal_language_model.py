# %% wrong: embeddings times the root, as in chapter 06
# The token embedding is multiplied by the root of d_model before the positions are added.
# Breaks the formula x = E + P of this chapter (GPT-2's form). Hint: which formula stands above the exercise, and what is the standard deviation that the table starts with?

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions, dropout,
    encoder layers with the norm first and a causal mask, a last norm. The logits are the dot
    products of what comes out with every token's embedding: input and output share one matrix
    (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about token
    t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

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
        if tokens.shape[1] > len(self.positions.weight):
            raise ValueError(f"at most {len(self.positions.weight)} tokens, got {tokens.shape[1]}")
        x = self.dropout(self.positions(self.token_embedding(tokens) * self.token_embedding.embedding_dim**0.5))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: targets that are not shifted
# The loss asks at each place for the token that has just gone in.
# Breaks "every token but the first is a target". Hint: row t of the logits is about token t + 1.

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions, dropout,
    encoder layers with the norm first and a causal mask, a last norm. The logits are the dot
    products of what comes out with every token's embedding: input and output share one matrix
    (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about token
    t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

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
        if tokens.shape[1] > len(self.positions.weight):
            raise ValueError(f"at most {len(self.positions.weight)} tokens, got {tokens.shape[1]}")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, :-1].flatten())


# %% wrong: the loss reads the whole window
# All T + 1 tokens go in, and the last row of logits is thrown away.
# The same number while there is room; for a window of max_length + 1 tokens it raises, though only max_length should go in. Hint: "every one but the last goes in".

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions, dropout,
    encoder layers with the norm first and a causal mask, a last norm. The logits are the dot
    products of what comes out with every token's embedding: input and output share one matrix
    (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about token
    t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

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
        if tokens.shape[1] > len(self.positions.weight):
            raise ValueError(f"at most {len(self.positions.weight)} tokens, got {tokens.shape[1]}")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: an output layer with a bias
# The output is an nn.Linear whose weight is tied to the embedding, but which keeps its own bias.
# Breaks "there is no output bias": the logits are not the dot products alone. Hint: what is the default of nn.Linear's bias?

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions, dropout,
    encoder layers with the norm first and a causal mask, a last norm. The logits are the dot
    products of what comes out with every token's embedding: input and output share one matrix
    (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about token
    t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

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
        if tokens.shape[1] > len(self.positions.weight):
            raise ValueError(f"at most {len(self.positions.weight)} tokens, got {tokens.shape[1]}")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.output(self.norm(x))

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% correct: einsum, and the loss by logsumexp

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions, dropout,
    encoder layers with the norm first and a causal mask, a last norm. The logits are the dot
    products of what comes out with every token's embedding: input and output share one matrix
    (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about token
    t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

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
        length = tokens.size(1)
        most = self.positions.weight.size(0)
        if not length <= most:
            raise ValueError(f"{length} tokens, but there are only {most} positions")
        places = torch.arange(length, device=tokens.device)
        may_attend = places.unsqueeze(0) <= places.unsqueeze(1)
        table = self.token_embedding.weight
        stream = F.embedding(tokens, table) + self.positions.weight[None, :length]
        stream = self.dropout(stream)
        for depth in range(len(self.layers)):
            stream = self.layers[depth](stream, mask=may_attend)
        return torch.einsum("btd,vd->btv", self.norm(stream), table)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self.forward(tokens[:, : tokens.size(1) - 1])
        chosen = torch.gather(logits, 2, tokens[:, 1:, None])[..., 0]
        return torch.mean(logits.logsumexp(2) - chosen)


# %% correct: functional linear and a helper for the tower

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions, dropout,
    encoder layers with the norm first and a causal mask, a last norm. The logits are the dot
    products of what comes out with every token's embedding: input and output share one matrix
    (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about token
    t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

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
        if length > self.positions.weight.shape[0]:
            raise ValueError("more tokens than positions")
        x = self.positions(self.token_embedding(tokens))
        return F.linear(self._tower(self.dropout(x)), self.token_embedding.weight)

    def _tower(self, x: Tensor) -> Tensor:
        future = torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1).bool()
        for layer in self.layers:
            x = layer(x, future.logical_not().unsqueeze(0))
        return self.norm(x)

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        log_p = self(inputs).log_softmax(dim=-1)
        return F.nll_loss(log_p.movedim(2, 1), targets, reduction="mean")
