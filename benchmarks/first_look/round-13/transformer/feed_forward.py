# %% wrong: always a ReLU
# The formula's max(0, ...) is written out, and the activation that the constructor was given is not used. Shows
# with activation=F.gelu or torch.tanh.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.linear1(x).clamp(min=0)
        return self.linear2(hidden)

# %% wrong: three axes only
# The shape is taken apart as (B, T, D): a single vector (D,), a batch (N, D) or four axes raise, where
# x (..., D) is promised.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        flat = x.reshape(B * T, D)
        return self.linear2(self.activation(self.linear1(flat))).view(B, T, D)

# %% wrong: x is added
# The residual connection, which the layer will make, is in here too. Shows for every x that is not zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(self.activation(self.linear1(x)))

# %% wrong: the activation at the end too
# It is applied after the second map as well: with a ReLU nothing negative can be added to the stream. Shows
# wherever an output is below zero.

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

# %% correct: a lookup in a memory of keys and values

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.T  # (d_ff, D) each
        scores = torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias
        return torch.einsum("...f,fd->...d", self.activation(scores), values) + self.linear2.bias

# %% correct: two convolutions of width one

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        def width_one(y: Tensor, linear: nn.Linear) -> Tensor:
            columns = y.reshape(-1, y.shape[-1]).T.unsqueeze(0)  # (1, features, N)
            made = F.conv1d(columns, linear.weight.unsqueeze(2), linear.bias)
            return made.squeeze(0).T.reshape(*y.shape[:-1], linear.out_features)

        return width_one(self.activation(width_one(x, self.linear1)), self.linear2)
