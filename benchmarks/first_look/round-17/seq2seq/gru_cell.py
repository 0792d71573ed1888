# %% wrong: one bias instead of two in r and z
# The section says that one bias would do in r and z, so bias_hh is used for the candidate only. Shows for a bias_hh that is not
# zero in its first 2H entries (as it is made, too).

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
        from_input = input @ self.weight_ih.T + self.bias_ih
        from_state = hidden @ self.weight_hh.T
        i_r, i_z, i_n = from_input.split(H, dim=1)
        h_r, h_z, h_n = from_state.split(H, dim=1)
        r = torch.sigmoid(i_r + h_r)
        z = torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * (h_n + self.bias_hh[2 * H :]))
        return (1 - z) * n + z * hidden

# %% wrong: the reset gate spares the second bias
# Both biases of the candidate are added outside the reset gate: r * (W_hn h) + b_hn. Shows where b_hn is not zero and r is not 1.

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
        bias = (self.bias_ih + self.bias_hh).chunk(3)
        W_r, W_z, W_n = self.weight_ih.chunk(3)
        U_r, U_z, U_n = self.weight_hh.chunk(3)
        reset = torch.sigmoid(input @ W_r.T + hidden @ U_r.T + bias[0])
        update = torch.sigmoid(input @ W_z.T + hidden @ U_z.T + bias[1])
        candidate = torch.tanh(input @ W_n.T + reset * (hidden @ U_n.T) + bias[2])
        return (1 - update) * candidate + update * hidden

# %% wrong: the three parts taken as neighbors
# The 3H numbers are read as H groups of three, (B, H, 3), where they are three groups of H. Shows for H above 1.

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
        x = F.linear(input, self.weight_ih, self.bias_ih).view(batch, self.hidden_size, 3)
        h = F.linear(hidden, self.weight_hh, self.bias_hh).view(batch, self.hidden_size, 3)
        r, z = torch.sigmoid(x[..., :2] + h[..., :2]).unbind(dim=-1)
        n = torch.tanh(x[..., 2] + r * h[..., 2])
        return (1 - z) * n + z * hidden

# %% wrong: the name hidden used twice
# hidden is overwritten by what the candidate sees of it, and the copy path then copies that instead of the old state. Shows for every
# state, for instance with z near 1, where h' should be h.

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
        x_r, x_z, x_n = (input @ self.weight_ih.T + self.bias_ih).chunk(3, dim=-1)
        h_r, h_z, hidden = (hidden @ self.weight_hh.T + self.bias_hh).chunk(3, dim=-1)
        r = (x_r + h_r).sigmoid()
        z = (x_z + h_z).sigmoid()
        hidden = r * hidden
        n = (x_n + hidden).tanh()
        return (1 - z) * n + z * hidden

# %% correct: one product with a block matrix for input, state and a one

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
        H, I = self.hidden_size, self.input_size
        # rows: r, z, the candidate's part from the input, its part from the state; columns: x, h, 1
        nothing_h, nothing_x = self.weight_hh.new_zeros(H, H), self.weight_ih.new_zeros(H, I)
        gates = torch.cat(
            [self.weight_ih[: 2 * H], self.weight_hh[: 2 * H], (self.bias_ih + self.bias_hh)[: 2 * H, None]], dim=1
        )
        seen = torch.cat([self.weight_ih[2 * H :], nothing_h, self.bias_ih[2 * H :, None]], dim=1)
        remembered = torch.cat([nothing_x, self.weight_hh[2 * H :], self.bias_hh[2 * H :, None]], dim=1)
        everything = torch.cat([input, hidden, input.new_ones(batch, 1)], dim=1)
        r, z, a, b = (everything @ torch.cat([gates, seen, remembered]).T).split(H, dim=1)
        return torch.lerp(torch.tanh(a + torch.sigmoid(r) * b), hidden, torch.sigmoid(z))

# %% correct: einsum over the parameters as (3, H, .), sigmoids by tanh

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
        x = torch.einsum("bi,ghi->gbh", input, self.weight_ih.view(3, H, -1)) + self.bias_ih.view(3, 1, H)
        h = torch.einsum("bk,ghk->gbh", hidden, self.weight_hh.view(3, H, H)) + self.bias_hh.view(3, 1, H)
        r, z = (1 + torch.tanh((x[:2] + h[:2]) / 2)) / 2  # the sigmoid
        n = torch.tanh(torch.addcmul(x[2], r, h[2]))
        return n + z * (hidden - n)
