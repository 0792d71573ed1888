# %% wrong: all the sines first
# Sines fill the first half of the features and cosines the second; the docstring interleaves them.
# Hint: which function stands in column 1 of the docstring?

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    positions = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = positions * speeds
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


# %% wrong: odd widths pass
# There is no ValueError: with an odd d_model a table with one sine more than cosines comes back.
# Hint: what does your function do with d_model = 5, and what does the docstring say?

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = torch.arange(length).float().unsqueeze(1)
    angles = position / 10_000 ** (torch.arange(0, d_model, 2).float() / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles)
    encoding[:, 1::2] = torch.cos(angles[:, : d_model // 2])
    return encoding


# %% wrong: speeds spread to the very end
# The exponent is i / (D/2 - 1), as some libraries have it, so that the slowest clock has speed 1/10000 exactly; the docstring has
# 2i / d_model. Hint: compute the second speed for D = 4 by hand.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    half = d_model // 2
    speeds = torch.exp(-math.log(10_000) / max(half - 1, 1) * torch.arange(half))
    angles = torch.arange(length).unsqueeze(1) * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


# %% wrong: float64 comes back
# The numbers are right and in double precision; the docstring promises float32, and added to a float32 stream they make it float64.
# Hint: print the dtype of what you return.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = t / 10_000 ** (2 * i / d_model)
    encoding = torch.empty(length, d_model, dtype=torch.float64)
    encoding[:, ::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding


# %% correct: hands as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    clocks, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(clocks)], dtype=torch.float64)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    hands = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    return torch.view_as_real(hands).flip(-1).flatten(1).float()


# %% correct: only sines, every second a quarter ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("sines and cosines come in pairs")
    feature = torch.arange(d_model)
    pair = torch.div(feature, 2, rounding_mode="floor").double()
    wavelength = torch.pow(torch.tensor(10_000.0, dtype=torch.float64), 2 * pair / d_model)
    quarter = (feature % 2).double() * (math.pi / 2)
    return torch.sin(torch.arange(length).double()[:, None] / wavelength + quarter).to(torch.float32)
