# %% wrong: always a relu
# The formula of the text is written down; the activation that was handed over is not used.
# Shows with any other activation, e.g. activation=F.gelu.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(torch.relu(self.linear1(x)))


# %% wrong: adds the stream itself
# Returns x + FFN(x) since parts 'read and add': the layer adds, this part is linear1, activation, linear2 and no more.
# Shows for every x that is not zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)


# %% wrong: view of whatever comes
# Flattens all axes but the last with view: raises a RuntimeError for an x that does not lie in one piece,
# e.g. torch.randn(5, 2, 8).transpose(0, 1); tensors are allowed 'however they lie in memory'.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        flat = x.view(-1, self.linear1.in_features)
        out = self.linear2(self.activation(self.linear1(flat)))
        return out.view(x.shape)


# %% wrong: a loop over the second axis
# Takes axis 1 for the positions: right with three axes or four, but x may be (..., D), and with (T, D) axis 1 is the features
# (linear1 gets a row of wrong width, and raises, or for T = D mixes positions); (D,) has no axis 1.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        steps = [self.linear2(self.activation(self.linear1(x[:, t]))) for t in range(x.shape[1])]
        return torch.stack(steps, dim=1)


# %% correct: keys and values, one sum

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.mT
        scores = torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias
        return torch.einsum("...f,fd->...d", self.activation(scores), values) + self.linear2.bias


# %% correct: each hidden unit adds its column

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        weights = self.activation(self.linear1(x))
        out = self.linear2.bias.expand(*x.shape[:-1], -1)
        for j, column in enumerate(self.linear2.weight.unbind(dim=1)):
            out = out + weights[..., j : j + 1] * column
        return out
