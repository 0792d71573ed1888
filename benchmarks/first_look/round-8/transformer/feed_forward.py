# %% wrong: always the relu
# The activation of the constructor is kept and never used: shows with activation=torch.tanh or F.gelu.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))

# %% wrong: the stream is added here already
# Returns x + FFN(x); the layer adds the stream, the network does not. Shows for every x that is not zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)

# %% wrong: the activation behind both maps
# A second activation behind linear2: no output can be negative. Shows for nearly every x.

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

# %% wrong: three axes and no other number
# Unpacks B, T, D, and views: an x of shape (D,), (T, D) or (B, H, T, D) raises, and so does a
# transposed one.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        flat = x.view(B * T, D)
        return self.linear2(self.activation(self.linear1(flat))).view(B, T, D)

# %% correct: a lookup, one memory slot at a time

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.stack([(x * key).sum(dim=-1) for key in self.linear1.weight], dim=-1)
        weights = self.activation(scores + self.linear1.bias)
        blended = self.linear2.bias.expand(x.shape)
        for slot, value in enumerate(self.linear2.weight.unbind(dim=1)):
            blended = blended + weights[..., slot, None] * value
        return blended

# %% correct: einsum on the two matrices

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.activation = activation
        self.linear1, self.linear2 = (nn.Linear(*sizes) for sizes in ((d_model, d_ff), (d_ff, d_model)))

    def forward(self, x: Tensor) -> Tensor:
        def affine(linear: nn.Linear, y: Tensor) -> Tensor:
            return torch.einsum("oi,...i->...o", linear.weight, y).add(linear.bias)

        return affine(self.linear2, self.activation(affine(self.linear1, x)))
