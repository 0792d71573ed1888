# %% wrong: the hidden bias of the candidate escapes the reset gate
# The two biases are added up beforehand, as one may for r and z. b_hn belongs inside the bracket that r multiplies;
# it shows as soon as bias_hh is not zero in its last third.

class GRUCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        bias_r, bias_z, bias_n = (self.bias_ih + self.bias_hh).chunk(3)
        x_r, x_z, x_n = (input @ self.weight_ih.T).chunk(3, dim=1)
        h_r, h_z, h_n = (hidden @ self.weight_hh.T).chunk(3, dim=1)
        r = torch.sigmoid(x_r + h_r + bias_r)
        z = torch.sigmoid(x_z + h_z + bias_z)
        n = torch.tanh(x_n + r * h_n + bias_n)
        return (1 - z) * n + z * hidden


# %% wrong: the tanh closes too early
# tanh covers only the input's part, and r times the state's part is added outside. The candidate may leave -1 to 1;
# it differs from the right one for any hidden state or b_hn that is not zero.

class GRUCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        from_input = F.linear(input, self.weight_ih, self.bias_ih)
        from_hidden = F.linear(hidden, self.weight_hh, self.bias_hh)
        x_r, x_z, x_n = from_input.chunk(3, dim=1)
        h_r, h_z, h_n = from_hidden.chunk(3, dim=1)
        r = torch.sigmoid(x_r + h_r)
        z = torch.sigmoid(x_z + h_z)
        n = torch.tanh(x_n) + r * (h_n)
        return (1 - z) * n + z * hidden


# %% wrong: the stacked parts are read as interleaved
# view(B, H, 3) takes rows 0, 3, 6, ... for r. The parts are stacked one after the other: it should be view(B, 3, H).
# Right for H = 1 alone.

class GRUCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        H = self.hidden_size
        x = (input @ self.weight_ih.T + self.bias_ih).view(batch, H, 3)
        h = (hidden @ self.weight_hh.T + self.bias_hh).view(batch, H, 3)
        r = torch.sigmoid(x[..., 0] + h[..., 0])
        z = torch.sigmoid(x[..., 1] + h[..., 1])
        n = torch.tanh(x[..., 2] + r * h[..., 2])
        return (1 - z) * n + z * hidden


# %% wrong: the new state is written into the old one
# mul_ and add_ work in the caller's hidden state: it is changed, and where it needs a gradient, backward (or the line
# itself) raises an error. The numbers that come back are right.

class GRUCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r, z = torch.sigmoid(i_r + h_r), torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return hidden.mul_(z).add_((1 - z) * n)


# %% correct: parts on an axis of their own, and lerp

class GRUCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        H = self.hidden_size
        x = torch.einsum("ghi,bi->gbh", self.weight_ih.unflatten(0, (3, H)), input)
        x = x + self.bias_ih.unflatten(0, (3, 1, H))
        h = torch.einsum("ghk,bk->gbh", self.weight_hh.unflatten(0, (3, H)), hidden)
        h = h + self.bias_hh.unflatten(0, (3, 1, H))
        reset, update = torch.sigmoid(x[:2] + h[:2])
        candidate = torch.tanh(x[2] + reset * h[2])
        return torch.lerp(candidate, hidden, update)


# %% correct: one product over input and state together, with gates by tanh

class GRUCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        H, both = self.hidden_size, torch.cat([input, hidden], dim=1)
        gates = torch.cat([self.weight_ih[: 2 * H], self.weight_hh[: 2 * H]], dim=1)  # (2H, I + H)
        sums = torch.addmm(self.bias_ih[: 2 * H] + self.bias_hh[: 2 * H], both, gates.T)
        r, z = ((torch.tanh(sums / 2) + 1) / 2).split(H, dim=1)  # the sigmoid of a is (tanh(a / 2) + 1) / 2
        inner = hidden @ self.weight_hh[2 * H :].T + self.bias_hh[2 * H :]
        n = torch.tanh(torch.addcmul(input @ self.weight_ih[2 * H :].T + self.bias_ih[2 * H :], r, inner))
        return n - z * (n - hidden)
