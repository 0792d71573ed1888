# %% wrong: all sines first
# The sines fill the first half of the features and the cosines the second: not interleaved. Shows for every
# d_model above 2.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = t / 10_000 ** (2 * i / d_model)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1).float()


# %% wrong: the two counted twice
# The range already goes in steps of two, and its numbers are doubled once more: the speeds fall twice as
# fast. The first clock is right, so d_model 2 is; shows for every d_model above 2.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    encoding = torch.zeros(length, d_model)
    position = torch.arange(length).unsqueeze(1)
    i = torch.arange(0, d_model, 2)
    angle = position / 10_000 ** (2 * i / d_model)
    encoding[:, 0::2] = torch.sin(angle)
    encoding[:, 1::2] = torch.cos(angle)
    return encoding


# %% wrong: the tutorial's lines for odd widths
# An odd d_model raises nothing: the last sine has no cosine and stands alone.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe


# %% wrong: left in float64
# Computes in double precision, and returns it so: the docstring promises float32. Shows for every input.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("sine and cosine come in pairs: d_model must be even")
    speeds = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float64)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(length, d_model)


# %% correct: hands as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError(f"an odd d_model has a sine without a cosine: {d_model}")
    speeds = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]  # 10000 ** (-i / (D / 2))
    angles = speeds * torch.arange(length, dtype=torch.float64)[:, None]
    hands = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    return torch.view_as_real(hands).flip(2).reshape(length, d_model).to(torch.float32)


# %% correct: the table doubled by turning it

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    table = torch.tensor([[0.0, 1.0] * (d_model // 2)], dtype=torch.float64)  # position 0
    while len(table) < length:  # positions n to 2n - 1 are 0 to n - 1, every hand turned by n steps
        by = [len(table) / 10_000 ** (2 * i / d_model) for i in range(d_model // 2)]
        sin_by = torch.tensor([math.sin(angle) for angle in by], dtype=torch.float64)
        cos_by = torch.tensor([math.cos(angle) for angle in by], dtype=torch.float64)
        sine, cosine = table[:, 0::2], table[:, 1::2]
        turned = torch.empty_like(table)
        turned[:, 0::2] = sine * cos_by + cosine * sin_by
        turned[:, 1::2] = cosine * cos_by - sine * sin_by
        table = torch.cat([table, turned])
    return table[:length].float()
