# %% wrong: the three parts taken as interleaved
# Views the 3H numbers as (H, 3), as if r, z, n stood side by side for each number of the state. The parts are stacked in
# blocks: (3, H). Right only for H = 1.

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
        r_i, z_i, n_i = from_input.unbind(dim=2)
        r_h, z_h, n_h = from_hidden.unbind(dim=2)
        r, z = torch.sigmoid(r_i + r_h), torch.sigmoid(z_i + z_h)
        n = torch.tanh(n_i + r * n_h)
        return (1 - z) * n + z * hidden


# %% wrong: one bias in place of two for the gates
# The fold says that one bias would do for r and z, so b_hr and b_hz are left out. They exist, start at random and come with
# loaded weights: wrong wherever these entries of bias_hh are not 0.

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
        from_hidden = hidden @ self.weight_hh.T
        r = torch.sigmoid(from_input[:, :H] + from_hidden[:, :H])
        z = torch.sigmoid(from_input[:, H : 2 * H] + from_hidden[:, H : 2 * H])
        n = torch.tanh(from_input[:, 2 * H :] + r * (from_hidden[:, 2 * H :] + self.bias_hh[2 * H :]))
        return (1 - z) * n + z * hidden


# %% wrong: the reset state is also the one that is kept
# "Reset: how much of the old state": hidden is scaled by r first, and the scaled one is then used for the candidate and for the
# copy, so z = 1 does not pass the state untouched. Wrong for every hidden that is not zero.

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
        from_input = F.linear(input, self.weight_ih, self.bias_ih)
        gates = from_input[:, : 2 * H] + F.linear(hidden, self.weight_hh[: 2 * H], self.bias_hh[: 2 * H])
        r, z = torch.sigmoid(gates).chunk(2, dim=1)
        n = torch.tanh(from_input[:, 2 * H :] + r * F.linear(hidden, self.weight_hh[2 * H :], self.bias_hh[2 * H :]))
        hidden = r * hidden
        return (1 - z) * n + z * hidden


# %% wrong: the new state is written over the old one
# Fills the tensor `hidden` in place, as a "state" would be updated: the caller's hidden is changed, and a hidden that needs a
# gradient, or backward through the cell, raises an error.

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
        r_i, z_i, n_i = (input @ self.weight_ih.T + self.bias_ih).chunk(3, dim=1)
        r_h, z_h, n_h = (hidden @ self.weight_hh.T + self.bias_hh).chunk(3, dim=1)
        r, z = torch.sigmoid(r_i + r_h), torch.sigmoid(z_i + z_h)
        n = torch.tanh(n_i + r * n_h)
        hidden *= z
        hidden += (1 - z) * n
        return hidden


# %% correct: one product with a matrix of four block rows

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
        zeros_x, zeros_h = self.weight_ih.new_zeros(H, self.input_size), self.weight_hh.new_zeros(H, H)
        W_ir, W_iz, W_in = self.weight_ih.split(H)
        W_hr, W_hz, W_hn = self.weight_hh.split(H)
        rows = [(W_ir, W_hr), (W_iz, W_hz), (W_in, zeros_h), (zeros_x, W_hn)]
        matrix = torch.cat([torch.cat(row, dim=1) for row in rows])  # (4H, I + H)
        both = self.bias_ih[: 2 * H] + self.bias_hh[: 2 * H]
        bias = torch.cat([both, self.bias_ih[2 * H :], self.bias_hh[2 * H :]])
        r, z, new, old = (torch.cat([input, hidden], dim=1) @ matrix.T + bias).split(H, dim=1)
        return torch.lerp(torch.tanh(new + r.sigmoid() * old), hidden, z.sigmoid())


# %% correct: einsum over stacked parts, the sigmoid from a tanh

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
        gates = (1 + torch.tanh((x[:2] + h[:2]) / 2)) / 2
        n = torch.tanh(torch.addcmul(x[2], gates[0], h[2]))
        return n + gates[1] * (hidden - n)
