# %% wrong: relu whatever the activation
# The activation that was asked for is kept and never used: shows with any other than relu, e.g. F.gelu.


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))


# %% wrong: the input is added here already
# Adding is the layer's business: the network's own output is what the docstring asks for. Differs for every x that is not 0.


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(self.activation(self.linear1(x)))


# %% wrong: the activation at the end
# The two linear maps collapse into one, and with relu nothing negative can come out: differs on any noise.


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        x = self.linear1(x)
        x = self.linear2(x)
        return self.activation(x)


# %% wrong: three axes and no others
# x may have any number of axes before the last; a single vector (D,), (N, D) or (B, H, T, D) cannot be unpacked.


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        hidden = self.activation(self.linear1(x.reshape(B * T, D)))
        return self.linear2(hidden).view(B, T, D)


# %% correct: keys and values, blended one slot after the other


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.mT
        weights = self.activation(torch.einsum("...d,kd->...k", x, keys) + self.linear1.bias)
        blended = self.linear2.bias.expand(x.shape)
        for weight, value in zip(weights.unbind(dim=-1), values.unbind(dim=0), strict=True):
            blended = blended + weight.unsqueeze(-1) * value
        return blended


# %% correct: the bias as a feature that is always one


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    @staticmethod
    def affine(x: Tensor, linear: nn.Linear) -> Tensor:
        matrix = torch.cat([linear.weight, linear.bias.unsqueeze(1)], dim=1)
        extended = torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)
        return torch.tensordot(extended, matrix, dims=([-1], [1]))

    def forward(self, x: Tensor) -> Tensor:
        for place, linear in enumerate((self.linear1, self.linear2)):
            x = self.affine(x if place == 0 else self.activation(x), linear)
        return x
