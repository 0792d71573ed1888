# %% wrong: slicing knows no end
# weight[:T] stops silently at max_length: the sum then fails with a RuntimeError about sizes, and with max_length = 1 the one row is added at every position without a word. A good message: "T = 3 with max_length = 1: expected ValueError, got a sum".

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.weight[: x.size(1)].unsqueeze(0)

# %% wrong: added into the caller's tensor
# x += ... writes into the tensor that was handed in (and fails on a leaf that requires gradients). A good message: "forward changed its argument x".

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("the sentence is longer than the table")
        x += self.weight[: x.shape[1]]
        return x

# %% wrong: one too strict
# T >= max_length is refused, so the last row of the table can never be used. A good message: "T = max_length must work".

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        if length >= len(self.weight):
            raise ValueError(f"{length} positions, the table has {len(self.weight)}")
        return x + self.weight[:length]

# %% correct: looked up as an embedding

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-2] > self.weight.shape[0]:
            raise ValueError(f"no position {x.shape[-2] - 1} in a table of {self.weight.shape[0]}")
        places = torch.arange(x.shape[-2], device=self.weight.device)
        return torch.add(F.embedding(places, self.weight), x)
