# %% wrong: maps with a bias
# nn.Linear's default is left as it is: three parameters too many, and an output that is not zero for x of zeros.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: the keys copied from the queries
# The line for the keys was copied and W_Q left in it: W_K is there, is never used and gets no gradient. Shows for every x
# of more than one position (given that W_K is not W_Q).

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = self.W_Q(x)
        key = self.W_Q(x)
        value = self.W_V(x)
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        return output, weights


# %% wrong: the mask is not passed on
# forward takes the mask and forgets it: every position sees all. Shows for a causal mask.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x))


# %% wrong: weights not transposed
# x @ W.weight multiplies by the transpose of what nn.Linear would: the maps are others than W_Q x, W_K x, W_V x. Shows for
# weights that are not symmetric.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        Q, K, V = x @ self.W_Q.weight, x @ self.W_K.weight, x @ self.W_V.weight
        return scaled_dot_product_attention(Q, K, V, mask)


# %% correct: a bilinear score, and values made last

class SelfAttention(nn.Module):
    """Scores x^T (W_Q^T W_K) x; the inputs are mixed first and mapped by W_V afterwards, which is the same."""

    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        relation = self.W_Q.weight.T @ self.W_K.weight
        mixed, weights = scaled_dot_product_attention(x @ relation, x, x, mask)
        return self.W_V(mixed), weights


# %% correct: one wide product, cut in three

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        together = torch.cat([linear.weight for linear in (self.W_Q, self.W_K, self.W_V)])  # (3 D, D)
        query, key, value = torch.einsum("btd,ed->bte", x, together).chunk(3, dim=2)
        length = x.shape[1]
        allowed = x.new_ones(len(x), length, length, dtype=torch.bool)
        if mask is not None:
            allowed = allowed & mask
        scores = torch.baddbmm(x.new_zeros(1), query, key.transpose(1, 2), beta=0, alpha=x.shape[2] ** -0.5)
        empty = ~allowed.any(dim=2, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~(allowed | empty), -torch.inf), dim=2).masked_fill(empty, 0.0)
        return torch.bmm(weights, value), weights
