# %% wrong: each column has a speed of its own
# The exponent counts columns and not pairs: a cosine turns at another speed than the sine on its left.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10_000 ** (column / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles[:, 0::2])
    encoding[:, 1::2] = torch.cos(angles[:, 1::2])
    return encoding


# %% wrong: the speeds reach all the way to the end
# A half-remembered variant: the exponent is i / (D/2 - 1), so that the last clock has exactly 10000, and D = 2 fails.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    pairs = d_model // 2
    speeds = torch.exp(-math.log(10_000) * torch.arange(pairs) / (pairs - 1))
    angles = torch.arange(length).float()[:, None] * speeds[None, :]
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(length, d_model)


# %% wrong: numpy leaves it in float64
# NumPy computes in float64 and from_numpy keeps it; promised is float32.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    import numpy as np

    if d_model % 2 == 1:
        raise ValueError(f"d_model is odd: {d_model}")
    encoding = np.zeros((length, d_model))
    angles = np.arange(length)[:, None] / np.power(10_000, 2 * np.arange(d_model // 2) / d_model)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return torch.from_numpy(encoding)


# %% wrong: the positions are counted from one
# The first row is that of position 1, so every row is one too far.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.linspace(1, length, length).unsqueeze(1)
    i = torch.arange(d_model // 2)
    angle = t / torch.pow(torch.tensor(10_000.0), 2 * i / d_model)
    return torch.stack((torch.sin(angle), torch.cos(angle)), dim=-1).flatten(1)


# %% wrong: the exponent is an integer
# Division with // makes every exponent 0, and all the clocks turn as fast as the first one.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.arange(length, dtype=torch.float32)
    columns = []
    for i in range(d_model // 2):
        angle = t / 10_000 ** (2 * i // d_model)
        columns += [torch.sin(angle), torch.cos(angle)]
    return torch.stack(columns, dim=1)


# %% correct: one sine, with a quarter turn for the odd columns

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model, dtype=torch.float64)
    odd = column.remainder(2)
    speed = torch.exp((odd - column) / d_model * math.log(10_000))
    turns = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    return torch.sin(turns + odd * (math.pi / 2)).to(torch.float32)


# %% correct: hands as complex numbers, turned by doubling

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"an odd d_model, {d_model}, has no pairs")
    angles = torch.tensor([10_000 ** (-i / pairs) for i in range(pairs)], dtype=torch.float64)
    hands = torch.ones(1, pairs, dtype=torch.complex128)  # position 0: all hands at angle 0
    while len(hands) < length:
        turn = torch.polar(torch.ones_like(angles), len(hands) * angles)  # by as many positions as there are
        hands = torch.cat([hands, hands * turn])
    hands = hands[:length]
    encoding = torch.empty(length, d_model, dtype=torch.float32)
    encoding[:, 0::2], encoding[:, 1::2] = hands.imag, hands.real
    return encoding
