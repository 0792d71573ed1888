# %% wrong: no refusal past the end of the table
# The slice simply ends with the table, and the sum raises a RuntimeError about sizes instead of the ValueError; a table
# of one row is even broadcast over the whole sentence.
# Hint: which error is promised where T is larger than max_length? Try a table of one row, too.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        return x + self.weight[:length]


# %% wrong: the first axis taken for the positions
# As in tutorials with (T, B, D): here the first axis is the sentence, so every word of sentence b gets row b, and the
# words of one sentence are not told apart.
# Hint: add your table to zeros of the shape (2, 5, D). Should two rows of the same sentence be equal?

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(0)
        if T > self.weight.size(0):
            raise ValueError(f"{T} positions, but the table has {self.weight.size(0)}")
        return x + self.weight[:T].unsqueeze(1)


# %% wrong: a sentence as long as the table is refused
# Off by one: max_length rows are enough for max_length positions.
# Hint: how many positions have a row in a table of eight rows? Try exactly that length.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        max_length = len(self.weight)
        if x.shape[1] >= max_length:
            raise ValueError(f"only {max_length} positions, got {x.shape[1]}")
        return x + self.weight[: x.shape[1]]


# %% wrong: looked up without a gradient
# The rows are taken under no_grad, as if a table were only read. The sum is right, and the table is never trained.
# Hint: call backward on the sum of the output and look at weight.grad.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > self.weight.shape[0]:
            raise ValueError(f"sentence of {T} positions is longer than the table ({self.weight.shape[0]})")
        with torch.no_grad():
            positions = self.weight[torch.arange(T, device=x.device)]
        return x + positions


# %% correct: an embedding of the numbers 0 to T - 1

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length, rows = x.shape[1], self.weight.shape[0]
        if length > rows:
            raise ValueError(f"no vector for position {rows}: the table has {rows} rows, the sentence {length} words")
        numbers = torch.arange(length, device=self.weight.device)
        return F.embedding(numbers, self.weight).unsqueeze(0) + x


# %% correct: the rows picked by a product with ones and zeros

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T, max_length = x.size(-2), self.weight.size(0)
        if not T <= max_length:
            raise ValueError(f"T = {T} is larger than max_length = {max_length}")
        pick = torch.eye(T, max_length, dtype=self.weight.dtype, device=self.weight.device)
        return x + pick @ self.weight
