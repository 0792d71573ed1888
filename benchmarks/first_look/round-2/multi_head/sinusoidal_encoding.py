# %% wrong: a speed for every column
# Column j runs at 10000^(-j / d_model): the cosine of a pair has another speed than its sine, and no rotation is left. A good message: "columns 2i and 2i + 1 share a speed; column 1 must be cos(t), it is cos(t / 10000^(1 / d))".

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    column = torch.arange(d_model)
    angle = torch.arange(length).unsqueeze(1) / 10000 ** (column / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())

# %% wrong: i where the formula has 2i
# i counts the pairs, 0 .. d / 2 - 1, and the exponent is i / d_model: the slowest clock runs at a hundredth, not at a ten-thousandth. A good message: "column 2 turns by 10000^(-1/d) a step and should by 10000^(-2/d)".

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 == 1:
        raise ValueError(f"d_model must be even, got {d_model}")
    i = torch.arange(d_model // 2, dtype=torch.float32)
    t = torch.arange(length, dtype=torch.float32)
    angles = torch.outer(t, 10000 ** (-i / d_model))
    encoding = torch.empty(length, d_model)
    encoding[:, ::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return encoding

# %% wrong: exact, and left in float64; odd widths go through
# Made in float64 for accuracy and never brought back; and an odd d_model loses a column silently instead of raising ValueError. A good message: "dtype float64, promised float32" and "d_model = 5: expected ValueError, got shape (T, 4)".

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * 10000.0 ** (-2 * i / d_model)
    return torch.stack((torch.sin(angle), torch.cos(angle)), dim=2).view(length, 2 * (d_model // 2))

# %% correct: hands of clocks as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError(f"sines and cosines come in pairs, d_model = {d_model} is odd")
    speeds = torch.pow(1e4, -torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(length, dtype=torch.float64).outer(speeds)
    hands = torch.polar(torch.ones_like(angles), math.pi / 2 - angles)  # real part sin, imaginary part cos
    return torch.view_as_real(hands).reshape(length, d_model).float()

# %% correct: a cosine is a sine, a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError("odd d_model")
    columns = []
    for j in range(d_model):
        speed = math.exp(-math.log(10000.0) * (j - j % 2) / d_model)
        columns.append(torch.sin(torch.arange(length, dtype=torch.float64) * speed + (j % 2) * math.pi / 2))
    return torch.stack(columns, dim=1).to(torch.float32)
