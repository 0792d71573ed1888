# %% wrong: the maps have a bias
# nn.Linear adds a bias unless it is told not to. The module has three parameters too many, and saved weights without them do not load.
# Hint: print the names of the parameters. What does the docstring say after "linear maps"?

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: keys and queries have changed places
# The keys are handed in as queries and the queries as keys. The scores are transposed, and each position is found where it should ask.
# Hint: in which order does your attention function take its arguments? Set W_K to zero except for one row and see who asks.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        k, q, v = self.W_K(x), self.W_Q(x), self.W_V(x)
        return scaled_dot_product_attention(k, q, v, mask)


# %% wrong: the mask is not handed on
# forward takes a mask and does nothing with it, so a causal model sees the future.
# Hint: change the last vector of x under a causal mask, and see which outputs move.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        Q = self.W_Q(x)
        K = self.W_K(x)
        V = self.W_V(x)
        output, weights = scaled_dot_product_attention(Q, K, V)
        return output, weights


# %% wrong: the values are the inputs themselves
# W_V exists but is never used: what is handed out is x itself, and the map gets no gradient.
# Hint: set W_V to zero. What should the output be?

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), x, mask)


# %% wrong: the input is added to the output
# The output has the input added to it, as in a block of a Transformer. The module is asked for the attention alone.
# Hint: set W_V to zero and look at the output.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        attended, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
        return x + attended, weights


# %% correct: one product with the three matrices stacked

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        asked, label, content = F.linear(x, stacked).chunk(3, dim=-1)
        return scaled_dot_product_attention(asked, label, content, mask)


# %% correct: scores as a bilinear form and values mapped after the blend

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        relation = self.W_Q.weight.T @ self.W_K.weight
        scores = torch.einsum("btd,de,bse->bts", x, relation, x) / math.sqrt(x.shape[-1])
        weights = masked_softmax(scores, mask)
        return self.W_V(weights @ x), weights
