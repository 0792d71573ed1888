# %% wrong: three names for one map
# The chained assignment makes a single linear map with three names: queries, keys and values are the same vectors, and
# there are a third of the parameters.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: the weight matrices are not transposed
# x @ weight multiplies with the transposed map: nn.Linear holds W so that a row x becomes x @ W.T. The shapes are right
# as the matrices are square.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = x @ self.W_Q.weight
        k = x @ self.W_K.weight
        v = x @ self.W_V.weight
        return scaled_dot_product_attention(q, k, v, mask)


# %% wrong: the mask of an earlier call stays
# The mask is stored in the module and used again when a later call brings none: without a mask every position must be
# allowed.

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


# %% wrong: the weights are made without gradient
# Since the weights are computed and not learned they are computed under no_grad: W_Q and W_K get no gradient, and the
# gradient of x misses the way through the weights.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        values = self.W_V(x)
        with torch.no_grad():  # the weights are no parameters
            _, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), values, mask)
        return weights @ values, weights


# %% wrong: no mask is taken for a causal one
# Where no mask is given the module makes a causal one; by the docstring None allows every position.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% correct: one product for all three maps, then bmm

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batch, length, width = x.shape
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        asks, labels, says = F.linear(x, stacked).split(width, dim=2)
        scores = torch.bmm(asks, labels.mT) / math.sqrt(width)
        if mask is None:
            weights = scores.softmax(dim=2)
        else:
            allowed = mask.expand(batch, length, length)
            lowest = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(~allowed, lowest).softmax(dim=2).masked_fill(~allowed, 0.0)
        return torch.bmm(weights, says), weights


# %% correct: one sentence after the other, with helpers

def _plain_map(d_model: int) -> nn.Linear:
    return nn.Linear(d_model, d_model, bias=False)


class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = _plain_map(d_model)
        self.W_K = _plain_map(d_model)
        self.W_V = _plain_map(d_model)

    def _one(self, sentence: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        q = torch.einsum("td,ed->te", sentence, self.W_Q.weight)
        k = torch.einsum("td,ed->te", sentence, self.W_K.weight)
        v = torch.einsum("td,ed->te", sentence, self.W_V.weight)
        return scaled_dot_product_attention(q, k, v, allowed)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        size, length, width = x.shape
        if mask is None:
            mask = torch.ones(1, 1, 1, dtype=torch.bool, device=x.device)
        if size == 0:
            return x.new_zeros(0, length, width), x.new_zeros(0, length, length)
        results = [self._one(s, m) for s, m in zip(x, mask.expand(size, length, length), strict=True)]
        outputs, weights = zip(*results, strict=True)
        return torch.stack(outputs), torch.stack(weights)
