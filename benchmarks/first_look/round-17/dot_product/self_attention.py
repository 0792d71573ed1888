# %% wrong: one linear map under three names
# The chained assignment makes one nn.Linear, so W_Q, W_K and W_V are the same matrix: one parameter in place of three, the
# scores are symmetric, and loading three different matrices leaves the last one everywhere. Any d_model shows it.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: divided by the root twice
# The query is divided by the root of d_model, and scaled_dot_product_attention does it again: scores are too small by that
# root. Shows for every d_model above 1 and more than one position.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.scale = d_model**-0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = self.W_Q(x) * self.scale
        return scaled_dot_product_attention(query, self.W_K(x), self.W_V(x), mask)


# %% wrong: a mask of two axes taken for a padding mask
# A mask (T, T), such as a causal one, is read as (B, T), one row a sentence, and gets an axis for the queries: (T, 1, T).
# With B other than T (and neither 1) that is an error, with B = T every query of sentence b gets row b of the mask.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is not None and mask.dim() == 2:
            mask = mask.unsqueeze(1)  # the same keys for all queries
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: every position keeps its own vector
# The input is added to what attention found, as in a Transformer's block. The output is off by x for every x; where a query
# may look at nothing it should be zero and is x.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        found, weights = scaled_dot_product_attention(
            self.W_Q(x), self.W_K(x), self.W_V(x), mask
        )
        return x + found, weights


# %% correct: a bilinear score, and values mixed before they are mapped

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        between = self.W_Q.weight.T @ self.W_K.weight / math.sqrt(x.shape[2])
        weights = masked_softmax(torch.einsum("btd,de,bse->bts", x, between, x), mask)
        return self.W_V(torch.einsum("bts,bsd->btd", weights, x)), weights


# %% correct: one position asks after the other

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, T, D = x.shape
        if mask is not None:
            mask = mask.expand(B, T, T)
        keys, values = self.W_K(x), self.W_V(x)
        outputs, rows = [], []
        for t in range(T):
            asks = self.W_Q(x[:, t])  # (B, D)
            scores = (keys * asks.unsqueeze(1)).sum(dim=2) / D**0.5  # (B, T)
            row = masked_softmax(scores, None if mask is None else mask[:, t])
            rows.append(row)
            outputs.append((row.unsqueeze(2) * values).sum(dim=1))
        return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)
