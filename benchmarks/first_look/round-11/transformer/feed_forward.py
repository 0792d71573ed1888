# %% wrong: the ReLU of the formula
# Takes the ReLU from the formula and never looks at the activation that the constructor was given:
# FeedForward(8, 32, activation=F.gelu) shows it.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(torch.clamp(self.linear1(x), min=0))


# %% wrong: an activation behind each of the two maps
# What comes out of linear2 goes through the activation again, so with the ReLU nothing negative is ever
# written to the stream. Any x with a negative output shows it.

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


# %% wrong: three axes taken for granted
# Unpacks B, T, D; x of (T, D), (D,) or (B, H, T, D) raises, where any leading axes were promised.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        hidden = self.activation(self.linear1(x.reshape(B * T, D)))
        return self.linear2(hidden).reshape(B, T, D)


# %% wrong: the dropout that other implementations have between the maps
# Drops a tenth of the hidden numbers in training mode, which nobody asked for: a module fresh from the
# constructor gives another result at each call.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        hidden = F.dropout(hidden, 0.1, training=self.training)
        return self.linear2(hidden)


# %% correct: biases as the weights of a feature that is always one

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        def affine(linear: nn.Linear, numbers: Tensor) -> Tensor:
            matrix = torch.cat([linear.weight, linear.bias.unsqueeze(1)], dim=1)
            with_one = torch.cat([numbers, torch.ones_like(numbers[..., :1])], dim=-1)
            return torch.einsum("oi,...i->...o", matrix, with_one)

        return affine(self.linear2, self.activation(affine(self.linear1, x)))


# %% correct: a memory that is looked up, one key and value after the other

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.T  # (d_ff, D) each
        scores = torch.stack([(x * key).sum(dim=-1) for key in keys], dim=-1) + self.linear1.bias
        weights = self.activation(scores)
        found = self.linear2.bias.expand(x.shape)
        for weight, value in zip(weights.unbind(dim=-1), values, strict=True):
            found = found + weight.unsqueeze(-1) * value
        return found
