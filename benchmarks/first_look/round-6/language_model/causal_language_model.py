# %% wrong: the whole window goes in for the loss
# loss reads all T + 1 tokens and cuts the last row off afterwards: a window of max_length predictions is one too long to be read.

def position_table(positions):
    (table,) = positions.parameters()
    return table.reshape(-1, table.shape[-1])


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
        table = position_table(self.positions)
        if T > len(table):
            raise ValueError(f"{T} tokens for {len(table)} positions")
        x = self.dropout(self.token_embedding(tokens) + table[:T])
        for layer in self.layers:
            x = layer(x, causal_mask(T))
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: dropout that does not stop for eval
# F.dropout is called with its default training=True, so the logits of a model with dropout are random in eval mode as well.

def position_table(positions):
    (table,) = positions.parameters()
    return table.reshape(-1, table.shape[-1])


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
        table = position_table(self.positions)
        if T > len(table):
            raise ValueError(f"{T} tokens for {len(table)} positions")
        x = F.dropout(self.token_embedding(tokens) + table[:T], self.dropout.p)
        mask = causal_mask(T)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


# %% wrong: an output layer of its own
# The logits come from a separate linear map with a bias; input and output should share the embedding, without a bias.

def position_table(positions):
    (table,) = positions.parameters()
    return table.reshape(-1, table.shape[-1])


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

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        table = position_table(self.positions)
        if T > len(table):
            raise ValueError(f"{T} tokens for {len(table)} positions")
        x = self.dropout(self.token_embedding(tokens) + table[:T])
        for layer in self.layers:
            x = layer(x, causal_mask(T))
        return self.output(self.norm(x))

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))


# %% wrong: embeddings times the root of the width
# Scaled up as in the Transformer of 2017; the form of GPT-2 adds embedding and position as they are.

def position_table(positions):
    (table,) = positions.parameters()
    return table.reshape(-1, table.shape[-1])


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
        table = position_table(self.positions)
        if T > len(table):
            raise ValueError(f"{T} tokens for {len(table)} positions")
        words = self.token_embedding(tokens)
        x = self.dropout(words * math.sqrt(words.shape[-1]) + table[:T])
        for layer in self.layers:
            x = layer(x, causal_mask(T))
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        return F.cross_entropy(self(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: shifted in the targets and in the logits
# tokens[:, :-1] goes in, and then the last row of its logits is cut off and the targets begin at the third token: each row is
# trained on the token after next.

def position_table(positions):
    (table,) = positions.parameters()
    return table.reshape(-1, table.shape[-1])


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
        table = position_table(self.positions)
        if T > len(table):
            raise ValueError(f"{T} tokens for {len(table)} positions")
        x = self.dropout(self.token_embedding(tokens) + table[:T])
        for layer in self.layers:
            x = layer(x, causal_mask(T))
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        logits = self(inputs)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten())


# %% correct: mask by comparing places, loss by a gather

def _look_back(length, device):
    place = torch.arange(length, device=device)
    return place.unsqueeze(1) >= place


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
        (table,) = self.positions.parameters()
        table = table.reshape(-1, table.shape[-1])
        if length > table.shape[0]:
            raise ValueError(f"{length} tokens, but there are {table.shape[0]} positions")
        matrix = self.token_embedding.weight
        x = self.dropout(self.token_embedding(tokens) + table[:length])
        allowed = _look_back(length, tokens.device)
        for layer in self.layers:
            x = layer(x, allowed)
        return torch.einsum("btd,vd->btv", self.norm(x), matrix)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        chosen = logits.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
        return (logits.logsumexp(dim=2) - chosen).mean()


# %% correct: recursion through the tower, log softmax picked

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

    def _climb(self, x, mask, floor=0):
        if floor == len(self.layers):
            return self.norm(x)
        return self._climb(self.layers[floor](x, mask), mask, floor + 1)

    def forward(self, tokens: Tensor) -> Tensor:
        places = [p.reshape(-1, p.shape[-1]) for p in self.positions.parameters()][0]
        B, T = tokens.shape
        if len(places) < T:
            raise ValueError(f"the text has {T} tokens and the model {len(places)} positions")
        mask = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        h = self._climb(self.dropout(self.token_embedding(tokens) + places[None, :T]), mask)
        return F.linear(h, self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        given, wanted = tokens.narrow(1, 0, tokens.shape[1] - 1), tokens.narrow(1, 1, tokens.shape[1] - 1)
        log_p = F.log_softmax(self.forward(given), dim=-1)
        return F.nll_loss(log_p.flatten(end_dim=1), wanted.flatten())
