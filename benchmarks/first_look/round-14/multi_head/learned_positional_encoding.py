# %% wrong: a full table is refused
# `>=` also raises where T == max_length, the longest sentence for which there is a vector at every position.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T >= len(self.weight):
            raise ValueError(f"{T} positions, but the table has {len(self.weight)}")
        return x + self.weight[:T]


# %% wrong: the table's numbers, without its gradient
# .data takes the parameter out of the graph: the sum is right, but the table never gets a gradient and never learns.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.weight.size(0):
            raise ValueError(f"at most {self.weight.size(0)} positions, got {x.size(1)}")
        positions = self.weight.data[: x.size(1)]
        return x + positions.unsqueeze(0)


# %% wrong: len(x) taken for the length
# len(x) is the number of sentences. Two sentences of five words get two rows, which do not fit (an error), and a batch larger than the table
# is refused; right only where B == T.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = len(x)
        if length > len(self.weight):
            raise ValueError(f"a sentence of {length} words is too long")
        return x + self.weight[:length]


# %% wrong: added into the caller's tensor
# add_ is right in what it returns and overwrites x on the way: called twice on the same x, the positions are in it twice.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("longer than the table")
        return x.add_(self.weight[: x.shape[1]])


# %% correct: word by word

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        words, rows = x.unbind(dim=1), self.weight.unbind(dim=0)
        if len(words) > len(rows):
            raise ValueError(f"{len(words)} words, {len(rows)} positions")
        return torch.stack([word + row for word, row in zip(words, rows, strict=False)], dim=1)


# %% correct: an embedding of the position's number

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device).expand(x.shape[:2])  # (B, T)
        if places.shape[1] > self.weight.shape[0]:
            raise ValueError(f"there is no vector for position {self.weight.shape[0]}")
        return F.embedding(places, self.weight).add(x)
