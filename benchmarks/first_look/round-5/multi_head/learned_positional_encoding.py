# %% wrong: the error is left to the addition
# The RuntimeError of shapes that do not fit is turned into a ValueError; a table of a single row fits any length, so that
# it is silently repeated.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        try:
            return x + self.weight[: x.shape[1]]
        except RuntimeError as error:
            raise ValueError("the sentence is longer than the table") from error


# %% wrong: the last row is never used
# A sentence of exactly max_length words is refused: the ValueError belongs to lengths larger than the table.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        max_length = self.weight.size(0)
        if T >= max_length:
            raise ValueError(f"positions go up to {max_length - 1}, got a length of {T}")
        return x + self.weight[:T].unsqueeze(0)


# %% wrong: the table does not learn
# The rows are taken from weight.data, which is outside of the graph: the output is right, but the parameter never gets a
# gradient.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > len(self.weight):
            raise ValueError(f"no vector for position {len(self.weight)}")
        return x + self.weight.data[: x.shape[1]]


# %% wrong: dropout, as usual behind positions
# While the module is in training mode a tenth of the sums is set to zero and the rest made larger; x plus the rows was
# promised, in either mode.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("sequence too long")
        return F.dropout(x + self.weight[: x.shape[1]], p=0.1, training=self.training)


# %% wrong: added into the input
# The addition is done in place: the caller's x has positions in it afterwards, a second call adds them once more, and an
# x that is a leaf with gradient raises an error.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError(f"at most {self.weight.shape[0]} positions, got {x.shape[1]}")
        x += self.weight[: x.shape[1]]
        return x


# %% correct: looked up like words

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        rows, _ = self.weight.shape
        if not length <= rows:
            raise ValueError(f"the table ends after {rows} positions, and {length} were asked for")
        places = torch.arange(length, device=x.device).expand(batch, length)
        return torch.add(x, F.embedding(places, self.weight))


# %% correct: a product with a part of the unit matrix

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def _rows(self, count: int) -> Tensor:
        if count > self.weight.size(0):
            raise ValueError(f"{count} positions, but only {self.weight.size(0)} vectors")
        which = torch.eye(count, self.weight.size(0), dtype=self.weight.dtype, device=self.weight.device)
        return which.matmul(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self._rows(x.size(-2))[None] + x
