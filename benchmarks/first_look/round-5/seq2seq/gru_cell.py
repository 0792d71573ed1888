# %% wrong: the hidden bias stands outside the reset gate
# All biases are added to the input's part at once, so that the candidate's b_hn is not multiplied by r.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        from_input = input @ self.weight_ih.T + self.bias_ih + self.bias_hh
        from_state = hidden @ self.weight_hh.T
        x_r, x_z, x_n = from_input.chunk(3, dim=1)
        h_r, h_z, h_n = from_state.chunk(3, dim=1)
        r = torch.sigmoid(x_r + h_r)
        z = torch.sigmoid(x_z + h_z)
        n = torch.tanh(x_n + r * h_n)
        return (1 - z) * n + z * hidden


# %% wrong: the three parts taken as interleaved
# The rows are read as r, z, n, r, z, n and so on by a view (B, H, 3); they are stacked in three blocks.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        gi = F.linear(input, self.weight_ih, self.bias_ih).view(batch, self.hidden_size, 3)
        gh = F.linear(hidden, self.weight_hh, self.bias_hh).view(batch, self.hidden_size, 3)
        r = torch.sigmoid(gi[..., 0] + gh[..., 0])
        z = torch.sigmoid(gi[..., 1] + gh[..., 1])
        n = torch.tanh(gi[..., 2] + r * gh[..., 2])
        return (1 - z) * n + z * hidden


# %% wrong: the old state is detached
# Meant to keep the graph short: no gradient reaches the earlier steps, neither through the gates nor along the copy path.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        hidden = hidden.detach()  # the past is not trained again
        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).split(self.hidden_size, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).split(self.hidden_size, dim=1)
        reset, update = (i_r + h_r).sigmoid(), (i_z + h_z).sigmoid()
        candidate = (i_n + reset * h_n).tanh()
        return (1 - update) * candidate + update * hidden


# %% wrong: the old state is updated in place
# The new state is written into the tensor that was passed in: the caller's old state is gone, and backward may fail.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, 1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, 1)
        r = torch.sigmoid(i_r + h_r)
        z = torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        hidden *= z
        hidden += (1 - z) * n
        return hidden


# %% wrong: the name of the old state is used twice
# hidden is overwritten by the part that the candidate sees, and the last line then keeps a share of that and not of the old state.

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        W_ir, W_iz, W_in = self.weight_ih[:H], self.weight_ih[H : 2 * H], self.weight_ih[2 * H :]
        W_hr, W_hz, W_hn = self.weight_hh[:H], self.weight_hh[H : 2 * H], self.weight_hh[2 * H :]
        b_i, b_h = self.bias_ih.view(3, H), self.bias_hh.view(3, H)
        r = torch.sigmoid(input @ W_ir.T + b_i[0] + hidden @ W_hr.T + b_h[0])
        z = torch.sigmoid(input @ W_iz.T + b_i[1] + hidden @ W_hz.T + b_h[1])
        hidden = r * (hidden @ W_hn.T + b_h[2])
        n = torch.tanh(input @ W_in.T + b_i[2] + hidden)
        return (1 - z) * n + z * hidden


# %% correct: both gates from one product of the joined inputs

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        gates = 2 * self.hidden_size
        both = torch.cat([input, hidden], dim=1)  # (B, I + H)
        weight = torch.cat([self.weight_ih[:gates], self.weight_hh[:gates]], dim=1)  # (2H, I + H)
        opened = 0.5 * (1 + torch.tanh(0.5 * (both @ weight.T + self.bias_ih[:gates] + self.bias_hh[:gates])))
        reset, keep = opened[:, : self.hidden_size], opened[:, self.hidden_size :]
        seen = torch.addmm(self.bias_hh[gates:], hidden, self.weight_hh[gates:].T)
        candidate = torch.tanh(torch.addmm(self.bias_ih[gates:], input, self.weight_ih[gates:].T) + reset * seen)
        return torch.lerp(candidate, hidden, keep)


# %% correct: parts by name and einsum

class GRUCell(nn.Module):
    """One step of a gated recurrent unit: input (B, I), hidden (B, H) -> new hidden (B, H)."""

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
        def part(which: str) -> tuple[Tensor, Tensor]:
            """What the input and what the old state say to one of the three parts."""
            place = "rzn".index(which)
            sides = []
            for vector, weight, bias in (
                (input, self.weight_ih, self.bias_ih),
                (hidden, self.weight_hh, self.bias_hh),
            ):
                block = weight.unflatten(0, (3, -1))[place]  # (H, I) or (H, H)
                sides.append(torch.einsum("bi,hi->bh", vector, block) + bias.unflatten(0, (3, -1))[place])
            return sides[0], sides[1]

        r = torch.sigmoid(sum(part("r")))
        z = torch.sigmoid(sum(part("z")))
        fresh, old = part("n")
        n = torch.tanh(fresh + r * old)
        return n - z * n + z * hidden
