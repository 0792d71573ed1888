# %% wrong: ReLU whatever was asked for
# Ignores the activation given to the constructor; shows with activation=F.gelu (or torch.tanh).

class FeedForward(nn.Module):
    """The same small network at every position."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(torch.relu(self.linear1(x)))


# %% wrong: the input is added
# Adds the residual here already, which is the layer's task; shows for every x that is not zero.

class FeedForward(nn.Module):
    """The same small network at every position."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)


# %% wrong: an einsum for exactly three axes
# The letters fix (B, T, D); x of shape (D,), (T, D) or (B, H, T, D) raises an error, where the docstring takes (..., D).

class FeedForward(nn.Module):
    """The same small network at every position."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.einsum("btd,fd->btf", x, self.linear1.weight) + self.linear1.bias
        hidden = self.activation(hidden)
        return torch.einsum("btf,df->btd", hidden, self.linear2.weight) + self.linear2.bias


# %% wrong: flattened with view
# view needs numbers that lie in order: a transposed x, such as torch.randn(5, 2, 8).transpose(0, 1), raises a
# RuntimeError.

class FeedForward(nn.Module):
    """The same small network at every position."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        flat = x.view(-1, x.shape[-1])  # every position is a row
        flat = self.linear2(self.activation(self.linear1(flat)))
        return flat.view(x.shape)


# %% correct: sums of columns, feature by feature
class FeedForward(nn.Module):
    """The same small network at every position."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.linear1.bias
        for column, feature in zip(self.linear1.weight.unbind(dim=1), x.unbind(dim=-1), strict=True):
            hidden = hidden + feature.unsqueeze(-1) * column
        hidden = self.activation(hidden)
        out = self.linear2.bias
        for value, weight in zip(self.linear2.weight.unbind(dim=1), hidden.unbind(dim=-1), strict=True):
            out = out + weight.unsqueeze(-1) * value
        return out


# %% correct: the bias as one more row of the matrix, and tensordot
def affine(x: Tensor, linear: nn.Linear) -> Tensor:
    matrix = torch.cat([linear.weight, linear.bias.unsqueeze(1)], dim=1)  # (out, in + 1)
    with_one = torch.cat([x, x.new_ones(*x.shape[:-1], 1)], dim=-1)
    return torch.tensordot(with_one, matrix, dims=([-1], [1]))


class FeedForward(nn.Module):
    """The same small network at every position."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return affine(self.activation(affine(x, self.linear1)), self.linear2)
