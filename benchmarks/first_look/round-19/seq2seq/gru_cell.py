# %% wrong: the reset gate acts before the matrix
# The first paper's form, W_hn (r * h), instead of r * (W_hn h + b_hn). Shows for every hidden that is not 0 (H = 1
# included, through b_hn).

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
        W_ir, W_iz, W_in = self.weight_ih.chunk(3)
        W_hr, W_hz, W_hn = self.weight_hh.chunk(3)
        b_ir, b_iz, b_in = self.bias_ih.chunk(3)
        b_hr, b_hz, b_hn = self.bias_hh.chunk(3)
        r = torch.sigmoid(input @ W_ir.T + b_ir + hidden @ W_hr.T + b_hr)
        z = torch.sigmoid(input @ W_iz.T + b_iz + hidden @ W_hz.T + b_hz)
        n = torch.tanh(input @ W_in.T + b_in + (r * hidden) @ W_hn.T + b_hn)
        return (1 - z) * n + z * hidden


# %% wrong: the candidate's second bias outside the reset gate
# tanh(W_in x + b_in + r * (W_hn h) + b_hn): the two biases are taken together, so b_hn is not scaled by r. Shows
# wherever b_hn is not 0.

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
        x = input @ self.weight_ih.T + self.bias_ih + self.bias_hh
        h = hidden @ self.weight_hh.T
        r = torch.sigmoid(x[:, :H] + h[:, :H])
        z = torch.sigmoid(x[:, H : 2 * H] + h[:, H : 2 * H])
        n = torch.tanh(x[:, 2 * H :] + r * h[:, 2 * H :])
        return (1 - z) * n + z * hidden


# %% wrong: the three parts taken as interleaved
# view(B, H, 3) puts r, z and n of one number beside each other; they are stacked, one after the other. Shows for
# H = 2 and more; for H = 1 it is right.

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
        from_input = (input @ self.weight_ih.T + self.bias_ih).view(batch, self.hidden_size, 3)
        from_hidden = (hidden @ self.weight_hh.T + self.bias_hh).view(batch, self.hidden_size, 3)
        xr, xz, xn = from_input.unbind(dim=2)
        hr, hz, hn = from_hidden.unbind(dim=2)
        r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        return (1 - z) * n + z * hidden


# %% wrong: the new state is written over the old one
# The caller's hidden is changed, and a backward stops with "modified by an inplace operation", since the old state
# is needed for the gradient of weight_hh. Shows for every input.

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
        xr, xz, xn = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        hr, hz, hn = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r = torch.sigmoid(xr + hr)
        z = torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        hidden *= z
        hidden += (1 - z) * n
        return hidden


# %% correct: einsum over a stack of three matrices, and a step from n to h
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
        I, H = self.input_size, self.hidden_size
        x = torch.einsum("bi,ghi->gbh", input, self.weight_ih.view(3, H, I)) + self.bias_ih.view(3, 1, H)
        h = torch.einsum("bk,ghk->gbh", hidden, self.weight_hh.view(3, H, H)) + self.bias_hh.view(3, 1, H)
        r, z = (x[:2] + h[:2]).sigmoid()
        n = (x[2] + r * h[2]).tanh()
        return torch.lerp(n, hidden, z)


# %% correct: gates by half a tanh, from one product of input and state
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
        both = torch.cat([input, hidden], dim=1)  # (B, I + H)
        gates = torch.cat([self.weight_ih[: 2 * H], self.weight_hh[: 2 * H]], dim=1)  # (2H, I + H)
        a = both @ gates.T + (self.bias_ih + self.bias_hh)[: 2 * H]
        signs = torch.tanh(a / 2)  # sigmoid(a) = (1 + tanh(a / 2)) / 2
        reset, update = (signs + 1).mul(0.5).split(H, dim=1)
        seen = torch.addmm(self.bias_hh[2 * H :], hidden, self.weight_hh[2 * H :].T)
        candidate = torch.tanh(torch.addmm(self.bias_ih[2 * H :], input, self.weight_ih[2 * H :].T) + reset * seen)
        return candidate + update * (hidden - candidate)
