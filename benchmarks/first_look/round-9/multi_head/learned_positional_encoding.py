# %% wrong: a full table is refused
# ">=" in place of ">": a sentence of exactly max_length positions raises ValueError, though each of its
# positions has a row. Shows for T = max_length.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T >= self.weight.shape[0]:
            raise ValueError(f"{T} positions, but the table has {self.weight.shape[0]} rows")
        return x + self.weight[:T]


# %% wrong: adds in place
# x += ... writes into the argument: after the call the caller's x has the positions in it, and a second call
# adds them again. Shows for every x (and is an error for an x that requires a gradient).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        if T > self.weight.shape[0]:
            raise ValueError("sentence too long for the table")
        x += self.weight[:T].unsqueeze(0)
        return x


# %% wrong: waits for the addition to fail
# The slice past the end is just shorter, and the sum raises RuntimeError, not ValueError. With a table of one
# row nothing is raised at all: for max_length = 1 and T = 3 the row is added to all three positions.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        # slicing stops at the end of the table, so that too long a sentence cannot be added
        return x + self.weight[: x.size(1)]


# %% wrong: adds the numbers, not the parameter
# weight.data is cut off from the graph, so that no gradient reaches the table and it never learns.
# Shows for any x: output.sum().backward() leaves weight.grad None (or fails).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > len(self.weight):
            raise ValueError(f"at most {len(self.weight)} positions, got {x.shape[1]}")
        rows = self.weight.data[: x.shape[1]]
        return x + rows.expand_as(x)


# %% correct: looked up like words

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device).expand(x.shape[0], -1)
        if places.shape[1] > self.weight.shape[0]:
            raise ValueError(f"no vector for position {self.weight.shape[0]}")
        return F.embedding(places, self.weight) + x


# %% correct: position by position

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        columns, rows = list(x.unbind(dim=1)), list(self.weight)
        if len(columns) > len(rows):
            raise ValueError(f"the table ends at {len(rows)}, the sentence at {len(columns)}")
        return torch.stack([column + row for column, row in zip(columns, rows)], dim=1)
