# %% wrong: dropout before the positions are added
# Dropout acts on the token's embedding alone, then the positions come on top, undropped. In
# evaluation and with dropout 0 nothing shows; with dropout in training the positions survive.

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
            raise ValueError(f"{length} tokens, and only {self.positions.weight.shape[0]} positions")
        x = self.positions(self.dropout(self.token_embedding(tokens)))
        mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: the loss reads the last token too
# All T + 1 tokens go in, and the last row of logits is dropped. The numbers are right, until the
# window has max_length + 1 tokens: then loss raises ValueError where it should not.

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
            raise ValueError("more tokens than positions")
        x = self.dropout(self.token_embedding(tokens) + self.positions.weight[:length])
        mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: the mask in training only
# "When it writes there is nothing to the right anyway." In evaluation mode row t then depends on
# the tokens after t, and the loss of a validation text is measured with the answers in view.

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
            raise ValueError("more tokens than positions")
        mask = None
        if self.training:
            mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        x = self.dropout(self.token_embedding(tokens) + self.positions.weight[:length])
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: loss switches to training mode
# A loss is for training, so loss() calls self.train() first. A model in evaluation mode is scored
# with dropout, and left in training mode afterwards.

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
            raise ValueError("more tokens than positions")
        x = self.dropout(self.token_embedding(tokens) + self.positions.weight[:length])
        mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        self.train()
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% correct: the layers folded by reduce, the loss from logsumexp

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
        places = torch.arange(tokens.shape[1], device=tokens.device)
        if len(places) > self.positions.weight.shape[0]:
            raise ValueError(f"{len(places)} tokens are more than {self.positions.weight.shape[0]}")
        seen = places.unsqueeze(1) >= places
        start = self.dropout(self.token_embedding(tokens) + F.embedding(places, self.positions.weight))
        end = functools.reduce(lambda x, layer: layer(x, seen), self.layers, start)
        return torch.einsum("btd,vd->btv", self.norm(end), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self.forward(tokens[:, : tokens.shape[1] - 1])
        came = logits.gather(2, tokens[:, 1:, None])
        return (logits.logsumexp(dim=2, keepdim=True) - came).mean()


# %% correct: a mask a sentence, and a loss summed place by place

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
        room = len(self.positions.weight)
        if length > room:
            raise ValueError(f"at most {room} tokens, not {length}")
        later = torch.ones(length, length, device=tokens.device).triu(diagonal=1)
        allowed = (later == 0).unsqueeze(0).repeat(batch, 1, 1)  # (B, T, T)
        vectors = [
            self.token_embedding.weight[tokens[:, t]] + self.positions.weight[t] for t in range(length)
        ]
        x = self.dropout(torch.stack(vectors, dim=1))
        for layer in self.layers:
            x = layer(x, allowed)
        x = self.norm(x)
        return (x.reshape(batch * length, -1) @ self.token_embedding.weight.t()).reshape(batch, length, -1)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = torch.log_softmax(self(tokens[:, :-1]), dim=-1)
        total = 0
        for t in range(log_p.shape[1]):
            total = total + F.nll_loss(log_p[:, t], tokens[:, t + 1], reduction="sum")
        return total / tokens[:, 1:].numel()
