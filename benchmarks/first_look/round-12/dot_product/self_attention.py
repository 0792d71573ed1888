# %% wrong: the weight without its transpose
# x @ W.weight multiplies by the transposed map; the matrices are square, so that nothing complains.
# Shows for every d_model above 1: nn.Linear's q = W_Q x is x @ W_Q.weight.T.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = x @ self.W_Q.weight, x @ self.W_K.weight, x @ self.W_V.weight
        return scaled_dot_product_attention(q, k, v, mask)

# %% wrong: causal unless told otherwise
# Without a mask the module makes a causal one; None is to mean that every query may look everywhere.
# Shows for mask = None and T above 1.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: the root taken twice
# The queries are divided by the root of d_model, and scaled_dot_product_attention divides once more.
# Shows for every d_model above 1 and T above 1.

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

# %% wrong: one matrix for queries and keys
# W_K is the same module as W_Q: the two names share one weight, so that whatever is loaded last serves both.
# Shows once W_Q.weight and W_K.weight are loaded with different numbers, and in the count of parameters.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% correct: one product for all three maps

# The three weights are laid under each other, and the result is cut into queries, keys and values.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for letter in "QKV":
            self.add_module(f"W_{letter}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        stacked = torch.cat([getattr(self, f"W_{letter}").weight for letter in "QKV"])  # (3D, D)
        return scaled_dot_product_attention(*F.linear(x, stacked).chunk(3, dim=-1), mask)

# %% correct: a bilinear score, and the values mixed before their map

# Scores from the product of W_Q transposed and W_K; the weights mix the inputs themselves, and W_V maps the mixture.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        relation = self.W_Q.weight.T @ self.W_K.weight / math.sqrt(x.shape[-1])  # (D, D)
        scores = torch.einsum("btd,de,bse->bts", x, relation, x)
        weights = masked_softmax(scores, mask)
        return self.W_V(weights @ x), weights
