# %% wrong: three axes taken for granted
# x.shape is unpacked as B, T, D. It shows for x of one, two or four axes, which nn.Linear takes.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        tokens = x.reshape(B * T, D)  # every position by itself
        return self.linear2(self.activation(self.linear1(tokens))).reshape(B, T, D)


# %% wrong: a gate
# The hidden numbers are multiplied by their activation, as in newer models (SwiGLU). It shows
# for every activation: with the relu, hidden numbers are squared.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.linear1(x)
        return self.linear2(self.activation(hidden) * hidden)


# %% wrong: the memory is read key by key
# Each of the d_ff scores goes through the activation alone. Right for relu and gelu; wrong for
# an activation that looks at all scores, such as the softmax over the last axis in 6.3's cell.

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        out = self.linear2.bias.expand_as(x)
        keys, values = self.linear1.weight, self.linear2.weight.T
        for key, bias, value in zip(keys, self.linear1.bias, values, strict=True):
            score = (x * key).sum(dim=-1, keepdim=True) + bias
            out = out + self.activation(score) * value
        return out


# %% wrong: the activation after both maps
# The result goes through the activation once more. It shows with the relu wherever a result
# would be below zero: the network could only ever add.

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


# %% correct: by einsum with the keys and the values

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.einsum("...d,fd->...f", x, self.linear1.weight) + self.linear1.bias
        weights = self.activation(scores)
        return torch.einsum("...f,df->...d", weights, self.linear2.weight) + self.linear2.bias


# %% correct: a list of positions, each a vector, by addmv

class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, *, activation: Callable[[Tensor], Tensor] = F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        done = []
        for token in x.reshape(-1, x.shape[-1]):
            hidden = torch.addmv(self.linear1.bias, self.linear1.weight, token)
            done.append(torch.addmv(self.linear2.bias, self.linear2.weight, self.activation(hidden)))
        return torch.stack(done).reshape(x.shape)
