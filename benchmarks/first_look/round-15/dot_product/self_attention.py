# %% wrong: three names for one map
# The chained assignment makes a single nn.Linear: queries, keys and values are the same vectors, and there is one matrix
# of parameters instead of three. Shows for every input; loading three different matrices keeps only the last.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: divided by the root twice
# scaled_dot_product_attention divides by the root of d_model already. The weights are those of scores divided by
# d_model: too even for every d_model above 1 and more than one position.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = self.W_Q(x) / self.scale
        return scaled_dot_product_attention(q, self.W_K(x), self.W_V(x), mask)

# %% wrong: what may not be looked at may not look either
# The mask is combined with its own transpose. With a padding mask (B, 1, T) the padded queries get zeros although their
# rows allow keys, and a causal mask leaves every query only itself.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is not None:
            # padding neither asks nor answers
            mask = mask & mask.transpose(-2, -1)
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)

# %% wrong: the maps have biases
# nn.Linear has a bias unless told otherwise: three parameters too many, W_Q.bias and so on, and a state with three
# weights cannot be loaded. The outputs differ too, since biases start at random.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        return scaled_dot_product_attention(query, key, value, mask)

# %% correct: raw inputs are mixed first, and the value map comes last

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        # sum of a * (W_V x) = W_V (sum of a * x)
        mixed, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), x, mask)
        return self.W_V(mixed), weights

# %% correct: one product for all three maps, then query by query

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in "QKV")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        length = x.shape[1]
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        q, k, v = (x @ stacked.T).chunk(3, dim=-1)
        if mask is not None:
            mask = mask.broadcast_to(len(x), length, length)
        outputs, rows = [], []
        for t in range(length):
            row = None if mask is None else mask[:, t : t + 1]
            output, weights = scaled_dot_product_attention(q[:, t : t + 1], k, v, row)
            outputs.append(output)
            rows.append(weights)
        return torch.cat(outputs, dim=1), torch.cat(rows, dim=1)
