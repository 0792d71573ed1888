# %% wrong: the embedding multiplied by the root of D
# Takes chapter 06's factor over; every input with d_model other than 1 gets other logits.

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
        scale = math.sqrt(self.token_embedding.embedding_dim)
        x = self.dropout(self.positions(self.token_embedding(tokens) * scale))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: loss reads the whole window
# Runs all T + 1 tokens and drops the last row: raises ValueError for a window of max_length + 1 tokens, which loss must take.

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
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: dropout before the positions are added
# Dropout acts on the embedding alone: in training with dropout > 0 the positions are never dropped (dropout 0.9, say).

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
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: token 0 taken for padding
# ignore_index=0 comes from chapter 01's loss: here 0 is a token like any other, and targets of 0 are left out of the mean.

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
        logits = self(tokens[:, :-1])
        return F.cross_entropy(
            logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0
        )


# %% correct: mask by comparing positions, loss by logsumexp

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
        place = torch.arange(tokens.shape[1], device=tokens.device)
        if len(place) > len(self.positions.weight):
            raise ValueError(f"{len(place)} tokens are more than {len(self.positions.weight)}")
        may = (place.unsqueeze(1) >= place).unsqueeze(0)
        stream = self.token_embedding.weight[tokens] + self.positions.weight[: len(place)]
        stream = self.dropout(stream)
        for layer in self.layers:
            stream = layer(stream, may)
        return torch.einsum("btd,vd->btv", self.norm(stream), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        given, wanted = tokens.narrow(1, 0, tokens.shape[1] - 1), tokens[:, 1:]
        logits = self.forward(given)
        came = logits.gather(2, wanted.unsqueeze(2)).squeeze(2)
        return (torch.logsumexp(logits, dim=2) - came).mean()


# %% correct: functools.reduce through the layers, loss a place at a time

from functools import reduce


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
        T = tokens.size(1)
        allowed = ~torch.ones(T, T, dtype=torch.bool, device=tokens.device).triu(1)
        start = self.dropout(self.positions(F.embedding(tokens, self.token_embedding.weight)))
        end = self.norm(reduce(lambda x, layer: layer(x, allowed), self.layers, start))
        return end.matmul(self.token_embedding.weight.t())

    def loss(self, tokens: Tensor) -> Tensor:
        rows = self(tokens[:, :-1]).unbind(dim=1)
        total = sum(
            F.cross_entropy(row, target, reduction="sum")
            for row, target in zip(rows, tokens.unbind(dim=1)[1:], strict=True)
        )
        return total / (len(rows) * len(tokens))
