# %% wrong: a table of five thousand rows
# As in the well-known tutorial a table for 5,000 positions is made and cut to length: who asks for more rows gets 5,000,
# without an error.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    max_len = 5000
    position = torch.arange(max_len).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(max_len, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe[:length]


# %% wrong: the speeds of another library
# The wavelengths go up to 10000 itself, since the exponent is divided by D / 2 - 1, as another implementation has it:
# all clocks but the first are too slow, and for D = 2 it divides by zero.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    clocks = d_model // 2
    step = math.log(10_000) / (clocks - 1)
    speeds = torch.exp(-step * torch.arange(clocks, dtype=torch.float32))
    angles = torch.arange(length, dtype=torch.float32).unsqueeze(1) * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


# %% wrong: each feature has a speed of its own
# The exponent is made of the feature's own number: right for the sines, but the cosine of a pair turns more slowly than
# its sine, with 2i + 1 in place of 2i.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    features = torch.arange(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10_000 ** (features / d_model)
    return torch.where(features % 2 == 0, torch.sin(angles), torch.cos(angles))


# %% wrong: twice as precise as asked for
# For exact angles everything is computed in float64 and returned so: float32 was promised, and a model that adds it to
# its embeddings goes on in float64.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError(f"an even d_model is needed, not {d_model}")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = t / 10_000 ** (2 * i / d_model)
    encoding = torch.empty(length, d_model, dtype=torch.float64)
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return encoding


# %% wrong: an odd width gets a sine more
# An odd d_model is made to work with one cosine fewer than sines, as one finds it on the net; a ValueError was promised.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    encoding = torch.zeros(length, d_model)
    position = torch.arange(length).unsqueeze(1)
    speed = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    encoding[:, 0::2] = torch.sin(position * speed)
    encoding[:, 1::2] = torch.cos(position * speed[: d_model // 2])
    return encoding


# %% correct: complex numbers on the unit circle

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    clocks, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"every clock needs two features, and {d_model} is odd")
    speeds = torch.pow(10_000.0, -torch.arange(clocks, dtype=torch.float64) / max(clocks, 1))
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    hands = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_real(hands).flip(2)  # (length, clocks, 2): sine, then cosine
    return pairs.reshape(length, d_model).float()


# %% correct: the table doubled by turning it on

def _turned(sines: Tensor, cosines: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    s, c = angles.sin(), angles.cos()
    return sines * c + cosines * s, cosines * c - sines * s


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("d_model is odd")
    speeds = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float64)
    sines, cosines = torch.zeros(1, len(speeds)).double(), torch.ones(1, len(speeds)).double()
    while len(sines) < length:
        more_sines, more_cosines = _turned(sines, cosines, len(sines) * speeds)
        sines, cosines = torch.cat([sines, more_sines]), torch.cat([cosines, more_cosines])
    columns = [wave[:length, i] for i in range(len(speeds)) for wave in (sines, cosines)]
    if not columns:
        return torch.zeros(length, 0)
    return torch.stack(columns, dim=1).to(torch.float32)
