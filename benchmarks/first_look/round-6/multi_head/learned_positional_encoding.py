# %% wrong: a full table is refused
# T equal to max_length raises, though the table has a row for each of these positions.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if not T < len(self.weight):
            raise ValueError(f"{T} positions, but the table has {len(self.weight)}")
        return x + self.weight[:T]


# %% wrong: the rows are read through data
# weight.data is cut off from the graph: the sum is right, and the table never learns.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        if T > self.weight.shape[0]:
            raise ValueError(f"x has {T} positions, the table {self.weight.shape[0]}")
        positions = self.weight.data[:T].unsqueeze(0).expand(B, T, D)
        return x + positions


# %% wrong: len of x is taken for its length in positions
# len(x) is the batch size B: a batch of one adds row 0 everywhere, others fail or pass by chance, the guard looks at B.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = len(x)
        if T > len(self.weight):
            raise ValueError(f"x is too long: {T} > {len(self.weight)}")
        return x + self.weight[:T]


# %% wrong: the tokens are made louder first
# x is multiplied by the root of D, as in the paper; the docstring wants x plus the rows.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))
        self.scale = math.sqrt(d_model)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError(f"{x.shape[1]} positions are more than {self.weight.shape[0]}")
        return self.scale * x + self.weight[: x.shape[1]]


# %% wrong: an embedding layer under the name of the parameter
# weight is a module now, the parameter is called weight.weight and begins fifty times too loud.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Embedding(max_length, d_model)

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        if T > self.max_length:
            raise ValueError(f"T = {T} is larger than max_length = {self.max_length}")
        return x + self.weight(torch.arange(T, device=x.device))


# %% correct: rows looked up by number, like tokens

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        available = self.weight.size(0)
        numbers = torch.arange(x.size(1), device=self.weight.device).expand(x.size(0), -1)  # (B, T)
        if x.size(1) > available:
            raise ValueError(f"no vector for positions {available} to {x.size(1) - 1}")
        return F.embedding(numbers, self.weight).add(x)


# %% correct: position after position, stacked again

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.randn(max_length, d_model).mul(0.02)))

    def _at(self, t: int) -> Tensor:
        if t >= self.weight.shape[0]:
            raise ValueError(f"position {t} is past the table's {self.weight.shape[0]} rows")
        return self.weight.select(0, t)

    def forward(self, x: Tensor) -> Tensor:
        columns = [tokens + self._at(t) for t, tokens in enumerate(x.unbind(dim=1))]
        return torch.stack(columns, dim=1) if columns else x + self.weight[:0]
