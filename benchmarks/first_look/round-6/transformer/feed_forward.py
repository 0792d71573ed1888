# %% wrong: always the rectifier
# forward calls F.relu whatever activation was given; with the default nobody notices.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))


# %% wrong: the stream is added already here
# The input is added to the output, which is the layer's business; the network itself is W2 act(W1 x + b1) + b2.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)


# %% wrong: the shape is unpacked as three axes
# x may have any number of axes before the last; one with two or four of them fails at the unpacking.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        flat = x.reshape(batch * length, width)
        out = self.linear2(self.activation(self.linear1(flat)))
        return out.reshape(batch, length, width)


# %% wrong: weights multiplied by hand and the second bias lost
# b2 is never added, so that the output is wrong wherever linear2 has a bias that is not zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        scores = x @ self.linear1.weight.T + self.linear1.bias
        weights = self.activation(scores)
        return weights @ self.linear2.weight.T


# %% wrong: the weights are taken out of the graph
# With .data the numbers are right, but no gradient reaches linear1 or linear2: the network would never learn.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.linear(x, self.linear1.weight.data, self.linear1.bias.data)
        hidden = self.activation(hidden)
        return F.linear(hidden, self.linear2.weight.data, self.linear2.bias.data)


# %% correct: an einsum for each of the two maps

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        up = torch.einsum("...d,fd->...f", x, self.linear1.weight) + self.linear1.bias
        return torch.einsum("...f,df->...d", self.activation(up), self.linear2.weight) + self.linear2.bias


# %% correct: a loop over the three steps

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.activation = activation

    def _steps(self):
        yield self.linear1
        yield self.activation
        yield self.linear2

    def forward(self, x: Tensor) -> Tensor:
        for step in self._steps():
            x = step(x)
        return x
