# %% wrong: each column with an exponent of its own
# The cosine in column 2i + 1 gets the exponent (2i + 1) / d_model, so the two of a pair turn at different speeds. All cosines are wrong from
# position 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    column = torch.arange(d_model, dtype=torch.float64)
    angle = position / 10_000 ** (column / d_model)
    angle[:, 0::2] = torch.sin(angle[:, 0::2])
    angle[:, 1::2] = torch.cos(angle[:, 1::2])
    return angle.float()


# %% wrong: the speeds go all the way to 1 / 10000
# linspace includes its end: the exponents are i / (D / 2 - 1), as in some libraries, instead of 2i / D. Only the first pair is right (and
# d_model = 2).

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    exponents = torch.linspace(0, 1, d_model // 2, dtype=torch.float64)
    angle = torch.arange(length, dtype=torch.float64).outer(10_000.0**-exponents)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1).float()


# %% wrong: angles by a running sum
# Each angle is the one before it plus the speed, in float32. The rounding adds up: at position 10,000 the numbers are off by far more than a
# thousandth, at a hundred nothing shows.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    speed = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    encoding = torch.empty(length, d_model)
    angle = torch.zeros(d_model // 2)
    for t in range(length):
        encoding[t, 0::2], encoding[t, 1::2] = angle.sin(), angle.cos()
        angle = angle + speed
    return encoding


# %% wrong: left in float64
# The numbers are right, but the docstring promises float32: added to a float32 embedding, they turn the whole stream into float64.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"an even d_model is needed, got {d_model}")
    t = torch.arange(length, dtype=torch.float64)[:, None]
    i = torch.arange(d_model // 2, dtype=torch.float64)
    encoding = torch.zeros(length, d_model, dtype=torch.float64)
    encoding[:, 0::2] = torch.sin(t / 10_000 ** (2 * i / d_model))
    encoding[:, 1::2] = torch.cos(t / 10_000 ** (2 * i / d_model))
    return encoding


# %% correct: hands on the unit circle, as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pairs, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"d_model must be even, got {d_model}")
    speed = torch.tensor([10_000.0 ** (-i / pairs) for i in range(pairs)], dtype=torch.float64)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    # sine and cosine of an angle are cosine and sine of what it lacks to a right angle
    hands = torch.polar(torch.ones_like(angle), math.pi / 2 - angle)
    return torch.view_as_real(hands).reshape(length, d_model).to(torch.float32)


# %% correct: all sines, and a quarter turn for every second column

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("sines and cosines come in pairs: d_model must be even")
    rows = []
    for column in range(d_model):
        speed = math.exp(-math.log(10_000) * (column // 2 * 2) / d_model)
        quarter = math.pi / 2 * (column % 2)
        rows.append([math.sin(t * speed + quarter) for t in range(length)])
    return torch.tensor(rows, dtype=torch.float32).reshape(d_model, length).T.contiguous()
