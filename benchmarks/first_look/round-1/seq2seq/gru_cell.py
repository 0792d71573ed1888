# %% wrong: the bias outside the reset gate
# The reset gate multiplies W_hn h alone and b_hn is added outside of it; nobody sees it while the bias is zero. A good message: "with bias_hh nothing but zero it agrees: b_hn stands inside the bracket that r multiplies".

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
        n = torch.tanh(input @ W_in.T + b_in + r * (hidden @ W_hn.T) + b_hn)
        return (1 - z) * n + z * hidden

# %% wrong: the three parts by view
# The stacked product (B, 3H) is viewed as (3, B, H), which cuts it along the wrong axis: the numbers of several rows and gates are mixed; right for a batch of one. A good message: "right for B = 1, wrong for more: the gates lie one behind the other in each row, so chunk(3, dim=1)".

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
        from_input = (input @ self.weight_ih.T + self.bias_ih).view(3, batch, self.hidden_size)
        from_state = (hidden @ self.weight_hh.T + self.bias_hh).view(3, batch, self.hidden_size)
        r = torch.sigmoid(from_input[0] + from_state[0])
        z = torch.sigmoid(from_input[1] + from_state[1])
        n = torch.tanh(from_input[2] + r * from_state[2])
        return (1 - z) * n + z * hidden

# %% wrong: writes into the caller's state
# The new state is made in place, in the tensor that came in: the old state is lost to the caller, and in a loop backward() complains (or a leaf that requires gradients refuses). A good message: "hidden has changed: z * hidden, not hidden.mul_(z)".

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
        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r, z = torch.sigmoid(i_r + h_r), torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        hidden.mul_(z).add_((1 - z) * n)
        return hidden

# %% correct: einsum over matrices unstacked by view

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
        x = torch.einsum("ghi,bi->gbh", self.weight_ih.view(3, H, -1), input) + self.bias_ih.view(3, 1, H)
        y = torch.einsum("ghk,bk->gbh", self.weight_hh.view(3, H, H), hidden) + self.bias_hh.view(3, 1, H)
        r, z = (x[:2] + y[:2]).sigmoid()
        return torch.lerp(torch.tanh(x[2] + r * y[2]), hidden, z)

# %% correct: own sigmoid by tanh, one product for both gates

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

        def sigmoid(a):
            return 0.5 * (1 + torch.tanh(0.5 * a))

        both = torch.cat((input, hidden), dim=1)
        matrix = torch.cat((self.weight_ih[: 2 * H], self.weight_hh[: 2 * H]), dim=1)
        gates = sigmoid(torch.addmm((self.bias_ih + self.bias_hh)[: 2 * H], both, matrix.mT))
        r, z = gates[:, :H], gates[:, H:]
        inner = torch.addmm(self.bias_hh[2 * H :], hidden, self.weight_hh[2 * H :].t())
        candidate = torch.addcmul(torch.addmm(self.bias_ih[2 * H :], input, self.weight_ih[2 * H :].t()), r, inner).tanh()
        return candidate - z * candidate + z * hidden
