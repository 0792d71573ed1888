# %% wrong: the second bias of the candidate escapes the reset gate
# b_hn is put beside b_in, outside the brackets that r multiplies; the two differ wherever r is not 1.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        x_part = input @ self.weight_ih.T + self.bias_ih
        h_part = hidden @ self.weight_hh.T
        b_r, b_z, b_n = self.bias_hh.split(H)
        r = torch.sigmoid(x_part[:, :H] + h_part[:, :H] + b_r)
        z = torch.sigmoid(x_part[:, H:2 * H] + h_part[:, H:2 * H] + b_z)
        n = torch.tanh(x_part[:, 2 * H:] + b_n + r * h_part[:, 2 * H:])
        return (1 - z) * n + z * hidden


# %% wrong: the three parts are taken as interleaved
# The 3H numbers are viewed as (H, 3): every third number is taken for one gate, instead of three blocks of H.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        from_input = F.linear(input, self.weight_ih, self.bias_ih).view(batch, self.hidden_size, 3)
        from_hidden = F.linear(hidden, self.weight_hh, self.bias_hh).view(batch, self.hidden_size, 3)
        r = torch.sigmoid(from_input[..., 0] + from_hidden[..., 0])
        z = torch.sigmoid(from_input[..., 1] + from_hidden[..., 1])
        n = torch.tanh(from_input[..., 2] + r * from_hidden[..., 2])
        return (1 - z) * n + z * hidden


# %% wrong: the old state is overwritten in place
# hidden is changed where it stands to save memory: the caller's state is lost, all kept states of a loop are one tensor, and backward breaks.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        xr, xz, xn = (input @ self.weight_ih.T + self.bias_ih).chunk(3, dim=1)
        hr, hz, hn = (hidden @ self.weight_hh.T + self.bias_hh).chunk(3, dim=1)
        reset = torch.sigmoid(xr + hr)
        update = torch.sigmoid(xz + hz)
        candidate = torch.tanh(xn + reset * hn)
        with torch.no_grad():
            hidden.mul_(update)
            hidden.add_((1 - update) * candidate)
        return hidden


# %% wrong: a batch of one loses its axis
# Columns are made with unsqueeze and taken away with a bare squeeze, which also removes the batch axis (or the state axis) where it is 1.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        x, h = input.unsqueeze(-1), hidden.unsqueeze(-1)  # columns
        gates_x = self.weight_ih @ x + self.bias_ih.unsqueeze(-1)
        gates_h = self.weight_hh @ h + self.bias_hh.unsqueeze(-1)
        x_r, x_z, x_n = gates_x.chunk(3, dim=1)
        h_r, h_z, h_n = gates_h.chunk(3, dim=1)
        r = (x_r + h_r).sigmoid()
        z = (x_z + h_z).sigmoid()
        n = (x_n + r * h_n).tanh()
        return ((1 - z) * n + z * h).squeeze()


# %% wrong: the weights are read through data
# The numbers are right, but through .data no gradient ever reaches weights and biases, so the cell cannot be trained.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        def both(part):
            rows = slice(part * self.hidden_size, (part + 1) * self.hidden_size)
            return (
                input @ self.weight_ih.data[rows].t() + self.bias_ih.data[rows],
                hidden @ self.weight_hh.data[rows].t() + self.bias_hh.data[rows],
            )

        r = torch.sigmoid(sum(both(0)))
        z = torch.sigmoid(sum(both(1)))
        from_x, from_h = both(2)
        n = torch.tanh(from_x + r * from_h)
        return (1 - z) * n + z * hidden


# %% correct: three maps by einsum and lerp

class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        xs = torch.einsum("bi,khi->kbh", input, self.weight_ih.reshape(3, H, self.input_size)) + self.bias_ih.reshape(3, 1, H)
        hs = torch.einsum("bj,khj->kbh", hidden, self.weight_hh.reshape(3, H, H)) + self.bias_hh.reshape(3, 1, H)
        opened = torch.sigmoid(xs[:2] + hs[:2])
        candidate = torch.tanh(torch.addcmul(xs[2], opened[0], hs[2]))
        return torch.lerp(candidate, hidden, opened[1])


# %% correct: one joined product for the gates, sigmoid by tanh

def half_tanh(a: Tensor) -> Tensor:
    """The sigmoid: 1 / (1 + exp(-a)) = (1 + tanh(a / 2)) / 2."""
    return 0.5 + 0.5 * torch.tanh(0.5 * a)


class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

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
        joined = torch.cat([input, hidden], dim=1)
        weight = torch.cat([self.weight_ih[: 2 * H], self.weight_hh[: 2 * H]], dim=1)
        bias = self.bias_ih[: 2 * H] + self.bias_hh[: 2 * H]
        gates = half_tanh(torch.addmm(bias, joined, weight.t()))
        seen = F.linear(hidden, self.weight_hh[2 * H :], self.bias_hh[2 * H :]) * gates[:, :H]
        proposal = (F.linear(input, self.weight_ih[2 * H :], self.bias_ih[2 * H :]) + seen).tanh()
        return proposal + gates[:, H:] * (hidden - proposal)
