# %% wrong: the whole window goes in
# loss hands all T + 1 tokens to forward and drops the last row of logits afterwards: the same number, until T is max_length, where it raises ValueError. A good message: "a window of max_length + 1 tokens must do: the last one is a target only".

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

# %% wrong: shifted twice
# The input is shifted in loss and the logits once more against the targets: row t is trained to say token t + 2. A good message: "row t is about token t + 1; B * T predictions are promised, here are B * (T - 1)".

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
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        logits = self.forward(inputs)
        logits, targets = logits[:, :-1], targets[:, 1:]
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))

# %% wrong: the root of chapter 06
# The embeddings are multiplied by sqrt(d_model) before the positions, as in the Transformer of chapter 06; GPT-2 does not. A good message: "the embedding goes in as it is: x = E[w] + P".

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
        x = self.dropout(self.positions(self.token_embedding(tokens) * math.sqrt(self.token_embedding.embedding_dim)))
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

# %% wrong: no last norm, and the future allowed in training
# In training mode (self.training) no mask is used, "since loss shifts the targets"; and the last norm is left out. A good message: "row t changes with token t + 1 in train mode"; "the stream goes to the logits without self.norm".

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
        if self.training:
            mask = None
        for layer in self.layers:
            x = layer(x, mask)
        return x @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

# %% correct: einsum, own mask, and gathered

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
        if T > self.positions.weight.shape[0]:
            raise ValueError(f"{T} tokens, but only {len(self.positions.weight)} positions")
        table = self.token_embedding.weight
        stream = self.dropout(table[tokens] + self.positions.weight[:T])
        may_see = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril_()
        for layer in self.layers:
            stream = layer(stream, mask=may_see)
        return torch.einsum("btd,vd->btv", self.norm(stream), table)

    def loss(self, tokens: Tensor) -> Tensor:
        log_p = self(tokens[:, :-1]).log_softmax(dim=-1)
        return -log_p.gather(-1, tokens[:, 1:, None]).mean()

# %% correct: reduce over layers, logsumexp by hand

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
        from functools import reduce

        place = torch.arange(tokens.size(1), device=tokens.device)
        start = self.dropout(self.positions(self.token_embedding(tokens)))
        end = reduce(lambda x, layer: layer(x, place <= place.unsqueeze(-1)), self.layers, start)
        return F.linear(self.norm(end), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        going_in, wanted = tokens.narrow(1, 0, tokens.shape[1] - 1), tokens.narrow(1, 1, tokens.shape[1] - 1)
        logits = self.forward(going_in)
        return (logits.logsumexp(2) - logits.take_along_dim(wanted.unsqueeze(2), 2).squeeze(2)).mean()
