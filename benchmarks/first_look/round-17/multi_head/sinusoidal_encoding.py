# %% wrong: speeds spaced evenly from 1 to 1/10000, the end included
# logspace includes its end, so the slowest clock has speed 10000^-1 and not 10000^(-(D - 2) / D), and all between are off.
# Right at d_model = 2; wrong from d_model = 4 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = torch.logspace(0, -4, d_model // 2, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()


# %% wrong: sines and cosines stacked on the wrong axis
# Stacked as (length, 2, D / 2) and then flattened: all sines first, then all cosines. Right at d_model = 2 only.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    i = torch.arange(d_model // 2, dtype=torch.float64)
    t = torch.arange(length, dtype=torch.float64)
    angles = torch.outer(t, 10_000 ** (-2 * i / d_model))
    both = torch.stack([torch.sin(angles), torch.cos(angles)], dim=1)
    return both.reshape(length, d_model).float()


# %% wrong: every column with a speed of its own
# The exponent is the column's own number over d_model, so the cosine of a pair is of speed 2i + 1 and not 2i. The sines are
# right; the cosines are off from position 1 on, for any d_model.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    column = torch.arange(d_model, dtype=torch.float64)
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    angles = position / 10_000 ** (column / d_model)
    even = column.long() % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


# %% wrong: 10000^(2i/D) taken for the wavelength
# A clock should turn by 1 / 10000^(2i/D) radians a step; here it goes around once in 10000^(2i/D) steps, by 2 pi times as
# much. The first pair is then (0, 1) at every position. Any length from 2 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model is odd: {d_model}")
    wavelengths = 10_000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turns = torch.arange(length, dtype=torch.float64).unsqueeze(1) / wavelengths
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2] = torch.sin(2 * math.pi * turns)
    encoding[:, 1::2] = torch.cos(2 * math.pi * turns)
    return encoding


# %% correct: hands in the complex plane

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = torch.pow(10_000.0, -torch.arange(0, d_model, 2).double() / d_model)
    angles = torch.arange(length).double().unsqueeze(1) * speeds
    hands = torch.polar(torch.ones_like(angles), angles)  # cosine + i sine
    return torch.view_as_real(hands).flip(2).reshape(length, d_model).to(torch.float32)


# %% correct: a cosine is a sine a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model // 2 * 2 != d_model:
        raise ValueError(f"d_model must be even, got {d_model}")
    rows = []
    for t in range(length):
        row = []
        for j in range(d_model):
            speed = math.exp(-(j - j % 2) / d_model * math.log(10_000))
            row.append(math.sin(t * speed + (j % 2) * math.pi / 2))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32).reshape(length, d_model)
