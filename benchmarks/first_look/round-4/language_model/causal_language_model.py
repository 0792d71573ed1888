# %% wrong: the mask in the first layer only
# The causal mask goes to the first layer and the others get none, in the belief that what comes out of a masked layer
# is safe. The second layer then reads the places to the right, and the answer leaks in.
# Hint: change one token near the end; with two layers, which rows of the logits move?

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
        if tokens.shape[1] > self.positions.weight.shape[0]:
            raise ValueError("more tokens than positions")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
            mask = None
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: minus the distance to each embedding for logits
# The logits are minus the distances to the rows of the embedding, as if the model drew a point near the next token.
# The text says dot products: another function, and longer rows are not favoured any more.
# Hint: read the formula in section 7.3 again. What is h compared with, and by which operation?

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
        if length > self.positions.weight.shape[0]:
            raise ValueError(f"{length} tokens, but the model has {self.positions.weight.shape[0]} positions")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        h = self.norm(x)
        return -torch.cdist(h, self.token_embedding.weight.unsqueeze(0))

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: the last token goes in too
# The loss reads all T + 1 tokens and cuts the last row of logits off, as other libraries do. With windows of
# max_length + 1 tokens, which are legal, forward refuses.
# Hint: how many tokens does forward get for a window of T + 1, and what happens where T is max_length?

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
        if length > self.positions.weight.shape[0]:
            raise ValueError(f"{length} tokens, but the model has {self.positions.weight.shape[0]} positions")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)
        shifted, labels = logits[:, :-1].contiguous(), tokens[:, 1:].contiguous()
        return F.cross_entropy(shifted.view(-1, shifted.shape[-1]), labels.view(-1))


# %% wrong: embeddings multiplied by the root of the width
# The embeddings are multiplied by sqrt(d_model), as in the Transformer of 2017. This model's formula adds the
# positions to the embedding as it is, so every logit comes out different and GPT-2's weights would not fit.
# Hint: compare the first line of your forward with the formula for x_t.

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
        if length > self.positions.weight.shape[0]:
            raise ValueError(f"{length} tokens, but the model has {self.positions.weight.shape[0]} positions")
        x = self.token_embedding(tokens) * math.sqrt(self.token_embedding.embedding_dim)
        x = self.dropout(self.positions(x))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: the first dropout forgotten
# The dropout after the positions is made in the constructor and never used. In eval mode, or with dropout 0, nothing
# shows; in training the embeddings are never dropped.
# Hint: which of the parts that the constructor makes does your forward not use?

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
        if length > self.positions.weight.shape[0]:
            raise ValueError(f"{length} tokens, but the model has {self.positions.weight.shape[0]} positions")
        x = self.positions(self.token_embedding(tokens))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        x = self.norm(x)
        return x @ self.token_embedding.weight.transpose(0, 1)

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        return F.cross_entropy(self(inputs).flatten(0, 1), targets.flatten())


# %% correct: einsum for the logits and the log-probabilities gathered by hand

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
            raise ValueError(f"at most {most} tokens, not {length}")
        not_later = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        h = self.dropout(self.positions(self.token_embedding(tokens)))
        for layer in self.layers:
            h = layer(h, not_later)
        return torch.einsum("btd,vd->btv", self.norm(h), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = self(tokens[:, :-1]).log_softmax(dim=2)
        of_next = log_p.gather(2, tokens[:, 1:, None])
        return of_next.neg().mean()


# %% correct: a helper for the tower, and the loss place by place

def up_the_tower(x, layers, mask):
    return x if not layers else up_the_tower(layers[0](x, mask), layers[1:], mask)


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

    def _hidden(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        return self.norm(up_the_tower(x, list(self.layers), places.unsqueeze(1) >= places))

    def forward(self, tokens: Tensor) -> Tensor:
        if tokens.size(1) > len(self.positions.weight):
            raise ValueError("the window is longer than the table of positions")
        return F.linear(self._hidden(tokens), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        rows = self(tokens[:, :-1]).unbind(1)
        nats = [F.cross_entropy(row, tokens[:, t + 1]) for t, row in enumerate(rows)]  # the same B at every place
        return torch.stack(nats).mean()
