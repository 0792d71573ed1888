# %% wrong: update gate the other way round
# With z for the share of the new, as some papers write it: h' = (1 - z) * h + z * n. Wrong for every input, and
# compared with torch.nn.GRUCell of the same weights.

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
        from_input = input @ self.weight_ih.T + self.bias_ih
        from_hidden = hidden @ self.weight_hh.T + self.bias_hh
        i_r, i_z, i_n = from_input.chunk(3, dim=1)
        h_r, h_z, h_n = from_hidden.chunk(3, dim=1)
        r = torch.sigmoid(i_r + h_r)
        z = torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return (1 - z) * hidden + z * n

# %% wrong: update before reset
# The stacked parts are taken in the order z, r, n; they stand in the order r, z, n. Wrong for every input whose two
# gates differ.

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
        z_x, r_x, n_x = torch.chunk(F.linear(input, self.weight_ih, self.bias_ih), 3, dim=-1)
        z_h, r_h, n_h = torch.chunk(F.linear(hidden, self.weight_hh, self.bias_hh), 3, dim=-1)
        reset, update = (r_x + r_h).sigmoid(), (z_x + z_h).sigmoid()
        candidate = (n_x + reset * n_h).tanh()
        return (1 - update) * candidate + update * hidden

# %% wrong: reset before the matrix
# The form of the first paper, W_hn (r * h) + b_hn, instead of r * (W_hn h + b_hn): wrong for every hidden state that is
# not zero, and for zero too, where b_hn is no longer multiplied by r.

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
        w_ir, w_iz, w_in = self.weight_ih.chunk(3)
        w_hr, w_hz, w_hn = self.weight_hh.chunk(3)
        b_ir, b_iz, b_in = self.bias_ih.chunk(3)
        b_hr, b_hz, b_hn = self.bias_hh.chunk(3)
        r = torch.sigmoid(input @ w_ir.T + b_ir + hidden @ w_hr.T + b_hr)
        z = torch.sigmoid(input @ w_iz.T + b_iz + hidden @ w_hz.T + b_hz)
        n = torch.tanh(input @ w_in.T + b_in + (r * hidden) @ w_hn.T + b_hn)
        return (1 - z) * n + z * hidden

# %% wrong: the hidden bias outside the reset
# Both biases are added up beforehand, so that b_hn is not multiplied by r: wrong wherever b_hn is not 0, right for
# weights with bias_hh = 0.

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
        size = self.hidden_size
        x = input @ self.weight_ih.T + (self.bias_ih + self.bias_hh)
        h = hidden @ self.weight_hh.T
        r = torch.sigmoid(x[:, :size] + h[:, :size])
        z = torch.sigmoid(x[:, size : 2 * size] + h[:, size : 2 * size])
        n = torch.tanh(x[:, 2 * size :] + r * h[:, 2 * size :])
        return (1 - z) * n + z * hidden

# %% correct: one product with a block matrix

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
        size = self.hidden_size
        above = torch.cat([self.weight_ih[: 2 * size], self.weight_hh[: 2 * size]], dim=1)
        below = torch.block_diag(self.weight_ih[2 * size :], self.weight_hh[2 * size :])
        bias = torch.cat([(self.bias_ih + self.bias_hh)[: 2 * size], self.bias_ih[2 * size :], self.bias_hh[2 * size :]])
        both = torch.addmm(bias, torch.cat([input, hidden], dim=1), torch.cat([above, below]).T)
        gates, from_input, from_hidden = both.split([2 * size, size, size], dim=1)
        reset, update = gates.sigmoid().tensor_split(2, dim=1)
        return (1 - update) * torch.addcmul(from_input, reset, from_hidden).tanh() + update * hidden

# %% correct: parts by einsum, gates by tanh, new state by lerp

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
        def parts(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:  # (3, B, H)
            weight = weight.unflatten(0, (3, self.hidden_size))
            return torch.einsum("bi,ghi->gbh", x, weight) + bias.unflatten(0, (3, 1, self.hidden_size))

        x, h = parts(input, self.weight_ih, self.bias_ih), parts(hidden, self.weight_hh, self.bias_hh)
        reset, stay = 0.5 + 0.5 * torch.tanh((x[:2] + h[:2]) / 2)
        return torch.lerp(torch.tanh(x[2] + reset * h[2]), hidden, stay)
