# %% wrong: all the sines first
# Sines in the first half, cosines in the second, as some libraries have it; the docstring interleaves them. Shows for
# every d_model above 2.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    t = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    speed = 10_000 ** (-2 * torch.arange(d_model // 2) / d_model)
    angle = t * speed
    return torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)


# %% wrong: the exponent without the two
# i runs from 0 to d_model / 2 - 1 and the exponent is i / d_model, not 2i / d_model: every clock but the first turns
# too fast. Shows for d_model of 4 and more.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    position = torch.arange(length).unsqueeze(1)
    i = torch.arange(d_model // 2)
    angle = position / 10_000 ** (i / d_model)
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angle)
    encoding[:, 1::2] = torch.cos(angle)
    return encoding


# %% wrong: every column its own speed
# The exponent is the column's number over d_model, so the cosine in column 2i + 1 turns at 10000^(-(2i + 1) / d_model)
# and not at the speed of its sine. Shows in the odd columns from position 1 on, for every d_model.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError("odd d_model")
    position = torch.arange(length, dtype=torch.float).view(-1, 1)
    column = torch.arange(d_model, dtype=torch.float).view(1, -1)
    angle = position / torch.pow(torch.tensor(10_000.0), column / d_model)
    encoding = torch.empty(length, d_model)
    encoding[:, ::2] = angle[:, ::2].sin()
    encoding[:, 1::2] = angle[:, 1::2].cos()
    return encoding


# %% wrong: an odd width gets a cosine less
# For an odd d_model the last sine stays without its cosine and a tensor comes back, where the docstring promises a
# ValueError.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    speed = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10_000.0) / d_model))
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(position * speed)
    encoding[:, 1::2] = torch.cos(position * speed)[:, : d_model // 2]
    return encoding


# %% correct: hands in the complex plane

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    clocks, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"an odd number of features, {d_model}, is no number of pairs")
    speed = torch.logspace(0, -4, clocks + 1, dtype=torch.float64)[:-1]  # 10000 ** (-i / clocks)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    hand = torch.polar(torch.ones_like(angle), angle)  # cos + i sin
    return torch.view_as_real(hand).flip(-1).flatten(1).to(torch.float32)


# %% correct: nothing but sines, every other one a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model)
    ahead = (column % 2).double() * (math.pi / 2)
    pair = (column - column % 2).double() / d_model
    turns = torch.arange(length).double().unsqueeze(1) * torch.full_like(pair, 10_000).pow(pair).reciprocal()
    return torch.sin(turns + ahead).float()
