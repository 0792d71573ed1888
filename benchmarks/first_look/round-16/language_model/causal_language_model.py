# %% wrong: tied by a copy
# The output layer is made anew with the embedding's .data: the logits are right, but no gradient reaches the embedding
# through the output, so its gradient is wrong in every training step (rows of tokens that were not read get none).


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
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
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
        vocab_size, d_model = self.token_embedding.weight.shape
        output = nn.Linear(d_model, vocab_size, bias=False)
        output.weight.data = self.token_embedding.weight.data  # one matrix for both
        return output(self.norm(x))

    def loss(self, tokens: Tensor) -> Tensor:
        return F.cross_entropy(self(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: dropout before the positions are added
# Dropout acts on the embedding alone, so the positions always come through whole: wrong in training with dropout > 0
# (with dropout = 1 the first layer should see zeros, and here sees the positions).


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
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
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
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: token 0 hidden as padding
# Chapter 06's mask, causal and not padding, is taken over. Here no token is padding, so every window with a token 0 gets
# wrong logits from that place on.


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
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
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
        mask = causal_mask(T).to(tokens.device) & (tokens != 0).unsqueeze(1)  # (B, T, T)
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: the mask in training only
# "When it writes there is no future to hide." In eval mode every row but the last looks ahead, so row t depends on tokens
# after t: wrong for every T > 1 after model.eval(), and the validation loss is too good.


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
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
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
        mask = causal_mask(tokens.shape[1]).to(tokens.device) if self.training else None
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        return F.cross_entropy(self(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].reshape(-1))


# %% correct: one-hot lookups, and the loss as logsumexp less the target's logit


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
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
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

    def _one_hot(self, tokens: Tensor) -> Tensor:
        return F.one_hot(tokens, self.token_embedding.num_embeddings).to(self.token_embedding.weight.dtype)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        if length > len(self.positions.weight):
            raise ValueError(f"{length} tokens, but {len(self.positions.weight)} positions")
        place = torch.arange(length, device=tokens.device)
        E = self.token_embedding.weight
        x = self.dropout(torch.einsum("btv,vd->btd", self._one_hot(tokens), E) + self.positions.weight[:length])
        for layer in self.layers:
            x = layer(x, place.unsqueeze(1) >= place)
        return torch.einsum("btd,vd->btv", self.norm(x), E)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        chosen = (logits * self._one_hot(tokens[:, 1:])).sum(dim=2)
        return (logits.logsumexp(dim=2) - chosen).mean()


# %% correct: the parts of the layers by hand, the loss a place at a time


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
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
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
        stream = self.dropout(self.positions(self.token_embedding(tokens)))
        future = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool, device=tokens.device).triu(1)
        for layer in self.layers:
            read = layer.norm1(stream)
            stream = stream + layer.dropout(layer.self_attention(read, read, read, ~future)[0])
            stream = stream + layer.dropout(layer.feed_forward(layer.norm2(stream)))
        stream = self.norm(stream)
        return torch.stack([stream @ row for row in self.token_embedding.weight], dim=2)

    def loss(self, tokens: Tensor) -> Tensor:
        rows = self(tokens[:, :-1]).log_softmax(dim=2).unbind(dim=1)
        total = 0.0
        for t, row in enumerate(rows, 1):
            total = total - row.gather(1, tokens[:, t : t + 1]).sum()
        return total / (len(tokens) * len(rows))
