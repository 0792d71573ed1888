# %% wrong: update gate the other way round
# Takes z for the share of the new candidate: h' = z * n + (1 - z) * h. Shows for every input
# (with z = 1 the old state should pass untouched and is lost).

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
        return z * n + (1 - z) * hidden


# %% wrong: reset before the matrix
# The reset gate acts on h before W_hn, as in the first paper, and not on W_hn h + b_hn.
# Shows for every hidden that is not zero, and through b_hn also for zero.

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
        gates = F.linear(input, self.weight_ih[: 2 * H], self.bias_ih[: 2 * H])
        gates = torch.sigmoid(gates + F.linear(hidden, self.weight_hh[: 2 * H], self.bias_hh[: 2 * H]))
        r, z = gates[:, :H], gates[:, H:]
        candidate = F.linear(input, self.weight_ih[2 * H :], self.bias_ih[2 * H :])
        n = torch.tanh(candidate + F.linear(r * hidden, self.weight_hh[2 * H :], self.bias_hh[2 * H :]))
        return (1 - z) * n + z * hidden


# %% wrong: parts taken apart with view
# The (B, 3H) products are viewed as (3, B, H), which mixes rows and gates.
# Right for a batch of one, wrong for B > 1.

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
        from_input = F.linear(input, self.weight_ih, self.bias_ih).view(3, batch, self.hidden_size)
        from_hidden = F.linear(hidden, self.weight_hh, self.bias_hh).view(3, batch, self.hidden_size)
        r = torch.sigmoid(from_input[0] + from_hidden[0])
        z = torch.sigmoid(from_input[1] + from_hidden[1])
        n = torch.tanh(from_input[2] + r * from_hidden[2])
        return (1 - z) * n + z * hidden


# %% wrong: bias of the candidate outside the reset
# Both biases are added up front, so b_hn is not multiplied by r.
# Shows wherever bias_hh's last third is not zero; with zero biases it is right.

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
        b_r, b_z, b_n = (self.bias_ih + self.bias_hh).chunk(3)
        r = torch.sigmoid(input @ w_ir.T + hidden @ w_hr.T + b_r)
        z = torch.sigmoid(input @ w_iz.T + hidden @ w_hz.T + b_z)
        n = torch.tanh(input @ w_in.T + r * (hidden @ w_hn.T) + b_n)
        return (1 - z) * n + z * hidden


# %% correct: einsum over a stack of three matrices, lerp at the end

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
        seen = torch.einsum("bi,ghi->gbh", input, self.weight_ih.reshape(3, H, -1)) + self.bias_ih.reshape(3, 1, H)
        kept = torch.einsum("bk,ghk->gbh", hidden, self.weight_hh.reshape(3, H, H)) + self.bias_hh.reshape(3, 1, H)
        reset, update = torch.sigmoid(seen[:2] + kept[:2])
        candidate = torch.tanh(torch.addcmul(seen[2], reset, kept[2]))
        return torch.lerp(candidate, hidden, update)


# %% correct: gates by tanh of half the sum, one number of the state at a time

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
        def gate(logit: Tensor) -> Tensor:
            return 0.5 + 0.5 * torch.tanh(0.5 * logit)  # the sigmoid

        H, columns = self.hidden_size, []
        for k in range(H):
            x_r, x_z, x_n = (torch.mv(input, self.weight_ih[part * H + k]) + self.bias_ih[part * H + k] for part in range(3))
            h_r, h_z, h_n = (torch.mv(hidden, self.weight_hh[part * H + k]) + self.bias_hh[part * H + k] for part in range(3))
            candidate = torch.tanh(x_n + gate(x_r + h_r) * h_n)
            columns.append(candidate + gate(x_z + h_z) * (hidden[:, k] - candidate))
        return torch.stack(columns, dim=1)
