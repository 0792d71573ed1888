# %% wrong: all sines first, then all cosines
# The right numbers in another order of the features; section 5.6 and everyone who reads the pairs side by side goes wrong.
# Hint: print the first row. It should be 0, 1, 0, 1, ...

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    positions = torch.arange(length).unsqueeze(1)
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = positions * speeds
    return torch.cat([angles.sin(), angles.cos()], dim=1)


# %% wrong: each feature has a speed of its own
# The exponent is taken from the feature's number j instead of from its pair: sine and cosine of a pair turn at different
# speeds, and are no longer the hand of one clock.
# Hint: square features 0 and 1 of any row and add them, then features 2 and 3. What should come out?

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    feature = torch.arange(d_model, dtype=torch.float32).unsqueeze(0)
    angles = position / torch.pow(10000.0, feature / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles[:, 0::2])
    encoding[:, 1::2] = torch.cos(angles[:, 1::2])
    return encoding


# %% wrong: the sign of the exponent lost
# The speeds go up from 1 towards 10000 instead of down: all numbers are between -1 and 1, and all clocks but the first
# jump about.
# Hint: how fast should the last clock turn, by the formula? Print your speeds.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError(f"d_model is odd: {d_model}")
    encoding = torch.zeros(length, d_model)
    position = torch.arange(0, length).float().unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (math.log(10_000.0) / d_model))
    encoding[:, 0::2] = torch.sin(position * div_term)
    encoding[:, 1::2] = torch.cos(position * div_term)
    return encoding


# %% wrong: computed and returned in float64
# The angles are computed in double precision, which is a good idea, and the result stays so: whatever it is added to
# becomes float64, and the next layer refuses it.
# Hint: look at the dtype of what you return, and at the docstring.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("an odd d_model has no pairs")
    t = torch.arange(length, dtype=torch.float64)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = torch.outer(t, 10_000 ** (-2 * i / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


# %% wrong: an odd width is accepted
# With an odd d_model the last sine goes without its cosine, and no ValueError is raised.
# Hint: the docstring promises an error in one case. Call your function in that case.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    encoding = torch.zeros(length, d_model)
    t = torch.arange(length).unsqueeze(1).float()
    speed = 10_000.0 ** (-torch.arange(0, d_model, 2).float() / d_model)
    encoding[:, 0::2] = torch.sin(t * speed)
    encoding[:, 1::2] = torch.cos(t * speed)[:, : d_model // 2]
    return encoding


# %% correct: clock hands as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    clocks, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"sines and cosines come in pairs: d_model {d_model} is odd")
    speeds = 10_000.0 ** (-2 * torch.arange(clocks, dtype=torch.float64) / d_model)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * speeds
    hands = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    cos_sin = torch.view_as_real(hands)  # (length, clocks, 2)
    return cos_sin.flip(2).reshape(length, d_model).float()


# %% correct: a cosine is a sine a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError(f"d_model has to be even and is {d_model}")
    speeds, ahead = [], []
    for feature in range(d_model):
        pair, second = divmod(feature, 2)
        speeds.append(10_000 ** (-2 * pair / d_model))
        ahead.append(second * math.pi / 2)
    turned = torch.outer(torch.arange(length, dtype=torch.float64), torch.tensor(speeds, dtype=torch.float64))
    return torch.sin(turned + torch.tensor(ahead, dtype=torch.float64)).to(torch.float32)
