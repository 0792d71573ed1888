# %% wrong: the two in the exponent is there twice
# arange(0, d_model, 2) holds 2i already and is doubled again: the wavelengths grow twice as fast, up to 10000**2. Shows from d_model of 4 on,
# in every column but the first two.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(0, d_model, 2, dtype=torch.float64)
    angles = t / 10_000 ** (2 * i / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles).float()
    encoding[:, 1::2] = torch.cos(angles).float()
    return encoding

# %% wrong: each column has a speed of its own
# The exponent takes the number of the column: the cosine in column 2i + 1 runs at 10000**(-(2i + 1) / d_model), not at the speed of the sine
# beside it. All odd columns are wrong after position 0.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * 10_000.0 ** (-column / d_model)
    even = column % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()

# %% wrong: the angles are added up step by step
# A running sum in float32: every step adds its rounding, and at position 10,000 the angle is off by more than a thousandth. The first
# hundred positions are right.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("an even number of features, please")
    speeds = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)])
    angle, rows = torch.zeros(d_model // 2), []
    for _ in range(length):
        rows.append(torch.stack([torch.sin(angle), torch.cos(angle)], dim=1).flatten())
        angle = angle + speeds
    return torch.stack(rows)

# %% wrong: float64 for the sake of the far positions comes back as float64
# The numbers are right to many digits, but the docstring promises float32. Shows in the dtype at every size, and it makes every model it is
# added to float64.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float64)
    speeds = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.outer(t, speeds)
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(length, d_model)

# %% correct: points on the unit circle

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"sine and cosine come in pairs, d_model is {d_model}")
    slow = [10_000 ** (2 * i / d_model) for i in range(d_model // 2)]
    angles = torch.tensor([[t / by for by in slow] for t in range(length)], dtype=torch.float64)
    hands = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    return torch.view_as_real(hands).flip(-1).reshape(length, d_model).to(torch.float32)

# %% correct: a cosine is a sine a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, not {d_model}")
    pair = torch.arange(d_model, dtype=torch.float64).div(2, rounding_mode="floor")
    ahead = (torch.arange(d_model) % 2) * (math.pi / 2)
    speed = torch.exp(-2 * pair / d_model * math.log(10_000))
    phase = torch.arange(length, dtype=torch.float64).unsqueeze(1) * speed + ahead
    return phase.sin().float()
