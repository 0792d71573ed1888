# %% wrong: the update gate the other way round
# z multiplies the candidate and 1 - z the old state, as some papers have it.
# Breaks h' = (1 - z) * n + z * h of the docstring. Hint: where z is 1, which of the two should come out?

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
        reset, update = torch.sigmoid(i_r + h_r), torch.sigmoid(i_z + h_z)
        candidate = torch.tanh(i_n + reset * h_n)
        return update * candidate + (1 - update) * hidden


# %% wrong: the stack cut across
# The 3H numbers are read as H groups of three, as if r, z, n of one unit lay side by side; but all of r comes first, then z, then n.
# Breaks "stack the three parts in the order r, z, n" (only H = 1 comes out right). Hint: which rows of weight_ih belong to r?

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
        of_input = (input @ self.weight_ih.T + self.bias_ih).view(batch, self.hidden_size, 3)
        of_hidden = (hidden @ self.weight_hh.T + self.bias_hh).view(batch, self.hidden_size, 3)
        reset = torch.sigmoid(of_input[..., 0] + of_hidden[..., 0])
        update = torch.sigmoid(of_input[..., 1] + of_hidden[..., 1])
        candidate = torch.tanh(of_input[..., 2] + reset * of_hidden[..., 2])
        return (1 - update) * candidate + update * hidden


# %% wrong: the candidate's bias not reset
# b_hn is added outside of the reset gate: r * (W_hn h) + b_hn in place of r * (W_hn h + b_hn).
# Breaks the candidate's equation wherever b_hn is not 0. Hint: follow the brackets of the third equation; what does r multiply?

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
        size = self.hidden_size
        of_input = F.linear(input, self.weight_ih, self.bias_ih)
        of_hidden = F.linear(hidden, self.weight_hh)
        gates = torch.sigmoid(of_input[:, : 2 * size] + of_hidden[:, : 2 * size] + self.bias_hh[: 2 * size])
        reset, update = gates[:, :size], gates[:, size:]
        candidate = torch.tanh(of_input[:, 2 * size :] + reset * of_hidden[:, 2 * size :] + self.bias_hh[2 * size :])
        return (1 - update) * candidate + update * hidden


# %% wrong: the new state written over the old
# The new state is computed in the memory of the old one, so the caller's hidden is changed, and every state of a loop is the same tensor.
# Breaks "-> new hidden" and the gradients (backward needs the old state). Hint: which of your operations ends in an underscore?

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
        i_r, i_z, i_n = (input @ self.weight_ih.t() + self.bias_ih).chunk(3, dim=-1)
        h_r, h_z, h_n = (hidden @ self.weight_hh.t() + self.bias_hh).chunk(3, dim=-1)
        r = (i_r + h_r).sigmoid()
        z = (i_z + h_z).sigmoid()
        n = (i_n + r * h_n).tanh()
        return hidden.mul_(z).add_((1 - z) * n)


# %% correct: einsum over stacked gates and lerp

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
        shape = (3, self.hidden_size, -1)
        of_input = torch.einsum("bi,ghi->gbh", input, self.weight_ih.view(shape)) + self.bias_ih.view(3, 1, -1)
        of_hidden = torch.einsum("bk,ghk->gbh", hidden, self.weight_hh.view(shape)) + self.bias_hh.view(3, 1, -1)
        reset, keep = (of_input[:2] + of_hidden[:2]).sigmoid()
        candidate = torch.addcmul(of_input[2], reset, of_hidden[2]).tanh()
        return torch.lerp(candidate, hidden, keep)


# %% correct: both gates from one joined product


class _Part:
    """Rows of one of the three parts, by its place in the stack."""

    def __init__(self, cell: nn.Module, place: int):
        self.rows = slice(place * cell.hidden_size, (place + 1) * cell.hidden_size)
        self.cell = cell

    def of_input(self, x: Tensor) -> Tensor:
        return F.linear(x, weight=self.cell.weight_ih[self.rows], bias=self.cell.bias_ih[self.rows])

    def of_hidden(self, h: Tensor) -> Tensor:
        return F.linear(h, weight=self.cell.weight_hh[self.rows], bias=self.cell.bias_hh[self.rows])


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
        size = self.hidden_size
        joined_weight = torch.cat([self.weight_ih, self.weight_hh], dim=1)[: 2 * size]  # (2H, I + H)
        joined_bias = (self.bias_ih + self.bias_hh)[: 2 * size]
        gates = 0.5 * (1 + torch.tanh(0.5 * F.linear(torch.cat([input, hidden], dim=1), joined_weight, joined_bias)))
        r, z = gates.split(size, dim=1)
        third = _Part(self, 2)
        n = torch.tanh(third.of_input(input) + r * third.of_hidden(hidden))
        return n + z * (hidden - n)
