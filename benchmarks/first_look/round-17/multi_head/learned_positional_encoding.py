# %% wrong: the rows laid along the batch
# The rows get their axis of length one in the second place, as for tensors (T, B, D): sentence b gets row b at all its
# positions where B = T; B = 1 gives (T, T, D), and other sizes an error. Right only at T = 1.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > len(self.weight):
            raise ValueError(f"{T} positions, but a table of {len(self.weight)}")
        return x + self.weight[:T].unsqueeze(1)


# %% wrong: the number of sentences compared with the table
# len(x) is B, not T. A batch of more than max_length short sentences is refused; a sentence longer than the table gives a
# RuntimeError, or with a table of one row an answer.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > len(self.weight):
            raise ValueError("the sentence is longer than the table")
        return x + self.weight[: x.shape[1]]


# %% wrong: x made louder before the table is added
# Multiplied by the root of d_model, as a Transformer does with its embeddings. Promised is x plus the rows. Shows for any
# d_model above 1.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T, d_model = x.shape[1:]
        if T > self.weight.shape[0]:
            raise ValueError(f"at most {self.weight.shape[0]} positions, got {T}")
        return x * math.sqrt(d_model) + self.weight[:T]


# %% wrong: rows read outside of the graph
# The rows are right, but .data (as in a table that is fixed) passes no gradient: weight.grad stays None, and the table never
# learns. Shows on backward() for any input.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        if T > self.weight.size(0):
            raise ValueError(f"at most {self.weight.size(0)} positions, got {T}")
        rows = self.weight.data[:T]
        return x + rows.expand_as(x)


# %% correct: position after position, until the table ends

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        steps = list(x.unbind(dim=1))
        rows = list(self.weight.unbind(dim=0))
        if len(rows) < len(steps):
            raise ValueError(f"{len(steps)} positions, but a table of {len(rows)}")
        moved = [step + row for step, row in zip(steps, rows[: len(steps)], strict=True)]
        return torch.stack(moved, dim=1)


# %% correct: looked up as embeddings of the positions

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        missing = x.shape[1] - self.weight.shape[0]
        if missing > 0:
            raise ValueError(f"the table ends {missing} positions too early")
        return F.embedding(places.expand(x.shape[0], -1), self.weight) + x
