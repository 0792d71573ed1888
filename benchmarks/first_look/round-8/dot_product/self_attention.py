# %% wrong: the maps have a bias
# nn.Linear makes a bias where nobody says bias=False: six parameters in place of three, and other outputs than those of
# the three matrices alone.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: the mask is not handed on
# forward takes a mask and forgets it: shows with every mask that has a False in it.

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

# %% wrong: divided by the root twice
# The query is divided by the root of d_model here, and once more in scaled_dot_product_attention: the weights are too even,
# for every d_model above 1.

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

# %% wrong: one map under three names
# The chained assignment makes one nn.Linear: W_Q, W_K and W_V share their matrix, parameters() has one entry in place of three, and
# weights that are loaded for one overwrite the others.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% correct: mixes the vectors as they are, and maps the mixtures

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        mixed, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), x, mask)
        return self.W_V(mixed), weights

# %% correct: one product with the three matrices side by side

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        side_by_side = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])  # (3 D, D)
        query, key, value = torch.einsum("btd,ed->bte", x, side_by_side).chunk(3, dim=2)
        scores = torch.baddbmm(torch.zeros_like(query[:, :, :1]), query, key.mT, alpha=x.shape[2] ** -0.5)
        if mask is None:
            weights = torch.softmax(scores, dim=2)
        else:
            forbidden = ~mask.expand(scores.shape)
            empty = forbidden.all(dim=2, keepdim=True)
            scores = scores.masked_fill(forbidden & ~empty, -torch.inf)
            weights = torch.softmax(scores, dim=2).masked_fill(empty, 0)
        return torch.bmm(weights, value), weights
