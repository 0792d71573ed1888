# %% wrong: the two of 2i taken twice
# arange(0, d_model, 2) is already 2i; it is doubled once more, so every clock but the first is too slow.
# Shows from d_model = 4 on: at t = 1 feature 2 is sin(1 / 10000) instead of sin(1 / 100).

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    i = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle = t / 10_000 ** (2 * i / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angle)
    encoding[:, 1::2] = torch.cos(angle)
    return encoding

# %% wrong: float64 is returned
# Computed in float64 for the far positions, and never brought back to float32, for any input.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.arange(length, dtype=torch.float64)
    speed = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angle = torch.outer(t, speed)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)

# %% wrong: each angle from the one before
# The angles are added up position by position in float32, and the rounding with them: by position 10,000
# the numbers are off by far more than a thousandth.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speed = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float32)
    angle, rows = torch.zeros_like(speed), []
    for _ in range(length):
        rows.append(torch.stack([angle.sin(), angle.cos()], dim=1).flatten())
        angle = angle + speed
    return torch.stack(rows)

# %% wrong: an odd width is made to fit
# As many libraries do it: one sine more than cosines where d_model is odd. The docstring promises a
# ValueError for d_model = 5.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    speed = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10_000.0) / d_model))
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(t * speed).float()
    encoding[:, 1::2] = torch.cos(t * speed[: d_model // 2]).float()
    return encoding

# %% correct: hands of clocks as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    half, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"d_model must be even, got {d_model}")
    slow = torch.arange(half, dtype=torch.float64) * (2 * math.log(10_000) / d_model)
    angle = torch.arange(length, dtype=torch.float64).unsqueeze(1) * torch.exp(-slow)
    # a hand at a quarter turn minus the angle: its real part is the sine, its imaginary part the cosine
    hands = torch.polar(torch.ones_like(angle), math.pi / 2 - angle)
    return torch.view_as_real(hands).reshape(length, d_model).to(torch.float32)

# %% correct: only sines, every second one a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("an odd number of features leaves a sine without its cosine")
    column = torch.arange(d_model)
    parity = column % 2
    wavelength = torch.pow(torch.tensor(10_000.0, dtype=torch.float64), (column - parity).double() / d_model)
    angle = torch.arange(length).double()[:, None] / wavelength + parity * (math.pi / 2)
    return angle.sin().float()
