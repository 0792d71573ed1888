# %% wrong: the update gate the other way round
# z is taken for the share that is new, as some papers write it: h' = z n + (1 - z) h.
# Shows for every input where z is not one half.

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
        from_input = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        from_hidden = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r = torch.sigmoid(from_input[0] + from_hidden[0])
        z = torch.sigmoid(from_input[1] + from_hidden[1])
        n = torch.tanh(from_input[2] + r * from_hidden[2])
        return z * n + (1 - z) * hidden

# %% wrong: the hidden bias outside of the reset gate
# All biases are added up beforehand, so b_hn is no longer multiplied by r.
# Shows wherever b_hn is not 0, as it is in a cell just made.

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
        W_ir, W_iz, W_in = self.weight_ih.chunk(3)
        W_hr, W_hz, W_hn = self.weight_hh.chunk(3)
        b_r, b_z, b_n = bias.chunk(3)
        r = torch.sigmoid(input @ W_ir.T + hidden @ W_hr.T + b_r)
        z = torch.sigmoid(input @ W_iz.T + hidden @ W_hz.T + b_z)
        n = torch.tanh(input @ W_in.T + r * (hidden @ W_hn.T) + b_n)
        return (1 - z) * n + z * hidden

# %% wrong: the three parts taken apart as columns
# The 3H numbers are viewed as (H, 3), as if the r, z and n of each unit stood side by side: they stand in three stacks.
# Shows for every hidden size above 1.

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
        gates_in = F.linear(input, self.weight_ih, self.bias_ih).view(batch, self.hidden_size, 3)
        gates_h = F.linear(hidden, self.weight_hh, self.bias_hh).view(batch, self.hidden_size, 3)
        r, z = torch.sigmoid(gates_in[..., :2] + gates_h[..., :2]).unbind(dim=2)
        n = torch.tanh(gates_in[..., 2] + r * gates_h[..., 2])
        return (1 - z) * n + z * hidden

# %% wrong: a tanh written out in exponentials
# (e^a - e^-a) / (e^a + e^-a) is inf / inf where |a| is above 89 in float32: NaN.
# Shows for inputs in the hundreds and more, which torch.nn.GRUCell takes without trouble.

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
        gi = input @ self.weight_ih.T + self.bias_ih
        gh = hidden @ self.weight_hh.T + self.bias_hh
        H = self.hidden_size
        r = torch.sigmoid(gi[:, :H] + gh[:, :H])
        z = torch.sigmoid(gi[:, H : 2 * H] + gh[:, H : 2 * H])
        a = gi[:, 2 * H :] + r * gh[:, 2 * H :]
        n = (torch.exp(a) - torch.exp(-a)) / (torch.exp(a) + torch.exp(-a))
        return (1 - z) * n + z * hidden

# %% correct: one product for all four parts

# Input and hidden are laid end to end, and one matrix of 4H rows holds r, z, and the two halves of n, with zero blocks.

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
        no_input = self.weight_ih.new_zeros(H, self.input_size)
        no_hidden = self.weight_hh.new_zeros(H, H)
        gates = torch.cat([self.weight_ih[: 2 * H], self.weight_hh[: 2 * H]], dim=1)
        n_input = torch.cat([self.weight_ih[2 * H :], no_hidden], dim=1)
        n_hidden = torch.cat([no_input, self.weight_hh[2 * H :]], dim=1)
        bias = torch.cat([self.bias_ih[: 2 * H] + self.bias_hh[: 2 * H], self.bias_ih[2 * H :], self.bias_hh[2 * H :]])
        matrix = torch.cat([gates, n_input, n_hidden])
        r, z, a, b = F.linear(torch.cat([input, hidden], dim=1), matrix, bias).split(H, dim=1)
        n = torch.tanh(a + r.sigmoid() * b)
        return n + z.sigmoid() * (hidden - n)

# %% correct: three heads by einsum, lerp at the end

# The stacks are unfolded to (3, H, ...), tanh is 2 sigmoid(2a) - 1, and lerp mixes the candidate and the old state.

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
        shape = (3, self.hidden_size)
        x = torch.einsum("bi,ghi->gbh", input, self.weight_ih.unflatten(0, shape)) + self.bias_ih.unflatten(0, shape)[:, None]
        h = torch.einsum("bk,ghk->gbh", hidden, self.weight_hh.unflatten(0, shape)) + self.bias_hh.unflatten(0, shape)[:, None]
        r, z = torch.sigmoid(x[:2] + h[:2])
        candidate = 2 * torch.sigmoid(2 * torch.addcmul(x[2], r, h[2])) - 1
        return torch.lerp(candidate, hidden, z)
