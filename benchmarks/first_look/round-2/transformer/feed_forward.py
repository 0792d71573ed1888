# %% wrong: relu, whatever was asked for
# The activation is kept and never used; with the default nothing shows. A good message: "with activation=F.gelu the output is that of relu".

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))

# %% wrong: read and add, too early
# The input is added here; the layer around it will add it once more. A good message: "the output contains x itself: the sum belongs to the layer".

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))
        return x + self.linear2(hidden)

# %% wrong: three axes exactly
# B, T, D = x.shape: a tensor of two or four axes is refused, and (..., D) was promised. A good message: "x of shape (D,) or (B, H, T, D) must work".

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        rows = self.activation(self.linear1(x.reshape(B * T, D)))
        return self.linear2(rows).view(B, T, D)

# %% correct: with matrices

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        for linear, after in (self.linear1, self.activation), (self.linear2, lambda y: y):
            x = after(torch.einsum("...i,oi->...o", x, linear.weight) + linear.bias)
        return x
