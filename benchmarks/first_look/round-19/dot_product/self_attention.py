# %% wrong: with biases
# nn.Linear has a bias unless told otherwise: three more parameters, W_Q.bias and so on, than the docstring allows.
# Shows in the names of the parameters for any d_model.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: keys and queries in each other's place
# The arguments are passed as K, Q, V, so row t of the weights is what the others ask of t. Shows for any x with
# more than one position (with one position all weights are one).

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        k, q, v = self.W_K(x), self.W_Q(x), self.W_V(x)
        return scaled_dot_product_attention(k, q, v, mask)


# %% wrong: one map under three names
# The chained assignment makes one nn.Linear: W_Q, W_K and W_V share a weight, so there is one parameter instead of three.
# Shows when a state with three different matrices is loaded, and for the number of parameters.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: causal unless told otherwise
# Without a mask all may attend; here no mask means a causal one. Shows for mask None and T of 2 or more.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% correct: a bilinear score, and values after the mixing
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for letter in "QKV":
            setattr(self, f"W_{letter}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        between = self.W_Q.weight.T @ self.W_K.weight  # (D, D)
        scores = torch.einsum("btd,de,bse->bts", x, between, x) * x.shape[2] ** -0.5
        weights = masked_softmax(scores, mask)
        return self.W_V(torch.bmm(weights, x)), weights


# %% correct: one product for all three maps, sentence by sentence
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in "QKV")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batch, length, width = x.shape
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])  # (3D, D)
        if mask is not None:
            mask = mask.expand(batch, length, length)
        outputs, weights = [], []
        for b in range(batch):
            q, k, v = (x[b] @ stacked.T).split(width, dim=1)
            own = None if mask is None else mask[b]
            output, weight = scaled_dot_product_attention(q, k, v, own)
            outputs.append(output)
            weights.append(weight)
        return torch.stack(outputs), torch.stack(weights)
