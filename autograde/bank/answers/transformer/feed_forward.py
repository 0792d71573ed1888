# %% wrong: no activation
# Two linear maps in a row are one linear map. Put the activation between them.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        return self.linear2(self.linear1(x))

# %% wrong: the activation comes last
# The activation comes after the second map, so what is added to the stream could never be negative. It belongs between
# the two.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        return self.activation(self.linear2(self.linear1(x)))

# %% wrong: an activation behind each map
# There is a second activation after linear2. What is added to the stream must be free to have either sign: only one
# activation, between the maps.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        return self.activation(self.linear2(self.activation(self.linear1(x))))

# %% wrong: x is added here already
# The input was added to the output. The layer around this part does that; added here too, it comes in twice.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        return x + self.linear2(self.activation(self.linear1(x)))

# %% wrong: relu, whatever was asked for
# With relu it is right, with another activation not. Use the one that the constructor was given.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        return self.linear2(F.relu(self.linear1(x)))

# %% wrong: the two maps are exchanged
# linear2 was used first, and it takes d_ff numbers. linear1 comes first: it makes d_ff of d_model.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        return self.linear1(self.activation(self.linear2(x)))

# %% wrong: three axes and no other number
# With (B, T, D) it is right, with more or fewer axes it fails. nn.Linear works on the last axis whatever stands before
# it: do not unpack the shape.

# --- before
        return self.linear2(self.activation(self.linear1(x)))
# --- after
        B, T, D = x.shape
        x = x.reshape(B * T, D)
        return self.linear2(self.activation(self.linear1(x))).reshape(B, T, D)

# %% correct: step by step
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation=F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = self.activation(hidden)
        return self.linear2(hidden)

# %% correct: functional
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation=F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x):
        hidden = self.activation(F.linear(x, self.linear1.weight, self.linear1.bias))
        return F.linear(hidden, self.linear2.weight, self.linear2.bias)

# %% correct: matrix products
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation=F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x):
        hidden = self.activation(x @ self.linear1.weight.T + self.linear1.bias)
        return torch.einsum("...f,df->...d", hidden, self.linear2.weight) + self.linear2.bias
