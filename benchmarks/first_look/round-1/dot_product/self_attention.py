# %% wrong: one stacked map
# A single map d_model to 3 d_model: the same arithmetic, but W_Q, W_K and W_V are not there, and later chapters and saved weights ask for them. A good message: "no parameter W_Q.weight: the docstring has the names".

from course.components import scaled_dot_product_attention


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_QKV = nn.Linear(d_model, 3 * d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key, value = self.W_QKV(x).chunk(3, dim=-1)
        return scaled_dot_product_attention(query, key, value, mask)

# %% wrong: one map under three names
# W_Q = W_K = W_V is a single module with three names: the parameters are there, all the same, so every position is most like itself and the scores are symmetric. A good message: "W_Q and W_K are the same parameter: three maps of their own".

from course.components import scaled_dot_product_attention


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: adds the input to the output
# A residual connection, remembered from a picture of the Transformer, is added in the module. A good message: "the output is the mean of the values plus x: the residual comes in a later chapter".

from course.components import scaled_dot_product_attention


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask=mask)
        return x + output, weights

# %% correct: one product with the three matrices laid together

from course.components import scaled_dot_product_attention


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        query, key, value = F.linear(x, stacked).tensor_split(3, dim=-1)
        return scaled_dot_product_attention(query, key, value, mask)

# %% correct: the relation as one matrix, values mapped after the blend

from course.components import masked_softmax


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        relation = self.W_Q.weight.T @ self.W_K.weight
        scores = torch.einsum("btd,de,bse->bts", x, relation, x) / x.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return self.W_V(weights @ x), weights
