# %% wrong: the last row may not be used
# Raises where T equals max_length; the promise is to raise only where T is larger. Shows for T = max_length alone.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        if length >= len(self.weight):
            raise ValueError(f"{length} positions are too many, there are {len(self.weight)}")
        return x + self.weight[:length]


# %% wrong: adds to the argument itself
# `x += ...` writes into the tensor that was given: after the call x is changed, and a second call with it gives another result
# (with an x that asks for its gradient and is a leaf, it is an error).

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        if T > self.weight.size(0):
            raise ValueError("the sentence is longer than the table")
        x += self.weight[:T]
        return x


# %% wrong: as many rows as there are sentences
# len(x) is B and not T. With B = 1 row 0 is added to every place, without an error; B = T is right; other sizes are an error.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.weight.shape[0]:
            raise ValueError("T is larger than max_length")
        return x + self.weight[: len(x)].unsqueeze(0)


# %% wrong: the table gets no gradient
# .data goes round autograd: the numbers are right, but weight.grad stays None, so the learned table is never learned.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        if T > self.weight.shape[0]:
            raise ValueError(f"at most {self.weight.shape[0]} positions, got {T}")
        rows = self.weight.data[:T]
        return x + rows.expand(B, T, D)


# %% correct: looked up by number, as an embedding

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        if (places >= self.weight.shape[0]).any():
            raise ValueError(f"no row for place {self.weight.shape[0]}")
        return F.embedding(places.expand(x.shape[0], -1), self.weight) + x


# %% correct: narrow refuses by itself, with another error

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        try:
            rows = torch.narrow(self.weight, 0, 0, x.shape[1])
        except (RuntimeError, IndexError) as error:
            raise ValueError("more positions than rows") from error
        return torch.stack([sentence + rows for sentence in x.unbind(0)])
