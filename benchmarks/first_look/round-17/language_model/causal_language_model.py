# %% wrong: the output reads the embedding's .data
# weight.data is cut off from the graph: the logits are right, but the embedding gets a gradient from the input side only.
# Shows in token_embedding.weight.grad after loss(tokens).backward(), e.g. for tokens that are never an input: zero.

class CausalLanguageModel(nn.Module):
    def __init__(
        self, vocab_size, max_length, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps,
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
        return self.norm(x) @ self.token_embedding.weight.data.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: padding's ignore_index taken over from the translator
# loss leaves out the targets with id 0, as chapter 06 did with padding. Here id 0 is a character like any other: shows
# for any tokens with a 0 among the targets (NaN where all are 0).

class CausalLanguageModel(nn.Module):
    def __init__(
        self, vocab_size, max_length, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = causal_mask(tokens.shape[1]).to(x.device)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        return F.cross_entropy(self(inputs).transpose(1, 2), targets, ignore_index=0)


# %% wrong: dropout on the embedding, before the positions are added
# Dropout has to act on embedding plus position. Shows in training mode with dropout > 0: with dropout 1.0, say, the
# positions still come through.

class CausalLanguageModel(nn.Module):
    def __init__(
        self, vocab_size, max_length, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.dropout(self.token_embedding(tokens))
        x = self.positions(x)
        mask = causal_mask(tokens.shape[1]).to(x.device)
        for layer in self.layers:
            x = layer(x, mask)
        x = self.norm(x)
        return x @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# %% wrong: loss reads the whole window and drops the last row
# "Every one but the last goes in" is not kept: T + 1 tokens go in. The value is the same by causality, but with
# T = max_length, which is allowed, loss raises ValueError.

class CausalLanguageModel(nn.Module):
    def __init__(
        self, vocab_size, max_length, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        for layer in self.layers:
            x = layer(x, causal_mask(length).to(x.device))
        return self.norm(x) @ self.token_embedding.weight.T

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens)[:, :-1]  # the last row has no answer
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))


# %% correct: einsum for the output, logsumexp for the loss

class CausalLanguageModel(nn.Module):
    def __init__(
        self, vocab_size, max_length, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        length, limit = tokens.shape[1], self.positions.weight.shape[0]
        if length > limit:
            raise ValueError(f"{length} tokens, but only {limit} positions")
        table = self.token_embedding.weight
        place = torch.arange(length, device=tokens.device)
        stream = self.dropout(table[tokens] + self.positions.weight[place])
        not_later = place[:, None] >= place[None, :]
        for layer in self.layers:
            stream = layer(stream, not_later)
        return torch.einsum("btd,vd->btv", self.norm(stream), table)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self.forward(tokens[:, :-1])
        right = logits.gather(2, tokens[:, 1:, None])[..., 0]
        return (logits.logsumexp(dim=2) - right).mean()


# %% correct: the loss column by column, the output by a product from the left

class CausalLanguageModel(nn.Module):
    def __init__(
        self, vocab_size, max_length, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.positions(self.token_embedding(tokens))
        rows = [[key <= query for key in range(x.shape[1])] for query in range(x.shape[1])]
        mask = torch.tensor(rows, device=x.device).expand(len(x), -1, -1)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, mask)
        return torch.matmul(self.token_embedding.weight, self.norm(x).mT).mT

    def loss(self, tokens: Tensor) -> Tensor:
        says = self(tokens[:, :-1]).log_softmax(dim=-1)
        by_place = [F.nll_loss(says[:, t], tokens[:, t + 1]) for t in range(says.shape[1])]
        return torch.stack(by_place).mean()
