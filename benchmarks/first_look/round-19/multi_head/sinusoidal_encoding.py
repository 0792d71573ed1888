# %% wrong: each column with a speed of its own
# The exponent is column / d_model, so the cosine at 2i + 1 has another speed than the sine at 2i. Shows at every odd
# column from position 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    column = torch.arange(d_model, dtype=torch.float64)
    angle = t / 10_000 ** (column / d_model)
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2] = torch.sin(angle[:, 0::2])
    encoding[:, 1::2] = torch.cos(angle[:, 1::2])
    return encoding


# %% wrong: hands turned step by step
# Each row is the row before, turned by the speed, all in float32: the rounding adds up, and by position 10,000 the numbers are
# off by more than a thousandth. Shows for length 10,001.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speed = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = [torch.zeros_like(speed)]
    while len(angles) < length:
        angles.append(angles[-1] + speed)
    angle = torch.stack(angles)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


# %% wrong: left in double precision
# Computed in float64, which is good, but returned so: the docstring promises float32. Shows for any size.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    encoding = torch.zeros(length, d_model, dtype=torch.float64)
    position = torch.arange(length, dtype=torch.float64)[:, None]
    speed = torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    encoding[:, 0::2] = torch.sin(position * speed)
    encoding[:, 1::2] = torch.cos(position * speed)
    return encoding


# %% wrong: i counted twice
# The range already goes in steps of two, so it is 2i; with another factor of two the speeds fall as 10000^(-4i / d_model).
# Shows for d_model of 4 or more, from position 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    pos = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = pos / torch.pow(10_000.0, 2 * i / d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle)
    return pe


# %% correct: complex numbers on the unit circle
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("sines and cosines come in pairs")
    speed = torch.logspace(0, -4 * (1 - 2 / d_model), d_model // 2, dtype=torch.float64)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    hand = torch.polar(torch.ones_like(angle), angle)  # cos + i sin
    return torch.view_as_real(hand).flip(-1).reshape(length, d_model).to(torch.float32)


# %% correct: sines alone, with a quarter turn for the cosines
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    half, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"d_model must be even, got {d_model}")
    wavelength = torch.tensor([10_000 ** (2 * i / d_model) for i in range(half)], dtype=torch.float64)
    quarter = torch.tensor([0.0, math.pi / 2], dtype=torch.float64).repeat(half)
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    return (t / wavelength.repeat_interleave(2) + quarter).sin().float()
