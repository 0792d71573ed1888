# %% wrong: the activation stands behind both maps
# What comes out of linear2 goes through the activation once more, so no number of the output is negative with a relu.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        for linear in (self.linear1, self.linear2):
            x = self.activation(linear(x))
        return x


# %% wrong: always a relu
# The activation that was given is kept, and never used.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(torch.clamp(self.linear1(x), min=0))


# %% wrong: the stream is added already here
# The residual connection belongs to the layer; here the input is added to the network's output.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)


# %% wrong: three axes are taken for granted
# Unpacks B, T and D, and so fails on a single vector, on (T, D) and on four axes, though any (..., D) is promised.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        rows = x.reshape(B * T, D)
        rows = self.linear2(self.activation(self.linear1(rows)))
        return rows.view(B, T, D)


# %% wrong: a dropout that never sleeps
# F.dropout is in training mode unless told otherwise, and the docstring has no dropout in this part at all.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        x = self.linear1(x)
        x = self.activation(x)
        x = F.dropout(x, 0.1)
        return self.linear2(x)


# %% correct: a chain of functions

from functools import reduce


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        chain = (self.linear1, self.activation, self.linear2)
        return reduce(lambda value, part: part(value), chain, x)


# %% correct: written as a lookup

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.transpose(0, 1)
        scores = torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias
        return torch.einsum("...f,fd->...d", self.activation(scores), values) + self.linear2.bias
