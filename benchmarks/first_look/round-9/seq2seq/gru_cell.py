# %% wrong: the reset gate on the input's part
# The candidate is tanh(r * (W_in x + b_in) + W_hn h + b_hn): the gate hides the word instead of the old state.
# Shows for any input and hidden that are not zero.

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
        input_r, input_z, input_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        hidden_r, hidden_z, hidden_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r = torch.sigmoid(input_r + hidden_r)
        z = torch.sigmoid(input_z + hidden_z)
        n = torch.tanh(r * input_n + hidden_n)
        return (1 - z) * n + z * hidden

# %% wrong: the hidden bias outside the reset gate
# All biases are added at once, so b_hn stands outside the bracket that r multiplies.
# Shows wherever bias_hh's last third is not zero, even for hidden = 0; with zero biases nothing is seen.

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
        bias = self.bias_ih + self.bias_hh
        from_input = input @ self.weight_ih.T + bias
        from_hidden = hidden @ self.weight_hh.T
        H = self.hidden_size
        r = torch.sigmoid(from_input[:, :H] + from_hidden[:, :H])
        z = torch.sigmoid(from_input[:, H : 2 * H] + from_hidden[:, H : 2 * H])
        n = torch.tanh(from_input[:, 2 * H :] + r * from_hidden[:, 2 * H :])
        return (1 - z) * n + z * hidden

# %% wrong: the three parts interleaved
# view(B, H, 3) reads the stacked rows as r, z, n, r, z, n, ...; they are all of r, then all of z, then all of n.
# Shows for every hidden_size above 1; with hidden_size 1 it is right.

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
        gates_x = F.linear(input, self.weight_ih, self.bias_ih).view(batch, self.hidden_size, 3)
        gates_h = F.linear(hidden, self.weight_hh, self.bias_hh).view(batch, self.hidden_size, 3)
        r, z = torch.sigmoid(gates_x[..., :2] + gates_h[..., :2]).unbind(dim=-1)
        n = torch.tanh(gates_x[..., 2] + r * gates_h[..., 2])
        return (1 - z) * n + z * hidden

# %% wrong: the old state overwritten to save memory
# The new state is written into the caller's hidden: the argument changes, and a loop that keeps its states keeps one tensor T times.
# Shows for any hidden: it is another after the call, and with gradients the backward pass (or the call) raises.

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
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r = torch.sigmoid(x_r + h_r)
        z = torch.sigmoid(x_z + h_z)
        n = torch.tanh(x_n + r * h_n)
        hidden *= z
        hidden += (1 - z) * n
        return hidden

# %% correct: one block matrix for input, state and bias

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
        # Four stacked parts from one product: r, z, the input's share of n, the state's share of n.
        H = self.hidden_size
        from_input = torch.cat([self.weight_ih, torch.zeros_like(self.weight_ih[:H])])  # (4H, I)
        nothing = torch.zeros_like(self.weight_hh[:H])
        from_hidden = torch.cat([self.weight_hh[: 2 * H], nothing, self.weight_hh[2 * H :]])  # (4H, H)
        bias = torch.cat([
            self.bias_ih[: 2 * H] + self.bias_hh[: 2 * H], self.bias_ih[2 * H :], self.bias_hh[2 * H :]
        ])
        block = torch.cat([from_input, from_hidden, bias.unsqueeze(1)], dim=1)  # (4H, I + H + 1)
        row = torch.cat([input, hidden, torch.ones_like(hidden[:, :1])], dim=1)
        r, z, n_input, n_hidden = torch.einsum("bi,gi->gb", row, block).view(4, H, batch).transpose(1, 2)
        r, z = r.sigmoid(), z.sigmoid()
        n = (n_input + r * n_hidden).tanh()
        return n + z * (hidden - n)

# %% correct: unit by unit

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

        def part(which: int, unit: int) -> tuple[Tensor, Tensor]:
            row = which * H + unit
            of_input = (input * self.weight_ih[row]).sum(dim=1) + self.bias_ih[row]
            of_hidden = (hidden * self.weight_hh[row]).sum(dim=1) + self.bias_hh[row]
            return of_input, of_hidden

        columns = []
        for unit in range(H):
            r = torch.sigmoid(sum(part(0, unit)))
            keep = torch.sigmoid(sum(part(1, unit)))
            of_input, of_hidden = part(2, unit)
            candidate = 2 * torch.sigmoid(2 * torch.addcmul(of_input, r, of_hidden)) - 1  # tanh
            columns.append(torch.lerp(candidate, hidden[:, unit], keep))
        return torch.stack(columns, dim=1)
