# %% wrong: three names for one linear map
# The chained assignment makes a single nn.Linear under three names: parameters() has one matrix, not three, and
# different W_Q, W_K and W_V cannot be loaded (the last one counts). Shows for any x as soon as the three differ.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% wrong: rows of x times the weight as it is
# "Rows are vectors, so the matrix stands on the right": but nn.Linear keeps W, not its transpose, and W x for rows is
# x @ W.T. Shows for any x and matrices that are not symmetric (d_model above 1).

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = (x @ W.weight for W in (self.W_Q, self.W_K, self.W_V))
        return scaled_dot_product_attention(q, k, v, mask)


# %% wrong: scaled once more
# The queries are divided by the root of D, and scaled_dot_product_attention divides again.
# Shows for any x with D above 1 and more than one position.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.scale = d_model**-0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = self.W_Q(x) * self.scale
        return scaled_dot_product_attention(query, self.W_K(x), self.W_V(x), mask)


# %% wrong: causal unless told otherwise
# Without a mask a causal one is put in ("no position may see the future", section 4.5), though None means that every
# position asks all. Shows for mask=None and T above 1.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


# %% correct: a bilinear score, and the values last

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        between = self.W_Q.weight.T @ self.W_K.weight  # (D, D)
        scores = x @ between @ x.mT / x.shape[2] ** 0.5
        weights = masked_softmax(scores, mask)
        return self.W_V(weights @ x), weights  # mix first, project afterwards


# %% correct: one product for all three, one query at a time

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in "QKV":
            self.add_module(f"W_{name}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, T, D = x.shape
        stacked = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        q, k, v = torch.tensor_split(F.linear(x, stacked), 3, dim=2)
        if mask is not None:
            mask = mask.broadcast_to(B, T, T)
        outputs, weights = [], []
        for t in range(T):
            row = None if mask is None else mask[:, t]
            scores = (k * q[:, t : t + 1]).sum(dim=2) / math.sqrt(D)  # (B, T)
            weight = masked_softmax(scores, row)
            weights.append(weight)
            outputs.append((weight.unsqueeze(2) * v).sum(dim=1))
        return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)
