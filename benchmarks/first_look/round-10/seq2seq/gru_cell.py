# %% wrong: the reset gate acts before the matrix
# The candidate is tanh(W_in x + b_in + W_hn (r * h) + b_hn), the first paper's form; the docstring asks for
# r * (W_hn h + b_hn). Shows for nearly every input and hidden state, the zero state too (b_hn stays whole).

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


# %% wrong: the candidate's hidden bias stands outside the reset gate
# Both biases are added up beforehand, so n = tanh(W_in x + b_in + b_hn + r * (W_hn h)); the docstring multiplies
# b_hn by r as well. Shows wherever b_hn is not zero, for a zero hidden state too.

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
        from_input = F.linear(input, self.weight_ih, self.bias_ih + self.bias_hh)  # one bias is as good as two
        from_hidden = F.linear(hidden, self.weight_hh)
        i_r, i_z, i_n = from_input.chunk(3, dim=1)
        h_r, h_z, h_n = from_hidden.chunk(3, dim=1)
        r, z = torch.sigmoid(i_r + h_r), torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return (1 - z) * n + z * hidden


# %% wrong: the copy path is detached
# The values are right, but the old state on the copy path is cut from the graph: gradients must flow through z * h.
# Shows in the gradient of hidden, and in that of every earlier step of a loop.

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
        old = hidden.detach()  # copied as it is, nothing to learn on this path
        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r, z = torch.sigmoid(i_r + h_r), torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return (1 - z) * n + z * old


# %% wrong: tanh by its formula
# (e^a - e^-a) / (e^a + e^-a) is inf / inf = NaN where |a| is above about 88 (float32); tanh there is 1 or -1.
# Shows for inputs of a few hundred in size, which the docstring does not forbid.

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
        def tanh(a: Tensor) -> Tensor:
            up, down = torch.exp(a), torch.exp(-a)
            return (up - down) / (up + down)

        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r, z = torch.sigmoid(i_r + h_r), torch.sigmoid(i_z + h_z)
        n = tanh(i_n + r * h_n)
        return (1 - z) * n + z * hidden


# %% correct: one block matrix for input and hidden together

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
        summed = both @ gates.T + (self.bias_ih[: 2 * H] + self.bias_hh[: 2 * H])
        r, z = summed.sigmoid().tensor_split(2, dim=1)
        seen = torch.addmm(self.bias_hh[2 * H :], hidden, self.weight_hh[2 * H :].T)
        n = torch.addcmul(torch.addmm(self.bias_ih[2 * H :], input, self.weight_ih[2 * H :].T), r, seen).tanh()
        return torch.lerp(n, hidden, z)


# %% correct: one sentence at a time, parameters as a table of gates

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
        W, U = self.weight_ih.reshape(3, H, self.input_size), self.weight_hh.reshape(3, H, H)
        b, c = self.bias_ih.reshape(3, H), self.bias_hh.reshape(3, H)
        states = []
        for x, h in zip(input, hidden, strict=True):
            of_x = [torch.mv(W[g], x) + b[g] for g in range(3)]
            of_h = [torch.mv(U[g], h) + c[g] for g in range(3)]
            reset, update = (torch.sigmoid(of_x[g] + of_h[g]) for g in (0, 1))
            candidate = torch.tanh(of_x[2] + reset * of_h[2])
            states.append(candidate + update * (h - candidate))
        return torch.stack(states)
