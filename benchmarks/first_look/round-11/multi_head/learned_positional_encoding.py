# %% wrong: the last row is refused
# A sentence exactly as long as the table is refused, though ValueError is promised only for longer
# ones. It shows for T = max_length.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T >= len(self.weight):
            raise ValueError(f"position {T} is not in the table")
        return x + self.weight[:T]

# %% wrong: the addition's own error, renamed
# A failed addition is turned into ValueError, but with a table of one row nothing fails: the row
# broadcasts. It shows for max_length = 1 and T = 2.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        try:
            return x + self.weight[: x.shape[1]]
        except RuntimeError as error:
            raise ValueError("the sentence is longer than the table") from error

# %% wrong: added in place
# The positions are written into the caller's x, which should be left as it was (and if it is a leaf
# that wants a gradient, an error is raised). It shows for every x, by looking at it afterwards.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("too long")
        x += self.weight[: x.shape[1]]
        return x

# %% wrong: the table's data are added
# .data leaves autograd: the values are right, but the table gets no gradient and is never trained.
# It shows after backward(): weight.grad is None.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length, max_length = x.size(1), self.weight.size(0)
        if length > max_length:
            raise ValueError(f"{length} positions, but only {max_length} vectors")
        return x + self.weight.data[:length].unsqueeze(0)

# %% correct: a lookup by the numbers of the positions
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        if not bool((places < self.weight.shape[0]).all()):
            raise ValueError("there is no vector for the last positions")
        return F.embedding(places.expand(x.shape[:2]), self.weight) + x

# %% correct: position by position, with an iterator over the table
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        rows, placed = iter(self.weight.unbind(0)), []
        for token in x.unbind(1):
            row = next(rows, None)
            if row is None:
                raise ValueError(f"the table ends after {len(placed)} positions")
            placed.append(torch.add(row, token))
        return torch.stack(placed, dim=1)
