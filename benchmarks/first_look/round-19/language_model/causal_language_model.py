# %% wrong: times the root of D, as in chapter 06
# The embedding is multiplied by sqrt(D), which this model does not do. Shows for every input with D above 1.

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next."""

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
        x = self.token_embedding(tokens) * self.token_embedding.embedding_dim**0.5
        x = self.dropout(self.positions(x))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: the loss reads the last token too
# loss sends all T + 1 tokens through and drops the last row. A window of max_length + 1 tokens, which has max_length
# inputs and is allowed, raises ValueError.

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next."""

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
        logits = self(tokens)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: token 0 is left out as padding
# ignore_index=0 comes from the translator. Here 0 is a character like any other: its predictions are missing from the
# loss wherever a 0 is among the targets (and a window of zeros alone gives NaN).

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next."""

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
        x = self.dropout(self.positions(x))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        return F.cross_entropy(self(inputs).flatten(0, 1), targets.flatten(), ignore_index=0)


# %% wrong: dropout before the positions
# Dropout acts on the token's embedding alone; it belongs on embedding plus position. Shows in training mode with
# dropout above 0.

class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next."""

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
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% correct: rows of the table by index, logits by einsum, the loss by logsumexp
class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next."""

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
        table = self.token_embedding.weight
        stream = self.dropout(self.positions(table[tokens]))
        place = torch.arange(tokens.shape[1], device=tokens.device)
        for layer in self.layers:
            stream = layer(stream, mask=place.unsqueeze(1) >= place)
        return torch.einsum("btd,vd->btv", self.norm(stream), table)

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens.narrow(1, 0, tokens.shape[1] - 1), tokens.narrow(1, 1, tokens.shape[1] - 1)
        logits = self(inputs)
        right = torch.take_along_dim(logits, targets.unsqueeze(2), dim=2).squeeze(2)
        return (logits.logsumexp(dim=2) - right).mean()


# %% correct: positions and border by hand, the loss place by place
import functools


class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes next."""

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
        length, rows = tokens.shape[1], self.positions.weight
        if length > rows.shape[0]:
            raise ValueError(f"{length} tokens, but only {rows.shape[0]} positions")
        x = self.dropout(torch.add(rows[:length], self.token_embedding(tokens)))
        mask = torch.ones(length, length, device=tokens.device).tril().bool()
        x = self.norm(functools.reduce(lambda stream, layer: layer(stream, mask), self.layers, x))
        flat = x.reshape(-1, x.shape[2])
        return torch.mm(flat, self.token_embedding.weight.t()).view(*tokens.shape, -1)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = torch.log_softmax(self(tokens[:, :-1]), dim=-1)
        of_place = [F.nll_loss(rows, target) for rows, target in zip(log_p.unbind(1), tokens.unbind(1)[1:], strict=True)]
        return torch.stack(of_place).mean()  # every place has B predictions
