# %% wrong: logits reshaped where they should be turned
# cross_entropy wants (B, V, T), and view gives that shape without moving a number: the scores of different places
# and tokens are mixed. Shows in loss for T > 1 (forward is right).

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
        logits = self(tokens[:, :-1])
        B, T, V = logits.shape
        return F.cross_entropy(logits.contiguous().view(B, V, T), tokens[:, 1:])


# %% wrong: shifted once in the input and once more in the loss
# The last token does not go in, and then the last row of logits is dropped too, with the last target.
# Shows for every window: T - 1 predictions are counted; with T = 1 none is left, and the loss is NaN.

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
        x = self.dropout(self.positions(x))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        inputs = tokens[:, :-1]
        shift_logits = self(inputs)[:, :-1]
        shift_labels = inputs[:, 1:]
        return F.cross_entropy(shift_logits.flatten(0, 1), shift_labels.flatten())


# %% wrong: the last token goes in as well
# loss gives the model all T + 1 tokens and drops the last row. Same number, until the window is full: for
# T = max_length it raises ValueError, though T tokens are allowed.

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
        hidden = self.dropout(self.positions(self.token_embedding(tokens)))
        for layer in self.layers:
            hidden = layer(hidden, causal_mask(T).to(tokens.device))
        hidden = self.norm(hidden)
        return hidden @ self.token_embedding.weight.transpose(0, 1)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self.forward(tokens)[:, :-1, :]
        return F.cross_entropy(logits.reshape(-1, logits.shape[2]), tokens[:, 1:].reshape(-1))


# %% wrong: dropout before the positions
# Only the token embeddings pass through the dropout, and the positions are added whole. In eval mode nothing
# shows; it shows in training mode with dropout above 0: no number of what enters the first layer is zero.

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
        x = self.dropout(self.token_embedding(tokens))
        x = self.positions(x)
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% correct: a mask from comparing places, a loss from logsumexp

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
            raise ValueError(f"{length} tokens, but {self.positions.weight.shape[0]} positions")
        place = torch.arange(length, device=tokens.device)
        not_later = place[None, :] <= place[:, None]
        stream = self.dropout(self.positions(self.token_embedding.weight[tokens]))
        for layer in self.layers:
            stream = layer(stream, not_later)
        return torch.einsum("btd,vd->btv", self.norm(stream), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        read, came = tokens[:, :-1], tokens[:, 1:]
        logits = self(read)
        score = torch.take_along_dim(logits, came.unsqueeze(2), dim=2).squeeze(2)
        return (torch.logsumexp(logits, dim=2) - score).mean()


# %% correct: folded over the layers, scored a token of the vocabulary and a place at a time

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
        start = self.dropout(self.positions(F.embedding(tokens, self.token_embedding.weight)))  # raises if too long
        mask = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool, device=tokens.device).tril()
        end = self.norm(reduce(lambda x, layer: layer(x, mask), self.layers, start))
        return torch.stack([(end * row).sum(dim=2) for row in self.token_embedding.weight], dim=2)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = F.log_softmax(self(tokens[:, : tokens.shape[1] - 1]), dim=2)
        by_place = [F.nll_loss(log_p[:, t], tokens[:, t + 1]) for t in range(log_p.shape[1])]
        return sum(by_place) / len(by_place)
