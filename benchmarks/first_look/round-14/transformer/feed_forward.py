# %% wrong: a ReLU whatever was asked for
# The activation that the constructor was given is kept, and not used: FeedForward(8, 32, activation=F.gelu) is a network with ReLU.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.linear1(x).clamp(min=0))


# %% wrong: the first bias is left out
# The scores are x W_1^T as in a lookup of keys, without b_1. Right only where linear1's bias is zero.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        scores = x @ self.linear1.weight.T
        return self.linear2(self.activation(scores))


# %% wrong: made flat by view
# view(-1, D) needs all positions in one piece: a transposed x, or every second position of a longer one, raises a RuntimeError.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        flat = x.view(-1, x.shape[-1])
        return self.linear2(self.activation(self.linear1(flat))).view(x.shape)


# %% wrong: sentences of words and nothing else
# The loop over positions takes x apart as (B, T, D). One vector (D,), a sentence (T, D) or four axes raise an error, though only the last axis matters.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        return torch.stack([self.linear2(self.activation(self.linear1(x[:, t]))) for t in range(T)], dim=1)


# %% correct: a lookup of keys and values

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.linear1.weight, self.linear2.weight.T  # (d_ff, D)
        scores = torch.einsum("...d,fd->...f", x, keys) + self.linear1.bias
        return torch.einsum("...f,fd->...d", self.activation(scores), values) + self.linear2.bias


# %% correct: matrices times columns

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        for linear in (self.linear1, self.linear2):
            if linear is self.linear2:
                x = self.activation(x)
            column = x[..., None]  # (..., in, 1)
            x = torch.matmul(linear.weight, column)[..., 0] + linear.bias
        return x
