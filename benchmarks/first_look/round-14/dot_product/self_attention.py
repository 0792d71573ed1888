# %% wrong: scaled twice
# The queries are divided by the root of d_model, and scaled_dot_product_attention divides again: the scores are divided by d_model
# and the weights too flat for every x with d_model > 1.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.scale = math.sqrt(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = self.W_Q(x) / self.scale
        return scaled_dot_product_attention(query, self.W_K(x), self.W_V(x), mask)


# %% wrong: one map for queries and keys
# self.W_K is self.W_Q: there are two matrices instead of three, the scores are symmetric, and loading three different matrices leaves
# the last one loaded in both places.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: the weights are multiplied without transposing
# nn.Linear keeps its matrix as (out, in), and computes x @ weight.T. Here x @ weight is used: the shapes fit, since the matrices are
# square, but the maps are the transposed ones.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = x @ self.W_Q.weight, x @ self.W_K.weight, x @ self.W_V.weight
        return scaled_dot_product_attention(q, k, v, mask)


# %% wrong: a mask of two axes is taken for a padding mask
# A mask (T, T), such as the causal one, becomes (T, 1, T) and no longer fits the scores (B, T, T): an error, or, where B == T, the
# mask of sentence b is row b of the causal mask.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is not None and mask.dim() == 2:
            mask = mask.unsqueeze(1)  # (B, T) -> (B, 1, T): the same keys for all queries
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% correct: one product for the three maps

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in "QKV":
            self.add_module(f"W_{name}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        together = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        query, key, value = F.linear(x, together).chunk(3, dim=2)
        return scaled_dot_product_attention(query, key, value, mask)


# %% correct: the scores as a bilinear form, sentence by sentence

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, T, D = x.shape
        if mask is None:
            mask = torch.ones(T, T, dtype=torch.bool, device=x.device)
        relation = self.W_Q.weight.T @ self.W_K.weight
        outputs, weights = [], []
        for sentence, allowed in zip(x, mask.expand(B, T, T), strict=True):
            scores = (sentence @ relation @ sentence.T).div(D**0.5)
            empty = ~allowed.any(dim=1, keepdim=True)
            scores = scores.masked_fill(~(allowed | empty), -torch.inf)
            shares = torch.softmax(scores, dim=1).masked_fill(empty, 0.0)
            outputs.append(shares @ sentence @ self.W_V.weight.T)
            weights.append(shares)
        return torch.stack(outputs), torch.stack(weights)
