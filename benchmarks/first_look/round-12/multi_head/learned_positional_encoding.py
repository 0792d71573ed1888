# %% wrong: added to the caller's tensor
# x += ... changes the tensor that was handed in (and raises an error for one that requires a gradient).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > self.weight.shape[0]:
            raise ValueError(f"{T} positions, but the table has {self.weight.shape[0]}")
        x += self.weight[:T]
        return x


# %% wrong: the slice will complain by itself
# No check: past its end the slice is shorter, which gives a RuntimeError and not a ValueError, and with a table of one row no
# error at all: it is added at every position.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.weight[: x.shape[1]]


# %% wrong: the longest sentence is refused
# Raises where T is max_length, too. A sentence exactly as long as the table fits.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) >= self.max_length:
            raise ValueError("the sentence is too long for the table")
        return x + self.weight[: x.size(1)].unsqueeze(0)


# %% wrong: len(x) is taken for the length
# len(x) is the number of sentences. Where B is not T it takes the wrong number of rows, and it raises for many short
# sentences and not for few long ones.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = len(x)
        if length > len(self.weight):
            raise ValueError("no vector for the last positions")
        return x + self.weight[:length]


# %% correct: a product with the first rows of the identity

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        rows, length = self.weight.shape[0], x.shape[1]
        if rows < length:
            raise ValueError(f"{length} positions do not fit into {rows}")
        chosen = torch.eye(length, rows, dtype=self.weight.dtype, device=self.weight.device)
        return torch.add(x, chosen @ self.weight)


# %% correct: one position after the other

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        try:
            placed = [words + self.weight[t] for t, words in enumerate(x.unbind(dim=1))]
        except IndexError:
            raise ValueError(f"the table ends at {len(self.weight)}") from None
        return torch.stack(placed, dim=1)
