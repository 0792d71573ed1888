# %% wrong: every column has a speed of its own
# The exponent is the column's number over d_model, so the cosine in column 2i + 1 turns more slowly
# than the sine beside it. It shows in every cosine column for positions from 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    position = torch.arange(length).unsqueeze(1)
    column = torch.arange(d_model)
    angles = position / 10_000 ** (column / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles[:, 0::2])
    encoding[:, 1::2] = torch.cos(angles[:, 1::2])
    return encoding

# %% wrong: careful in float64, and returned so
# The numbers are right, but the docstring promises float32. It shows for every length and width, by
# the dtype.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.arange(length, dtype=torch.float64)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = torch.outer(t, 10_000 ** (-2 * i / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)

# %% wrong: wavelengths spread from end to end
# As in an old library, the speeds run from 1 to exactly 1 / 10000: i is divided by D/2 - 1 in place
# of D/2. Right for d_model 2 alone; for d_model 4 the second clock is a hundred times too slow.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("an even d_model, please")
    clocks = d_model // 2
    step = math.log(10_000) / max(clocks - 1, 1)
    speeds = torch.exp(-step * torch.arange(clocks))
    angles = torch.arange(length).unsqueeze(1) * speeds
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return encoding

# %% wrong: an odd width fails by itself
# Where d_model is odd there is one cosine too many and PyTorch raises RuntimeError, not the promised
# ValueError. It shows for d_model 5 (and for 1, where nothing is raised at all).

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(position * div_term)
    encoding[:, 1::2] = torch.cos(position * div_term)
    return encoding

# %% correct: hands of clocks as complex numbers
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    clocks, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"sines and cosines come in pairs, got d_model = {d_model}")
    speeds = torch.logspace(0, -4, clocks + 1, dtype=torch.float64)[:clocks]
    angles = torch.arange(length, dtype=torch.float64)[:, None] * speeds
    hands = torch.polar(torch.ones_like(angles), angles)  # real part: cosine
    return torch.view_as_real(hands).flip(2).reshape(length, d_model).to(torch.float32)

# %% correct: only sines, those in odd columns a quarter turn ahead
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("d_model is odd")
    column = torch.arange(d_model)
    pair = torch.div(column, 2, rounding_mode="floor").double()
    period = torch.pow(torch.tensor(10_000.0, dtype=torch.float64), 2 * pair / d_model)
    ahead = (column % 2).double() * (math.pi / 2)
    return torch.sin(torch.arange(length).double().unsqueeze(1) / period + ahead).float()
