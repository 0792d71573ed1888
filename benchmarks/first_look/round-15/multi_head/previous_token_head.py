# %% wrong: the gain on both sides
# W_Q and W_K are each multiplied by the gain, so the scores are by its square. With a gain of 1 it is right, with 50 the
# scores are fifty times too large.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    turn = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        turn[2 * i, 2 * i], turn[2 * i, 2 * i + 1] = math.cos(b), -math.sin(b)
        turn[2 * i + 1, 2 * i], turn[2 * i + 1, 2 * i + 1] = math.sin(b), math.cos(b)
    return gain * turn, gain * torch.eye(d_model)

# %% wrong: sines in the first half, cosines in the second
# The matrix is built of four diagonal blocks, for an encoding with all its sines first. Here the two of one speed stand side by side: only with
# d_model 2 is that the same.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    b = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    cos, sin = torch.diag(b.cos()), torch.diag(b.sin())
    upper, lower = torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)
    W_Q = gain * torch.cat([upper, lower]).float()
    return W_Q, torch.eye(d_model)

# %% wrong: fitted to sixteen positions
# The map from each row to the one before is found by least squares on the first sixteen positions. Where the features outnumber what sixteen
# rows can show, the fit goes wrong further on: at d_model 64 and position 200 the scores are far off.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    rows = sinusoidal_encoding(17, d_model)
    fitted = torch.linalg.pinv(rows[1:]) @ rows[:-1]  # rows[1:] @ fitted is nearly rows[:-1]
    return gain * fitted.T, torch.eye(d_model)

# %% wrong: an odd width passes unnoticed
# The blocks are made for d_model // 2 clocks. An odd d_model raises nothing: the matrices come back one narrower.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    blocks = []
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]))
    W_Q = gain * torch.block_diag(*blocks)
    return W_Q, torch.eye(len(W_Q))

# %% correct: both sides turn by half a step

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"clocks have two features each, d_model is {d_model}")
    W_Q, W_K = torch.zeros(2, d_model, d_model, dtype=torch.float64)
    for first in range(0, d_model, 2):
        half = 0.5 * 10_000 ** (-first / d_model)
        cos, sin = math.sqrt(gain) * math.cos(half), math.sqrt(gain) * math.sin(half)
        own = slice(first, first + 2)
        W_Q[own, own] = torch.tensor([[cos, -sin], [sin, cos]], dtype=torch.float64)  # back
        W_K[own, own] = torch.tensor([[cos, sin], [-sin, cos]], dtype=torch.float64)  # on
    return W_Q.float(), W_K.float()

# %% correct: the rotation as a matrix exponential, on the keys

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speeds = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10_000) / d_model))
    between = torch.zeros(d_model - 1, dtype=torch.float64)
    between[::2] = speeds  # joins the two features of each clock
    on = torch.linalg.matrix_exp(torch.diag(between, 1) - torch.diag(between, -1))
    # e(t - 1) . e(s) = e(t) . e(s + 1)
    return torch.eye(d_model) * gain, on.to(torch.float32)
