# %% wrong: speeds from 1 to 1/10000, both ends included
# As in an early library of the authors: linspace spreads the d_model / 2 speeds so that the last is exactly 1/10000,
# instead of 10000 ** (-(d_model - 2) / d_model). Shows for every d_model above 2, from position 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speeds = 10_000.0 ** -torch.linspace(0, 1, d_model // 2, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()


# %% wrong: every feature has a speed of its own
# The number of the feature stands in the exponent, also for the odd ones: the cosine of pair i turns with the speed of
# 2i + 1, not of 2i. Shows for position 1 and every even d_model, in the odd columns.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, not {d_model}")
    feature = torch.arange(d_model, dtype=torch.float64)
    angles = torch.arange(length).unsqueeze(1) / 10_000 ** (feature / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles[:, 0::2])
    encoding[:, 1::2] = torch.cos(angles[:, 1::2])
    return encoding


# %% wrong: angles brought below one turn with 3.1416
# To keep large angles exact each is reduced to one turn first, with too short a pi: after 1,592 turns, at position
# 10,000, the fastest clock is off by 0.02, where a thousandth is allowed.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64)[:, None] / 10_000 ** (2 * i / d_model)
    angles = angles % (2 * 3.1416)
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return encoding


# %% wrong: left in double precision
# The angles are computed in float64 for exactness at far positions, and so is the result: float32 is promised.
# Shows for every input, in the dtype (a float32 model that adds it goes on in float64).

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float64).view(-1, 1, 1)
    i = torch.arange(d_model // 2, dtype=torch.float64).view(1, -1, 1)
    angles = t / 10_000 ** (2 * i / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=2).reshape(length, d_model)


# %% correct: hands as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speed = torch.exp(-math.log(10_000) / d_model * torch.arange(0, d_model, 2, dtype=torch.float64))
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    # i exp(-i a) = sin a + i cos a
    hands = 1j * torch.polar(torch.ones_like(angle), -angle)
    return torch.view_as_real(hands).flatten(1).to(torch.float32)


# %% correct: sines alone, a quarter turn ahead in every second column

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError(f"an odd number of features, {d_model}")
    columns = []
    t = torch.arange(length, dtype=torch.double)
    for feature in range(d_model):
        pair, is_cosine = divmod(feature, 2)
        angle = t * 10_000.0 ** (-2 * pair / d_model)
        columns.append(torch.sin(angle + is_cosine * math.pi / 2))
    return torch.stack(columns, dim=1).float()
