# %% wrong: leaves the error to broadcasting
# No check of its own: a text that is too long raises torch's RuntimeError instead of a ValueError, and with
# max_length 1 no error at all, for the one row is repeated.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        return x + self.weight[:T].unsqueeze(0)


# %% wrong: adds in place
# x += ... changes the tensor that was given; the caller's x has positions afterwards, and a second call adds
# them again. Shows for every input.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        max_length = self.weight.shape[0]
        if x.shape[1] > max_length:
            raise ValueError(f"text of {x.shape[1]} tokens, table of {max_length}")
        x += self.weight[: x.shape[1]]
        return x


# %% wrong: refuses a full table
# The comparison is >= where it should be >: T equal to max_length, which has a row for each position, raises
# a ValueError.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        _, T, _ = x.shape
        if T >= self.max_length:
            raise ValueError(f"no position {T} in a table of {self.max_length}")
        return x + self.weight[:T]


# %% wrong: an nn.Embedding under another name
# The parameter is called table.weight and not weight, so there is no .weight and a state_dict with `weight`
# does not load.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > self.table.num_embeddings:
            raise ValueError("the sentence is longer than the table")
        return x + self.table(torch.arange(T, device=x.device))


# %% correct: looked up one by one

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model).normal_(std=0.02))

    def forward(self, x: Tensor) -> Tensor:
        places = list(range(x.size(1)))
        if places and places[-1] not in range(len(self.weight)):
            raise ValueError(f"no row for position {places[-1]}, the table ends at {len(self.weight) - 1}")
        numbers = torch.tensor(places, dtype=torch.long, device=x.device).expand(x.size(0), -1)
        return F.embedding(numbers, self.weight).add(x)


# %% correct: place by place

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        rows = self.weight.unbind(0)
        columns = x.unbind(1)
        if len(columns) > len(rows):
            raise ValueError(f"{len(columns)} tokens, but {len(rows)} positions")
        return torch.stack([token + row for token, row in zip(columns, rows, strict=False)], dim=1)
