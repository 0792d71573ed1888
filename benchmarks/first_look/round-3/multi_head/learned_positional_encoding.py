# %% wrong: the full table refused
# Raises ValueError for T equal to max_length too, where the table still has a row for each position.
# Hint: how many rows does a table with max_length 8 have, and how many does T = 8 need?

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T >= len(self.weight):
            raise ValueError(f"{T} positions, and a table of {len(self.weight)}")
        return x + self.weight[:T]


# %% wrong: rows counted by the batch
# len(x) is the number of sentences B, not of positions T; it fails or adds one row to all positions where the two differ.
# Hint: which axis of x does len give?

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > self.weight.shape[0]:
            raise ValueError("longer than the table")
        return x + self.weight[: len(x)]


# %% wrong: a table that begins again
# Past its last row the table starts from row 0 again, silently, where the docstring promises ValueError.
# Hint: reread what the text says of a table that silently repeats.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1], device=x.device) % self.weight.shape[0]
        return x + self.weight[positions]


# %% wrong: a table that cannot learn
# The rows are taken from weight.data, which has no gradient: right numbers, and training never changes the table.
# Hint: call backward on a sum of the output and look at weight.grad.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        if T > self.weight.shape[0]:
            raise ValueError(f"at most {self.weight.shape[0]} positions, got {T}")
        return x + self.weight.data[:T].unsqueeze(0)


# %% correct: looked up like tokens

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.size(1), device=self.weight.device).expand(x.size(0), -1)
        if places.size(1) > self.weight.size(0):
            raise ValueError(f"the table ends at {self.weight.size(0)} positions, got {places.size(1)}")
        return torch.add(x, F.embedding(places, self.weight))
