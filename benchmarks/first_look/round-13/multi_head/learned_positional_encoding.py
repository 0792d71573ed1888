# %% wrong: no check of the length
# Slicing never fails: a table of one row is broadcast over any sentence without an error, and a longer
# table that is too short raises RuntimeError, not ValueError (max_length 1 and T 3; max_length 4 and T 5).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.weight[: x.shape[1]]

# %% wrong: added in place
# += writes into the caller's x, which was to be left as it was. Shows for every x (one that is a leaf and
# needs gradients raises).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        if T > self.weight.size(0):
            raise ValueError("the sentence is longer than the table")
        x += self.weight[:T].unsqueeze(0)
        return x

# %% wrong: a full sentence is refused
# >= where > is meant: T equal to max_length fits the table, and raises.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        if length >= len(self.weight):
            raise ValueError(f"at most {len(self.weight)} positions, got {length}")
        return x + self.weight[:length]

# %% wrong: the rows are taken from .data
# The sum is right, but no gradient reaches the table: after backward() weight.grad is None, and the
# "learned" vectors are never learned.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        if T > self.weight.shape[0]:
            raise ValueError("T is larger than max_length")
        positions = self.weight.data[:T].unsqueeze(0).expand(B, T, D)
        return x + positions

# %% correct: looked up as if positions were words

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        number = torch.arange(x.shape[1], device=x.device)
        if number.numel() > self.weight.shape[0]:
            raise ValueError(f"no vector for position {self.weight.shape[0]}")
        return F.embedding(number, self.weight).unsqueeze(0).add(x)

# %% correct: position by position

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        rows = list(self.weight.unbind(0))
        moved = []
        for token in x.unbind(dim=1):
            if not rows:
                raise ValueError("the sentence goes on past the last row of the table")
            moved.append(token + rows.pop(0))
        return torch.stack(moved, dim=1)
