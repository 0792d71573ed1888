# %% wrong: maps with a bias
# nn.Linear has a bias unless it is told otherwise: three more parameters, W_Q.bias and so on, and other outputs than W x
# for every input.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: x times the weight
# A linear map's weight is (out, in), and the map is x @ weight.T. Without the transpose queries, keys and values come from the
# transposed matrices: other numbers wherever a weight is not symmetric.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = x @ self.W_Q.weight
        key = x @ self.W_K.weight
        value = x @ self.W_V.weight
        return scaled_dot_product_attention(query, key, value, mask)

# %% wrong: one map under three names
# The chained assignment makes a single nn.Linear: parameters() has one matrix, not three, and queries, keys and values are the
# same vectors. Setting W_K.weight changes W_Q and W_V too.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        return scaled_dot_product_attention(query, key, value, mask)

# %% wrong: divided by the root twice
# The query is divided by the root of d_model, and scaled_dot_product_attention divides again: the scores are too small, and the
# weights too even, for every d_model > 1.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = self.W_Q(x) / math.sqrt(self.d_model)
        return scaled_dot_product_attention(query, self.W_K(x), self.W_V(x), mask)

# %% correct: one matrix between, and values after the blend

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        between = self.W_Q.weight.T @ self.W_K.weight
        scores = torch.einsum("btd,de,bse->bts", x, between, x) * x.shape[-1] ** -0.5
        weights = masked_softmax(scores, mask)
        return self.W_V(torch.einsum("bts,bsd->btd", weights, x)), weights

# %% correct: all three from one product of stacked matrices

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        stacked = torch.vstack([self.W_Q.weight, self.W_K.weight, self.W_V.weight])  # (3 D, D)
        query, key, value = torch.tensordot(x, stacked, dims=([2], [1])).chunk(3, dim=2)
        outputs, weights = zip(
            *(
                scaled_dot_product_attention(q, k, v, m)
                for q, k, v, m in zip(query, key, value, self._masks(x, mask), strict=True)
            ),
            strict=True,
        )
        return torch.stack(outputs), torch.stack(weights)

    @staticmethod
    def _masks(x: Tensor, mask: Tensor | None):
        if mask is None:
            return [None] * len(x)
        return mask.expand(x.shape[0], x.shape[1], x.shape[1])
