# %% wrong: the update gate works the other way round
# It follows the papers in which z is the share of the new: h' = z * n + (1 - z) * h. With PyTorch's weights the states
# are others, and a gate near one forgets instead of keeping.
# Hint: put a very large bias on z and see whether the old state comes out as it went in.

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
        from_input = F.linear(input, self.weight_ih, self.bias_ih)
        from_hidden = F.linear(hidden, self.weight_hh, self.bias_hh)
        i_r, i_z, i_n = from_input.chunk(3, dim=1)
        h_r, h_z, h_n = from_hidden.chunk(3, dim=1)
        r = torch.sigmoid(i_r + h_r)
        z = torch.sigmoid(i_z + h_z)
        n = torch.tanh(i_n + r * h_n)
        return z * n + (1 - z) * hidden


# %% wrong: the reset gate acts before the matrix
# It computes W_hn (r * h) + b_hn, the form of the first paper, where the docstring has r * (W_hn h + b_hn).
# Hint: two forms of the reset gate are named before the exercise; which one is in the docstring?

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
        i_r, i_z, i_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        r = torch.sigmoid(i_r + F.linear(hidden, w_r, b_r))
        z = torch.sigmoid(i_z + F.linear(hidden, w_z, b_z))
        n = torch.tanh(i_n + F.linear(r * hidden, w_n, b_n))
        return (1 - z) * n + z * hidden


# %% wrong: the parts are unstacked in the order z, r, n
# This is the order of Keras. The reset gate gets the update gate's weights and the other way round, which trains just as
# well and disagrees with torch.nn.GRUCell.
# Hint: read again in which order the three parts are stacked in each weight.

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
        gates_x = input @ self.weight_ih.t() + self.bias_ih
        gates_h = hidden @ self.weight_hh.t() + self.bias_hh
        x_z, x_r, x_n = gates_x.split(self.hidden_size, dim=-1)
        h_z, h_r, h_n = gates_h.split(self.hidden_size, dim=-1)
        z = (x_z + h_z).sigmoid()
        r = (x_r + h_r).sigmoid()
        n = (x_n + r * h_n).tanh()
        return (1 - z) * n + z * hidden


# %% wrong: the second bias of the candidate is outside the reset gate
# Both biases are added together beforehand, so b_hn is not multiplied by r; the result is slightly off wherever r is
# below one and b_hn is not zero.
# Hint: which terms stand inside the brackets behind r in the candidate's equation?

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
        b_r, b_z, b_n = bias.chunk(3)
        x_r, x_z, x_n = (input @ self.weight_ih.T).chunk(3, dim=1)
        h_r, h_z, h_n = (hidden @ self.weight_hh.T).chunk(3, dim=1)
        r = torch.sigmoid(x_r + h_r + b_r)
        z = torch.sigmoid(x_z + h_z + b_z)
        n = torch.tanh(x_n + b_n + r * h_n)
        return (1 - z) * n + z * hidden


# %% wrong: input and state are added before the reset gate comes
# As in an LSTM it sums the two products first and splits them then, so r also multiplies the input's part of the
# candidate.
# Hint: of the two parts of the candidate, which one is r there to weaken?

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
        gates = F.linear(input, self.weight_ih, self.bias_ih) + F.linear(hidden, self.weight_hh, self.bias_hh)
        r, z, n = gates.chunk(3, dim=1)
        r, z = torch.sigmoid(r), torch.sigmoid(z)
        n = torch.tanh(r * n)
        return (1 - z) * n + z * hidden


# %% correct: einsum over weights with an axis for the three parts

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
        def parts(vectors: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            stacked = weight.reshape(3, self.hidden_size, vectors.shape[1])  # (3, H, I) or (3, H, H)
            return torch.einsum("bi,phi->pbh", vectors, stacked) + bias.reshape(3, 1, self.hidden_size)

        of_input = parts(input, self.weight_ih, self.bias_ih)  # (3, B, H)
        of_hidden = parts(hidden, self.weight_hh, self.bias_hh)
        reset, update = torch.sigmoid(of_input[:2] + of_hidden[:2])
        candidate = torch.tanh(of_input[2] + reset * of_hidden[2])
        return candidate - update * candidate + update * hidden


# %% correct: one small method for each part and lerp at the end

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
        r = torch.sigmoid(self._from(input, "ih", 0) + self._from(hidden, "hh", 0))
        z = torch.sigmoid(self._from(input, "ih", 1) + self._from(hidden, "hh", 1))
        n = torch.tanh(torch.addcmul(self._from(input, "ih", 2), r, self._from(hidden, "hh", 2)))
        return torch.lerp(n, hidden, z)  # n + z * (hidden - n)

    def _from(self, vectors: Tensor, which: str, part: int) -> Tensor:
        rows = slice(part * self.hidden_size, (part + 1) * self.hidden_size)
        weight, bias = getattr(self, f"weight_{which}"), getattr(self, f"bias_{which}")
        return vectors @ weight[rows].T + bias[rows]
