# %% wrong: what does not broadcast is the error
# The sum is tried, and its RuntimeError becomes the ValueError. A table of one row broadcasts to any length: with max_length 1 a longer sentence
# gets the same vector everywhere, and no error.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        try:
            return x + self.weight[: x.shape[1]]
        except RuntimeError as error:
            raise ValueError("the sentence is longer than the table") from error

# %% wrong: a sentence as long as the table is refused
# The comparison is >= where it should be >: T == max_length raises although the table has a row for every position.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        if length >= len(self.weight):
            raise ValueError(f"{length} positions, but the table has {len(self.weight)}")
        return x + self.weight[:length].unsqueeze(0)

# %% wrong: the table is read past autograd
# .data gives the numbers without their history. The sum is right, but no gradient reaches the table: it stays as it began.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.weight.size(0):
            raise ValueError("too long")
        positions = self.weight.data[: x.size(1)]
        return x + positions.expand_as(x)

# %% wrong: added into x
# += writes into the caller's tensor: afterwards x holds the positions too, and a second call adds them twice. The returned numbers
# are right. (An x that requires a gradient raises.)

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("sentence longer than the table")
        x += self.weight[: x.shape[1]]
        return x

# %% correct: position by position

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places, rows = x.unbind(dim=1), self.weight.unbind(dim=0)
        if len(places) > len(rows):
            raise ValueError(f"position {len(rows)} has no row")
        return torch.stack([place + row for place, row in zip(places, rows, strict=False)], dim=1)

# %% correct: looked up like words

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        count, length = x.shape[:2]
        if length > len(self.weight):
            raise ValueError(f"a table of {len(self.weight)} rows, a sentence of {length}")
        ids = torch.arange(length, device=x.device).repeat(count, 1)  # (B, T)
        return torch.add(F.embedding(ids, self.weight), x)
