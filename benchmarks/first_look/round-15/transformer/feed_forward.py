# %% wrong: three axes exactly
# The shape is taken apart into batch, length and width. A single vector, a matrix of tokens or four axes raise, though whatever stands before the last axis is
# allowed.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        tokens = x.reshape(batch * length, width)
        tokens = self.linear2(self.activation(self.linear1(tokens)))
        return tokens.reshape(batch, length, width)

# %% wrong: the activation at the end as well
# It is applied after the second map too. With ReLU nothing negative is ever added to the stream; shows for every input.

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

# %% wrong: relu, or else gelu
# Only two activations are known: whatever is not F.relu is taken for gelu. With tanh, nn.ReLU() or a function of one's own another one
# is computed.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation is F.relu else F.gelu(hidden)
        return self.linear2(hidden)

# %% wrong: flattened by view
# view cannot join axes that do not lie one after the other in memory: a transposed x, or a slice along the positions, raises a RuntimeError.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.view(-1, x.shape[-1])
        hidden = self.activation(self.linear1(tokens))
        return self.linear2(hidden).view(x.shape)

# %% correct: a look at a learned memory

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.T  # (d_ff, D) each
        weights = self.activation(torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias)
        return torch.einsum("...f,fd->...d", weights, values) + self.linear2.bias

# %% correct: token after token

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim > 1:
            return torch.stack([self.forward(part) for part in x])
        hidden = self.activation(torch.mv(self.linear1.weight, x) + self.linear1.bias)
        return torch.mv(self.linear2.weight, hidden) + self.linear2.bias
