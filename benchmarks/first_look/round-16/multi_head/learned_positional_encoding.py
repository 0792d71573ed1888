# %% wrong: added by way of .data
# `.data` (like detach) cuts the table off from the graph: the output is right, but no gradient ever reaches weight, and
# the "learned" positions stay as they began. Shows in backward() for every x.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > len(self.weight):
            raise ValueError(f"{T} positions, but a table of {len(self.weight)}")
        return x + self.weight.data[:T]


# %% wrong: a slice taken for a copy
# x[:] copies a list, but of a tensor it is a view: += writes into the caller's x.
# Shows for every x (and raises an error where x is a leaf that requires gradients).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("the sentence is longer than the table")
        result = x[:]  # leave the caller's x alone
        result += self.weight[: x.shape[1]]
        return result


# %% wrong: leaves the error to the index
# Row numbers beyond the table do raise an error, but an IndexError, not the promised ValueError.
# Shows for T = max_length + 1.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1], device=x.device)
        return x + self.weight[positions]


# %% wrong: rows spread over the batch
# weight[:T].unsqueeze(1) is (T, 1, D): every sentence gets one row for all its positions. With B = T no error, with
# B = 1 the result is (T, T, D), else the shapes do not fit.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > self.weight.shape[0]:
            raise ValueError(f"at most {self.weight.shape[0]} positions, not {T}")
        return x + self.weight[:T].unsqueeze(1)


# %% correct: position after position

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        max_length = len(self.weight)
        places = []
        for t, words in enumerate(x.unbind(dim=1)):
            if t == max_length:
                raise ValueError(f"no vector for position {t}")
            places.append(words + self.weight[t])
        return torch.stack(places, dim=1)


# %% correct: looked up like words, numbers shared by the batch

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        if self.weight.shape[0] < T:
            raise ValueError(f"the table ends at {self.weight.shape[0]}, the sentence at {T}")
        ids = torch.ones(B, T, dtype=torch.int64, device=x.device).cumsum(dim=1) - 1
        return torch.add(F.embedding(ids, self.weight), x)
