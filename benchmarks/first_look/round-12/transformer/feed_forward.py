# %% wrong: always a ReLU
# The formula's max(0, .) is written out, and the activation of the constructor is never used.
# Shows with activation=F.gelu (or torch.tanh).

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))

# %% wrong: the input added
# The residual connection is made here already, which is the layer's to make.
# Shows for every x that is not zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(self.activation(self.linear1(x)))

# %% wrong: an activation after each map
# The output too goes through the activation, so with the ReLU nothing negative ever comes out.
# Shows for nearly every input: half of the outputs are cut off.

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

# %% wrong: a view of the tokens
# The tokens are laid out as rows by view, which takes only what lies in order in memory.
# Shows for x = y.transpose(0, 1) or x = y[:, :, :D] of something larger: a RuntimeError.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        rows = x.view(-1, x.shape[-1])
        return self.linear2(self.activation(self.linear1(rows))).view(x.shape)

# %% correct: a lookup in a memory

# Rows of W1 are keys, columns of W2 are values: scores, weights, weighted sum, as the section reads it.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.einsum("...d,kd->...k", x, self.linear1.weight) + self.linear1.bias
        weights = self.activation(scores)
        return torch.einsum("...k,dk->...d", weights, self.linear2.weight) + self.linear2.bias

# %% correct: a chain of functions

# The three steps are a list, and x is led through it with reduce.

import functools

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        steps = [self.linear1, self.activation, self.linear2]
        return functools.reduce(lambda value, step: step(value), steps, x)
