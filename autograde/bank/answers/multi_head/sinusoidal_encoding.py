# %% wrong: all sines first, then all cosines
# The cosines stand in the second half. Some libraries do that; here sine and cosine of one speed stand side by side.
# Put them on an axis of their own before you flatten.

# --- before
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # interleaved
# --- after
    return torch.cat([angles.sin(), angles.cos()], dim=1)  # interleaved

# %% wrong: the exponent is i / D
# The clocks slow down too little from pair to pair: the exponent is 2i / D with i counting pairs, so it goes nearly up
# to one.

# --- before
    angles = positions / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
# --- after
    angles = positions / 10_000 ** (torch.arange(d_model // 2) / d_model)

# %% wrong: sine and cosine are exchanged
# The cosine stands first in each pair. The even columns are sines: position 0 begins with 0, 1, 0, 1.

# --- before
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # interleaved
# --- after
    return torch.stack([angles.cos(), angles.sin()], dim=2).flatten(1)  # interleaved

# %% wrong: positions count from one
# Every row is the next position's. The first position is 0, and its row is 0, 1, 0, 1 and so on.

# --- before
    positions = torch.arange(length).unsqueeze(1)
# --- after
    positions = torch.arange(1, length + 1).unsqueeze(1)

# %% wrong: the angle is multiplied instead of divided
# The later clocks turn thousands of times in a step. The power of 10,000 divides the position.

# --- before
    angles = positions / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
# --- after
    angles = positions * 10_000 ** (torch.arange(0, d_model, 2) / d_model)

# %% wrong: features by positions
# Positions lie along the second axis. A row is a position: (length, d_model).

# --- before
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # interleaved
# --- after
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).T  # interleaved

# %% wrong: an odd width is let through
# An odd width is let through. The docstring asks for an error there.

# --- before
    if d_model % 2:
# --- after
    if False:

# %% wrong: sines and cosines are cut up in the wrong order
# Sines and cosines were stacked along a new first axis and then cut into rows, so a row holds several positions. The
# new axis must come last, after the pairs.

# --- before
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # interleaved
# --- after
    return torch.stack([angles.sin(), angles.cos()], dim=0).reshape(length, -1)  # interleaved

# %% wrong: a table of five thousand rows
# A table for 5,000 positions was cut to the length, so more than 5,000 never come back. Make as many as are asked for.

# --- before
    positions = torch.arange(length).unsqueeze(1)
# --- after
    positions = torch.arange(5000)[:length].unsqueeze(1)

# %% correct: the loop
def sinusoidal_encoding(length, d_model):
    import math
    if d_model % 2 == 1:
        raise ValueError("an even width is needed")
    rows = [
        [f(t / 10000 ** (2 * i / d_model)) for i in range(d_model // 2) for f in (math.sin, math.cos)]
        for t in range(length)
    ]
    return torch.tensor(rows)

# %% correct: every other column filled in, exponential of a logarithm
def sinusoidal_encoding(length, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"{d_model} is odd")
    import math
    position = torch.arange(length).unsqueeze(1).float()
    speed = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    out = torch.zeros(length, d_model)
    out[:, 0::2] = torch.sin(position * speed)
    out[:, 1::2] = torch.cos(position * speed)
    return out

# %% correct: in double precision, an outer product
def sinusoidal_encoding(length, d_model):
    if d_model & 1:
        raise ValueError(d_model)
    speeds = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    return torch.stack((angles.sin(), angles.cos()), -1).reshape(length, d_model).float()

# %% correct: a cosine is a sine a quarter turn on
def sinusoidal_encoding(length, d_model):
    if d_model % 2:
        raise ValueError("odd")
    j = torch.arange(d_model)
    angles = torch.arange(length)[:, None] / 10_000 ** ((j - j % 2) / d_model)
    return torch.sin(angles.double() + (j % 2) * torch.pi / 2).float()

# %% correct: complex numbers on the unit circle
def sinusoidal_encoding(length, d_model):
    if d_model % 2:
        raise ValueError("odd")
    angles = torch.arange(length).unsqueeze(1) / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    hands = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(hands).flip(-1).reshape(length, d_model)
