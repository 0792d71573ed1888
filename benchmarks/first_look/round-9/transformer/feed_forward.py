# %% wrong: the relu is hard-wired
# The activation that was given to the constructor is stored and never used.
# Shows for any other activation, such as F.gelu.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(torch.relu(self.linear1(x)))


# %% wrong: an activation behind each linear map
# The activation is applied to the output of linear2 as well.
# Shows for nearly every x: with relu no output is below zero.

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


# %% wrong: the input is added already here
# Adds x to what the network gives; that is the layer's business (6.3), the docstring asks for the network alone.
# Shows for every x that is not zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(self.activation(self.linear1(x)))


# %% wrong: one row a position, by view
# view raises a RuntimeError for an x that does not lie in one piece in memory,
# such as torch.randn(5, 2, 8).transpose(0, 1).

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        rows = x.view(-1, x.shape[-1])
        rows = self.linear2(self.activation(self.linear1(rows)))
        return rows.view(x.shape)


# %% correct: homogeneous coordinates

def with_one(x: Tensor) -> Tensor:
    return torch.cat([x, x.new_ones(*x.shape[:-1], 1)], dim=-1)


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        up, down = (torch.cat([m.weight, m.bias.unsqueeze(1)], dim=1) for m in (self.linear1, self.linear2))
        hidden = self.activation(torch.einsum("...d,fd->...f", with_one(x), up))
        return torch.einsum("...f,df->...d", with_one(hidden), down)


# %% correct: a chain that is folded over the input

from functools import reduce


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        for number, (width_in, width_out) in enumerate(((d_model, d_ff), (d_ff, d_model)), start=1):
            self.add_module(f"linear{number}", nn.Linear(width_in, width_out))
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return reduce(lambda value, part: part(value), (self.linear1, self.activation, self.linear2), x)
