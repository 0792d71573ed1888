# %% wrong: the table is not learned
# .data takes the numbers out of the graph: weight.grad stays None, and training never moves it. Shows in backward() for
# any x.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > len(self.weight):
            raise ValueError(f"{T} positions, but the table has {len(self.weight)}")
        return x + self.weight.data[:T]


# %% wrong: one position too few
# Refuses T equal to max_length as well, a sentence that just fits. Shows for x (B, max_length, D).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] >= self.weight.shape[0]:
            raise ValueError("the sentence is longer than the table")
        return x + self.weight[: x.shape[1]]


# %% wrong: compared with the width
# weight.shape[1] is d_model, not max_length. Sentences longer than the vectors are wide are refused, and where the table
# has one row and D is 2 or more, T = 2 broadcasts without an error.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[1]:
            raise ValueError("the sentence is longer than the table")
        return x + self.weight[: x.shape[1]].unsqueeze(0)


# %% wrong: adds in place
# x += ... writes into the caller's tensor. Shows when x is looked at afterwards, or is a leaf that requires a gradient (an
# error).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        if T > self.weight.shape[0]:
            raise ValueError(f"at most {self.weight.shape[0]} positions, got {T}")
        x += self.weight[:T]
        return x


# %% correct: looked up by number
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=self.weight.device)
        if places.numel() > self.weight.size(0):
            raise ValueError("no row for the last places")
        return F.embedding(places, self.weight).expand_as(x) + x


# %% correct: place by place
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        rows, words = self.weight.unbind(dim=0), x.unbind(dim=1)
        if len(words) > len(rows):
            raise ValueError(f"{len(words)} words, but only {len(rows)} rows")
        return torch.stack([word + row for word, row in zip(words, rows, strict=False)], dim=1)
