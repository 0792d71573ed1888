# %% wrong: x times the weight, not its transpose
# nn.Linear holds W as (out, in) and computes x W^T; here x W is computed. It shows for every
# d_model above 1 unless the matrices are symmetric.

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

# %% wrong: divided by the root twice
# The queries are scaled here and the scores once more in scaled_dot_product_attention. It shows
# for every d_model above 1: the weights are too even.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.W_Q, self.W_K, self.W_V = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query = self.W_Q(x) / math.sqrt(self.d_model)
        return scaled_dot_product_attention(query, self.W_K(x), self.W_V(x), mask)

# %% wrong: the last mask is remembered
# A mask given once is kept and used again where none is given. It shows for a call with a mask
# followed by one without.

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

# %% wrong: padding is hidden on the side of the queries too
# Wherever a position is hidden from all queries, its own row is set to zero as well. It shows for a
# padding mask (B, 1, T) or any mask with an empty column: rows of the weights that should sum to
# one are zero.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, weights = scaled_dot_product_attention(
            self.W_Q(x), self.W_K(x), self.W_V(x), mask
        )
        if mask is not None:
            square = mask.expand(weights.shape)
            padded = ~square.any(dim=1)  # (B, T): no query may look there
            weights = weights.masked_fill(padded.unsqueeze(2), 0.0)
            output = output.masked_fill(padded.unsqueeze(2), 0.0)
        return output, weights

# %% correct: one product for the three maps
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        together = torch.stack([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        query, key, value = torch.einsum("btd,wed->wbte", x, together)
        return scaled_dot_product_attention(query, key, value, mask)

# %% correct: a query at a time, with its own softmax
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batch, length, width = x.shape
        key, value = self.W_K(x), self.W_V(x)
        if mask is not None:
            mask = mask.expand(batch, length, length)
        rows = []
        for t in range(length):
            asked = self.W_Q(x[:, t]).unsqueeze(2)  # (B, D, 1)
            scores = torch.bmm(key, asked).squeeze(2) / math.sqrt(width)
            if mask is None:
                row = scores.softmax(dim=1)
            else:
                allowed = mask[:, t]
                lowest = torch.finfo(scores.dtype).min
                row = scores.masked_fill(~allowed, lowest).softmax(dim=1)
                row = row.masked_fill(~allowed, 0.0)
            rows.append(row)
        weights = torch.stack(rows, dim=1)
        return torch.bmm(weights, value), weights
