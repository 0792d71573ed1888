# %% wrong: adds in place
# `x += ...` writes the positions into the tensor that was given: afterwards the caller's x is another one (and an x
# that is a leaf with requires_grad raises RuntimeError).

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


# %% wrong: refuses a sentence that just fits
# `>=` also refuses T == max_length, which has a row for each of its positions: ValueError where the sum is promised.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = x.size(1)
        if length >= self.max_length:
            raise ValueError(f"position {length} is not in the table of {self.max_length}")
        return x + self.weight[:length].unsqueeze(0)


# %% wrong: no check of the length
# A slice past the end of the table is only shorter: with T > max_length torch's RuntimeError instead of ValueError,
# and with max_length = 1 no error at all, the one row is added everywhere.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        return x + self.weight[:T]


# %% wrong: the table does not learn
# `.data` cuts the table off from the gradient: the sums are right, and weight.grad stays None after backward, for
# every input.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        max_length = len(self.weight)
        if x.shape[1] > max_length:
            raise ValueError(f"T = {x.shape[1]} is larger than max_length = {max_length}")
        rows = self.weight.data[: x.shape[1]]
        return x + rows.expand(x.shape[0], -1, -1)


# %% correct: looked up like words

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        sentences, length = x.shape[:2]
        if length > len(self.weight):
            raise ValueError(f"no position {len(self.weight)} in this table, and the text has {length}")
        place = torch.arange(length, device=x.device).expand(sentences, length)
        return F.embedding(place, self.weight).add(x)


# %% correct: a rectangle of ones times the table

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        rows = self.weight.size(0)
        if not x.size(1) <= rows:
            raise ValueError(f"at most {rows} positions, got {x.size(1)}")
        pick = torch.eye(x.size(1), rows, dtype=self.weight.dtype, device=self.weight.device)  # (T, max_length)
        return torch.einsum("tm,md->td", pick, self.weight) + x
