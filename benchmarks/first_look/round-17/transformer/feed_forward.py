# %% wrong: the maximum with zero on top of the activation
# max(0, ...) of the formula stays although the activation is another: what the activation leaves negative is lost.
# Shows with torch.tanh or F.gelu; right with the ReLU.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:

        hidden = torch.clamp(self.activation(self.linear1(x)), min=0)
        return self.linear2(hidden)


# %% wrong: the first bias after the activation
# max(0, W1 x) + b1 in the place of max(0, W1 x + b1). Shows for every input, since nn.Linear's biases start random.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:

        hidden = self.activation(F.linear(x, self.linear1.weight)) + self.linear1.bias
        return F.linear(hidden, self.linear2.weight) + self.linear2.bias


# %% wrong: a dropout that is never off
# F.dropout is active by default, in eval mode as well: called twice, the same input gives two results.
# Nobody asked for dropout here anyway.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:

        hidden = F.dropout(self.activation(self.linear1(x)), p=0.1)
        return self.linear2(hidden)


# %% wrong: three axes and a view
# Takes (B, T, D) alone, though the docstring has any axes before the last: fails for (D,), (N, D) and (B, H, T, D), and
# view fails on a transposed x.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:

        B, T, D = x.shape
        tokens = x.view(B * T, D)
        return self.linear2(self.activation(self.linear1(tokens))).view(B, T, D)


# %% correct: the three functions one after the other by reduce

from functools import reduce


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:

        return reduce(lambda y, function: function(y), (self.linear1, self.activation, self.linear2), x)


# %% correct: two einsums and the biases by hand

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:

        # keys (F, D) and values (D, F) of a memory, as in the section below
        keys, values = self.linear1.weight, self.linear2.weight
        scores = torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias
        return torch.einsum("...f,df->...d", self.activation(scores), values) + self.linear2.bias
