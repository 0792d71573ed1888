# %% wrong: every column has a speed of its own
# The cosine of column 2i + 1 turns with 10000^((2i + 1) / d_model) instead of sharing the speed of column 2i. Shows in
# every odd column from position 1 on.

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("d_model must be even")
    position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    column = torch.arange(d_model, dtype=torch.float32)
    angles = position / 10_000 ** (column / d_model)
    encoding = torch.zeros(length, d_model, dtype=torch.float32)
    encoding[:, 0::2] = torch.sin(angles[:, 0::2])
    encoding[:, 1::2] = torch.cos(angles[:, 1::2])
    return encoding


# %% wrong: an odd width is mended instead of refused
# For odd d_model the last cosine is left out, and no ValueError is raised: d_model = 7 gives (length, 7).

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float32)[:, None]
    speed = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float32) * (-math.log(10_000.0) / d_model))
    encoding = torch.zeros(length, d_model, dtype=torch.float32)
    encoding[:, 0::2] = torch.sin(position * speed)
    encoding[:, 1::2] = torch.cos(position * speed[: d_model // 2])
    return encoding


# %% wrong: by numpy, and so float64
# numpy computes in float64 and from_numpy keeps that: the result is promised in float32. Shows at every size.

import numpy as np


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    angles = np.arange(length)[:, None] / np.power(10_000, np.arange(0, d_model, 2) / d_model)[None, :]
    encoding = np.zeros((length, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return torch.from_numpy(encoding)


# %% wrong: a cache that forgets how long it is
# The table is kept by d_model alone: after sinusoidal_encoding(5, 8) the call sinusoidal_encoding(9, 8) gives 5 rows
# instead of 9. Right at the first call for each width, and for shorter ones later.

encodings_made = {}


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError("an odd d_model has no pairs")
    if d_model not in encodings_made:
        speeds = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
        angles = torch.arange(length, dtype=torch.float32).unsqueeze(1) * speeds
        encodings_made[d_model] = torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)
    return encodings_made[d_model][:length].clone()


# %% correct: the hands of the clocks as complex numbers

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speed = torch.pow(10_000.0, -torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    hands = torch.polar(torch.ones_like(angle), angle)  # cos + i sin
    return torch.view_as_real(hands).flip(2).reshape(length, d_model).to(torch.float32)


# %% correct: a cosine is a sine a quarter turn ahead

def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    if d_model & 1:
        raise ValueError("sines and cosines come in pairs: d_model must be even")
    rows = []
    for t in range(length):
        row = []
        for f in range(d_model):
            angle = t * math.exp(-math.log(10_000) * (f - f % 2) / d_model)
            row.append(math.sin(angle + math.pi / 2 * (f % 2)))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32).reshape(length, d_model)
