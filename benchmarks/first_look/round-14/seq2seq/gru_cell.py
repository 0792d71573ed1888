# %% wrong: the hidden bias outside the reset
# The candidate computes r * (W_hn h) + b_hn: the reset gate does not reach the bias. Shows for any bias_hh whose last
# third is not zero.

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
        w_r, w_z, w_n = self.weight_hh.chunk(3)
        b_r, b_z, b_n = self.bias_hh.chunk(3)
        i_r, i_z, i_n = (input @ self.weight_ih.T + self.bias_ih).chunk(3, dim=1)
        r = torch.sigmoid(i_r + hidden @ w_r.T + b_r)
        z = torch.sigmoid(i_z + hidden @ w_z.T + b_z)
        n = torch.tanh(i_n + r * (hidden @ w_n.T) + b_n)
        return (1 - z) * n + z * hidden


# %% wrong: three parts dealt out like cards
# Folds the 3H numbers to (B, H, 3), so each gate takes every third number, where the parts stand one after the other,
# (B, 3, H). Shows for any H above 1; all shapes are right.

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
        i_r, i_z, i_n = from_input.unbind(-1)
        h_r, h_z, h_n = from_hidden.unbind(-1)
        r = torch.sigmoid(i_r + h_r)
        z = torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return (1 - z) * n + z * hidden


# %% wrong: the reset gates the input as well
# Adds the products of input and state first, for all three parts, and so multiplies W_in x + b_in by r too. Shows
# wherever r is not 1 and the input is not zero.

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
        total = F.linear(input, self.weight_ih, self.bias_ih) + F.linear(hidden, self.weight_hh, self.bias_hh)
        r, z, n = total.chunk(3, dim=1)
        r, z = torch.sigmoid(r), torch.sigmoid(z)
        n = torch.tanh(r * n)
        return (1 - z) * n + z * hidden


# %% wrong: the old state overwritten
# The numbers are right, but the new state is written into the caller's hidden. Shows by hidden after the call under
# no_grad; with gradients backward fails, because a tensor that it needs has been modified.

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
        hidden *= z
        hidden += (1 - z) * n
        return hidden


# %% correct: one product for both gates, and a lerp

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
        both = torch.cat([input, hidden], dim=1)
        weight = torch.cat([self.weight_ih[: 2 * H], self.weight_hh[: 2 * H]], dim=1)  # (2H, I + H)
        gates = both @ weight.T + (self.bias_ih + self.bias_hh)[: 2 * H]
        gates = 0.5 + 0.5 * torch.tanh(gates / 2)  # the sigmoid
        reset, update = gates[:, :H], gates[:, H:]
        remembered = torch.addmm(self.bias_hh[2 * H :], hidden, self.weight_hh[2 * H :].T)
        candidate = torch.addmm(self.bias_ih[2 * H :], input, self.weight_ih[2 * H :].T) + reset * remembered
        return torch.lerp(candidate.tanh(), hidden, update)


# %% correct: parts on an axis of their own, by einsum

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
        parts = 3, self.hidden_size
        w_x = self.weight_ih.unflatten(0, parts)  # (3, H, I)
        w_h = self.weight_hh.unflatten(0, parts)  # (3, H, H)
        x = torch.einsum("bi,phi->pbh", input, w_x) + self.bias_ih.unflatten(0, parts).unsqueeze(1)
        h = torch.einsum("bk,phk->pbh", hidden, w_h) + self.bias_hh.unflatten(0, parts).unsqueeze(1)
        reset, update = (x[:2] + h[:2]).sigmoid()
        candidate = torch.addcmul(x[2], reset, h[2]).tanh()
        return candidate + update * (hidden - candidate)
