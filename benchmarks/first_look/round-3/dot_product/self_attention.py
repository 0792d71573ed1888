# %% wrong: with a bias
# nn.Linear has a bias unless told otherwise; the docstring wants three maps without, and saved weights do not fit.
# Hint: list the names of your module's parameters; how many should there be?

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: the weights are thrown away
# Only the output comes back, where the docstring promises the output and the weights.
# Hint: what does `output, weights = attention(x)` do with one tensor?

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        return output


# %% wrong: the maps the wrong way round
# x @ W.weight is the transposed map: d_model to d_model hides it, but it is not W_Q x, and weights saved or set by hand give other results.
# Hint: what does nn.Linear do with its weight? Compare x @ self.W_Q.weight with self.W_Q(x).

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


# %% wrong: the mask stays at the door
# forward takes a mask and does not hand it on, so everything is allowed whatever the caller says.
# Hint: give it the causal mask, and look above the diagonal of the weights.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x))
        return output, weights


# %% correct: one product for the three maps

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Linear(in_features=d_model, out_features=d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        query, key, value = F.linear(x, stacked).chunk(3, dim=-1)
        return scaled_dot_product_attention(query=query, key=key, value=value, mask=mask)


# %% correct: scores by einsum, without the function of before

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        scores = torch.einsum("btd,bsd->bts", self.W_Q(x), self.W_K(x)) * x.shape[-1] ** -0.5
        weights = masked_softmax(scores, mask)
        return weights.bmm(self.W_V(x)), weights
