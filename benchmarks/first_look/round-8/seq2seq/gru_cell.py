# %% wrong: the parts unpacked as z, r, n
# Takes the first third of the stacked weights for the update gate and the second for the reset gate.
# Shows for every input: the docstring's order is r, z, n.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form."""

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
        iz, ir, i_n = from_input.chunk(3, dim=1)
        hz, hr, hn = from_hidden.chunk(3, dim=1)
        z = torch.sigmoid(iz + hz)
        r = torch.sigmoid(ir + hr)
        n = torch.tanh(i_n + r * hn)
        return (1 - z) * n + z * hidden


# %% wrong: the reset gate acts before the matrix
# The first paper's form, W_hn (r * h) + b_hn: neither the product nor the bias is scaled as asked.
# Shows wherever the hidden state is not zero.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form."""

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
        gates = F.linear(input, self.weight_ih[: 2 * H], self.bias_ih[: 2 * H])
        gates = torch.sigmoid(gates + F.linear(hidden, self.weight_hh[: 2 * H], self.bias_hh[: 2 * H]))
        r, z = gates[:, :H], gates[:, H:]
        n = F.linear(input, self.weight_ih[2 * H :], self.bias_ih[2 * H :])
        n = torch.tanh(n + F.linear(r * hidden, self.weight_hh[2 * H :], self.bias_hh[2 * H :]))
        return (1 - z) * n + z * hidden


# %% wrong: b_hn stands outside the reset
# Both biases are added up front, so the reset gate scales W_hn h and not W_hn h + b_hn.
# Shows for every input where bias_hh is not zero, as it is not after the constructor.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form."""

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
        bias = self.bias_ih + self.bias_hh
        ir, iz, i_n = (input @ self.weight_ih.T + bias).chunk(3, dim=1)
        hr, hz, hn = (hidden @ self.weight_hh.T).chunk(3, dim=1)
        r = torch.sigmoid(ir + hr)
        z = torch.sigmoid(iz + hz)
        n = torch.tanh(i_n + r * hn)
        return (1 - z) * n + z * hidden


# %% wrong: the new state is written into the old one
# Multiplies and adds in place on the caller's hidden, which is changed afterwards (and a hidden that
# requires a gradient raises). The values returned are right.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form."""

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
        ir, iz, i_n = F.linear(input, self.weight_ih, self.bias_ih).split(self.hidden_size, dim=1)
        hr, hz, hn = F.linear(hidden, self.weight_hh, self.bias_hh).split(self.hidden_size, dim=1)
        z = torch.sigmoid(iz + hz)
        n = torch.tanh(i_n + torch.sigmoid(ir + hr) * hn)
        hidden *= z
        hidden += (1 - z) * n
        return hidden


# %% correct: gates on an axis of their own, sigmoid from tanh, lerp

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form."""

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
        x = torch.einsum("ghi,bi->gbh", self.weight_ih.reshape(3, H, self.input_size), input)
        h = torch.einsum("ghk,bk->gbh", self.weight_hh.reshape(3, H, H), hidden)
        x = x + self.bias_ih.reshape(3, 1, H)
        h = h + self.bias_hh.reshape(3, 1, H)
        reset, stay = (0.5 * torch.tanh(0.5 * (x[:2] + h[:2])) + 0.5).unbind(0)
        return torch.lerp(torch.tanh(torch.addcmul(x[2], reset, h[2])), hidden, stay)


# %% correct: one sentence at a time, one matrix over [x; h; 1; 1]

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form."""

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
        biases = torch.stack([self.bias_ih, self.bias_hh], dim=1)
        gates = torch.cat([self.weight_ih, self.weight_hh, biases], dim=1)[: 2 * H]
        rows = []
        for x, h in zip(input, hidden, strict=True):
            joined = torch.cat([x, h, x.new_ones(2)])
            opened = 1 / (1 + torch.exp(-torch.mv(gates, joined).clamp(min=-80)))
            r, z = opened[:H], opened[H:]
            old = torch.mv(self.weight_hh[2 * H :], h) + self.bias_hh[2 * H :]
            n = torch.tanh(torch.mv(self.weight_ih[2 * H :], x) + self.bias_ih[2 * H :] + r * old)
            rows.append(n + z * (h - n))
        return torch.stack(rows)
