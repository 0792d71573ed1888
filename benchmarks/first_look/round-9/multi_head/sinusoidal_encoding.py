# %% wrong: stacked along the wrong axis
# sin and cos are meant to be interleaved, but the stack is along dim 1, so that a row holds all the sines and
# then all the cosines. Shows for every d_model > 2.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    i = torch.arange(d_model // 2, dtype=torch.float32)
    angle = t / 10_000 ** (2 * i / d_model)
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=1).reshape(length, d_model)


# %% wrong: speeds from 1 to 1/10000, ends included
# logspace puts the last speed at 1/10000 itself, where the formula stops one step before.
# Shows for every d_model > 2: with d_model = 4 the second clock has 1/10000 and not 1/100.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = torch.logspace(0, -4, d_model // 2)
    angles = torch.outer(torch.arange(length).float(), speeds)
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding


# %% wrong: i // 2 once too often
# 2 * (i // 2) belongs to an i that counts features; here i counts pairs already, so that two neighbouring pairs
# share a speed. Shows for every d_model > 2 (and length > 1).

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("odd d_model")
    position = torch.arange(length).unsqueeze(1)
    i = torch.arange(d_model // 2)
    angle_rates = 1 / torch.pow(10_000.0, (2 * (i // 2)) / d_model)
    angle_rads = position * angle_rates
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = torch.sin(angle_rads)
    pe[:, 1::2] = torch.cos(angle_rads)
    return pe


# %% wrong: an odd width is cut to fit
# The usual repair for an odd d_model, one cosine less than sines, where ValueError is promised.
# Shows for d_model = 5: a tensor comes back.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)[:, : d_model // 2]
    return pe


# %% correct: a cosine is a sine a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"sines and cosines come in pairs, got d_model {d_model}")
    feature = torch.arange(d_model)
    odd = feature.remainder(2)
    exponent = (feature - odd).double() / d_model
    turn = torch.arange(length, dtype=torch.float64)[:, None] * torch.pow(1e-4, exponent)
    return torch.sin(turn + odd.double() * (math.pi / 2)).to(torch.float32)


# %% correct: the table doubled by the angle sum formulas

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("d_model must be even")
    speeds = [math.exp(-math.log(10_000) * 2 * i / d_model) for i in range(d_model // 2)]
    s = torch.zeros(1, len(speeds), dtype=torch.float64)  # position 0
    c = torch.ones(1, len(speeds), dtype=torch.float64)
    while len(s) < length:
        ahead = len(s)  # every hand goes on by this many positions
        sin_b = torch.tensor([math.sin(ahead * speed) for speed in speeds], dtype=torch.float64)
        cos_b = torch.tensor([math.cos(ahead * speed) for speed in speeds], dtype=torch.float64)
        s, c = torch.cat([s, s * cos_b + c * sin_b]), torch.cat([c, c * cos_b - s * sin_b])
    return torch.stack([s[:length], c[:length]], dim=2).flatten(1).float()
