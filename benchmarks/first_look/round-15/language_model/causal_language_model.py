# %% wrong: the loss reads the whole window
# loss gives all T + 1 tokens to forward and drops the last row. The same numbers for short
# windows; a window of max_length + 1 tokens, which loss must take, raises ValueError.

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
            raise ValueError(f"{length} tokens are more than there are positions")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

# %% wrong: dropout before the positions
# Only the embedding goes through dropout, the positions are added afterwards. Shows in training
# mode with dropout above 0 alone (the same seed gives other logits); in eval mode it is right.

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
        if length > len(self.positions.weight):
            raise ValueError("too many tokens")
        x = self.positions(self.dropout(self.token_embedding(tokens)))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])

# %% wrong: the output's matrix is cut off from the gradient
# The tied matrix is used as .data at the output, so its gradient comes from the input end only.
# All values are right; token_embedding.weight.grad is wrong after every backward.

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
        if length > len(self.positions.weight):
            raise ValueError("too many tokens")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(length).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        # the same numbers as the input's embedding
        return self.norm(x) @ self.token_embedding.weight.data.transpose(0, 1)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

# %% wrong: the norm after every layer
# The last norm stands inside the loop. With one layer it is right; with two or more the residual
# stream is normed between the layers.

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
            raise ValueError("too many tokens")
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = self.norm(layer(x, mask))
        return x @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

# %% correct: a fold over the layers, logits by einsum, loss by logsumexp

import functools


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
        if not length <= self.positions.weight.shape[0]:
            raise ValueError(f"at most {self.positions.weight.shape[0]} tokens, got {length}")
        place = torch.arange(length, device=tokens.device)
        may_see = place[:, None] >= place[None, :]
        start = self.dropout(self.positions(self.token_embedding(tokens)))
        end = functools.reduce(lambda x, layer: layer(x, may_see), self.layers, start)
        return torch.einsum("btd,vd->btv", self.norm(end), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        given, wanted = tokens[:, :-1], tokens[:, 1:]
        logits = self(given)
        chosen = logits.gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
        return (torch.logsumexp(logits, dim=-1) - chosen).mean()

# %% correct: positions looked up by number, a logit for each token in turn

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
        rows, length = tokens.shape
        if length > self.positions.weight.size(0):
            raise ValueError("the text is longer than the table of positions")
        places = torch.arange(length, device=tokens.device).expand(rows, length)
        x = F.embedding(tokens, self.token_embedding.weight)
        x = self.dropout(x + F.embedding(places, self.positions.weight))
        allowed = torch.ones(length, length, dtype=torch.bool, device=tokens.device)
        for layer in self.layers:
            x = layer(x, allowed.tril())
        x = self.norm(x)
        return torch.stack([x @ row for row in self.token_embedding.weight.unbind(0)], dim=-1)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = F.log_softmax(self.forward(tokens[:, :-1]), dim=2)
        total = 0.0
        for t in range(tokens.shape[1] - 1):
            total = total + F.nll_loss(log_p[:, t], tokens[:, t + 1], reduction="sum")
        return total / tokens[:, 1:].numel()
