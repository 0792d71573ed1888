# %% wrong: the activation behind both
# The activation comes behind the second map and there is none between: two linear maps in a row, and nothing negative comes out.
# Hint: read the equation from the inside outwards; where does the max stand?

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.linear2(self.linear1(x)))


# %% wrong: the input added here
# Adds x to the result; the docstring's network is linear1, activation, linear2 and no more, and the layer around it adds.
# Hint: compare with the equation for FFN(x); is there an x outside of it?

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)


# %% wrong: always relu
# Calls F.relu whatever activation was given; right with the default only.
# Hint: which argument of the constructor has no effect?

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))


# %% wrong: three axes and no other number
# Takes the shape apart into B, T and D: inputs (D,), (T, D) or with four axes raise, where the docstring says (..., D).
# Hint: call it with a single vector.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        tokens = x.reshape(B * T, D)
        return self.linear2(self.activation(self.linear1(tokens))).reshape(B, T, D)


# %% correct: keys, weights, values

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.T
        weights = self.activation(torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias)
        return torch.einsum("...f,fd->...d", weights, values) + self.linear2.bias
