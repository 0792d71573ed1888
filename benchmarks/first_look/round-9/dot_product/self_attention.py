# %% wrong: with biases
# nn.Linear has a bias unless one says otherwise; the promise is three maps without.
# Shows in the parameters: six in place of three, and the outputs are moved by them.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: the mask stops at the door
# forward takes a mask and does not hand it on.
# Shows for any mask that forbids something, as a causal one.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        output, weights = scaled_dot_product_attention(query, key, value)
        return output, weights

# %% wrong: one map three times
# A list times three holds the same module three times: query, key and value are always equal.
# Shows in the parameters: d_model squared in place of three times as many, and the scores are symmetric.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = [nn.Linear(d_model, d_model, bias=False)] * 3

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: asks with what it was given
# Maps keys and values, and compares x itself with the keys; W_Q is made and never used.
# Shows for any x: the weights do not depend on W_Q, and it gets no gradient.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        key, value = self.W_K(x), self.W_V(x)
        return scaled_dot_product_attention(x, key, value, mask)

# %% correct: a bilinear score

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        between = self.W_Q.weight.T @ self.W_K.weight  # (D, D)
        _, weights = scaled_dot_product_attention(x @ between, x, x, mask)
        return self.W_V(weights @ x), weights

# %% correct: one product for all three maps

class SelfAttention(nn.Module):
    class Map(nn.Module):
        """A matrix as nn.Linear holds it, without the product."""

        def __init__(self, d_model):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(d_model, d_model))
            nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.weight.T

    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (self.Map(d_model) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        together = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])  # (3 D, D)
        query, key, value = torch.einsum("btd,ed->bte", x, together).chunk(3, dim=2)
        return scaled_dot_product_attention(query, key, value, mask)
