# %% wrong: maps with a bias
# nn.Linear has a bias unless told otherwise. The docstring says three maps without bias: there are six parameters where three are promised,
# saved weights with three names do not load, and W_Q(x) is not W_Q x.


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: its own softmax, with NaN in empty rows
# The equation is written out again with a plain softmax over minus infinities. A query that may look at nothing gets NaN for weights and
# output, where zeros are promised: any mask with a row of False.


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(self.d_model)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return weights @ v, weights


# %% wrong: the weight matrices from the right, not turned
# x @ W.weight computes W^T x for each position: q_t = W_Q x_t is asked for, and nn.Linear multiplies with the transpose. Wrong for every
# matrix that is not symmetric, though it trains as well as the right one; saved weights of a right one give other numbers.


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key, value = (x @ linear.weight for linear in (self.W_Q, self.W_K, self.W_V))
        return scaled_dot_product_attention(query, key, value, mask)


# %% wrong: the mask of the last call is kept
# A mask that is given is stored, and a call without one uses the stored one. mask=None means that every key is allowed: after a call with a
# causal mask, the same x without a mask still gets causal weights (or raises, if T has changed).


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.mask = None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is not None:
            self.mask = mask
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), self.mask)


# %% correct: the bilinear form, the values mixed before they are mapped


class SelfAttention(nn.Module):
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
        self.W_Q, self.W_K, self.W_V = [nn.Linear(d_model, d_model, bias=False) for _ in "QKV"]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        wide = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])  # (3 D, D)
        query, key, value = F.linear(x, wide).tensor_split(3, dim=-1)
        return scaled_dot_product_attention(query, key, value, mask)
