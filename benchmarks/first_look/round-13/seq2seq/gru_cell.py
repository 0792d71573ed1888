# %% wrong: the update gate turned round
# z lets the candidate in instead of keeping the old state. Shows wherever z is not 1/2: with a large b_iz in z's
# part the state is lost where it should pass untouched.

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
        i_r, i_z, i_n = (input @ self.weight_ih.T + self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = (hidden @ self.weight_hh.T + self.bias_hh).chunk(3, dim=1)
        r = torch.sigmoid(i_r + h_r)
        z = torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return (1 - z) * hidden + z * n


# %% wrong: reset before the matrix
# The first paper's form, W_hn (r * h), in place of r * (W_hn h + b_hn). Shows for every hidden state that is not
# zero, and for b_hn other than 0.

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


# %% wrong: the bias outside the reset gate
# n = tanh(... + r * (W_hn h) + b_hn): r does not reach b_hn. Shows wherever b_hn is not 0, even for h = 0.

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
        from_input = input @ self.weight_ih.T + self.bias_ih + self.bias_hh  # all biases at once
        from_hidden = hidden @ self.weight_hh.T
        gates = torch.sigmoid(from_input[:, : 2 * H] + from_hidden[:, : 2 * H])
        r, z = gates[:, :H], gates[:, H:]
        n = torch.tanh(from_input[:, 2 * H :] + r * from_hidden[:, 2 * H :])
        return (1 - z) * n + z * hidden


# %% wrong: the three parts taken as interleaved
# view(B, H, 3) takes r, z and n from every third row, while the parameters stack r, then z, then n. Right for
# H = 1 only.

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
        r, z = torch.sigmoid(x[..., :2] + h[..., :2]).unbind(-1)
        n = torch.tanh(x[..., 2] + r * h[..., 2])
        return (1 - z) * n + z * hidden


# %% correct: one product for all gates, with blocks of zeros

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
        # rows: r, z, the input's part of n, the hidden state's part of n
        left = F.pad(self.weight_ih, (0, 0, 0, H))  # (4H, I)
        right = torch.cat([self.weight_hh[: 2 * H], F.pad(self.weight_hh[2 * H :], (0, 0, H, 0))])
        bias = F.pad(self.bias_ih, (0, H)) + torch.cat([self.bias_hh[: 2 * H], F.pad(self.bias_hh[2 * H :], (H, 0))])
        whole = torch.cat([input, hidden], dim=1) @ torch.cat([left, right], dim=1).T + bias
        r, z, of_input, of_hidden = whole.split(H, dim=1)
        n = torch.addcmul(of_input, r.sigmoid(), of_hidden).tanh()
        return torch.lerp(n, hidden, z.sigmoid())


# %% correct: gates as an axis, by einsum

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

    def _three(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        H = self.hidden_size
        return torch.einsum("bi,ghi->gbh", x, weight.reshape(3, H, -1)) + bias.reshape(3, 1, H)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(
                f"need input (B, {self.input_size}) and hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        x = self._three(input, self.weight_ih, self.bias_ih)
        h = self._three(hidden, self.weight_hh, self.bias_hh)
        keep = torch.sigmoid(x[1] + h[1])
        candidate = torch.tanh(x[2] + torch.sigmoid(x[0] + h[0]) * h[2])
        return candidate + keep * (hidden - candidate)
