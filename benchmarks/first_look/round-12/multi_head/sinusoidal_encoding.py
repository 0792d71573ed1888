# %% wrong: all the sines first
# Sines in the first half of the features, cosines in the second, as some libraries have it. It shows for every d_model
# above 2.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    angles = t / 10_000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


# %% wrong: the exponent without its two
# Divides by 10000^(i / d_model) and not 10000^(2i / d_model): the clocks are too fast, all but the first. It shows for every
# d_model above 2 from position 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = t / 10_000 ** (i / d_model)
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding


# %% wrong: an odd width is cut to fit
# For an odd d_model the last cosine is left out and a result returned, where a ValueError is promised.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    angles = t / 10_000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()[:, : d_model // 2]
    return encoding


# %% wrong: each angle from the one before
# Adds the speeds to the last angles, in float32. The rounding adds up: at position 10,000 the fast clocks are wrong by far
# more than a thousandth.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles, rows = torch.zeros(d_model // 2), []
    for _ in range(length):
        rows.append(torch.stack([angles.sin(), angles.cos()], dim=1).flatten())
        angles = angles + speeds
    return torch.stack(rows)


# %% correct: hands on the complex plane

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    clocks, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"sines and cosines come in pairs, so d_model={d_model} cannot be")
    speeds = torch.logspace(0, -4 * (clocks - 1) / clocks, clocks, dtype=torch.float64)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    hands = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    return torch.view_as_real(hands).flip(2).reshape(length, d_model).to(torch.float32)


# %% correct: a cosine is a sine a quarter turn on

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("an even width, please")
    feature = torch.arange(d_model, dtype=torch.float64)
    quarter = torch.remainder(feature, 2)  # 0 for a sine, 1 for a cosine
    speed = torch.exp(-(feature - quarter) / d_model * math.log(10_000))
    place = torch.arange(length, dtype=torch.float64)
    return (place[:, None] * speed + quarter * (math.pi / 2)).sin().float()
