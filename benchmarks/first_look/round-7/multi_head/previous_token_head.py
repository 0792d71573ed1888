# %% wrong: turned the other way
# The signs of the sines are exchanged, so W_Q takes e(t) to e(t + 1): the head looks at the next token. Shows for
# every gain but zero at every t.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        W_Q[2 * i, 2 * i], W_Q[2 * i, 2 * i + 1] = math.cos(b), math.sin(b)
        W_Q[2 * i + 1, 2 * i], W_Q[2 * i + 1, 2 * i + 1] = -math.sin(b), math.cos(b)
    return gain * W_Q, torch.eye(d_model)


# %% wrong: the gain on both sides
# Queries and keys are both multiplied by the gain, so the score is gain squared times e(t - 1) . e(s): right for a
# gain of 1 (and 0) alone.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    blocks = []
    for i in range(d_model // 2):
        omega = 1 / 10_000 ** (2 * i / d_model)
        c, s = math.cos(omega), math.sin(omega)
        blocks.append(torch.tensor([[c, -s], [s, c]]))
    rotation = torch.block_diag(*blocks)
    W_Q = gain * rotation
    W_K = gain * torch.eye(d_model)
    return W_Q, W_K


# %% wrong: makes up for the root
# The docstring speaks of the score before it is divided by sqrt(d_model); here the gain is multiplied by that root
# beforehand. Every score is sqrt(d_model) times too large.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model is odd")
    speed = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    even = torch.arange(0, d_model, 2)
    W_Q = torch.zeros(d_model, d_model)
    W_Q[even, even] = torch.cos(speed).float()
    W_Q[even + 1, even + 1] = torch.cos(speed).float()
    W_Q[even, even + 1] = -torch.sin(speed).float()
    W_Q[even + 1, even] = torch.sin(speed).float()
    return gain * math.sqrt(d_model) * W_Q, torch.eye(d_model)


# %% wrong: fitted to one length, with the last before the first
# The map is fitted by least squares to torch.roll, in which position 0 has the last position before it and not e(-1).
# The fit is no rotation any more: the scores are off at all t, most at the ends.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    encoding = sinusoidal_encoding(4 * d_model, d_model).double()  # raises ValueError where d_model is odd
    before = encoding.roll(1, dims=0)
    solution = torch.linalg.pinv(encoding, rcond=1e-6) @ before  # encoding @ solution = before
    W_Q = gain * solution.T
    W_K = torch.eye(d_model)
    return W_Q.float(), W_K


# %% correct: the queries stay, the keys turn on

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    clocks, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"d_model must be even, got {d_model}")
    # e(t - 1) . e(s) = e(t) . e(s + 1): nobody has to turn back where the keys turn forwards
    step = torch.polar(
        torch.full((clocks,), float(gain), dtype=torch.float64),
        torch.tensor([10_000.0 ** (-i / clocks) for i in range(clocks)], dtype=torch.float64),
    )
    forwards = torch.zeros(clocks, 2, clocks, 2, dtype=torch.float64)
    i = torch.arange(clocks)
    forwards[i, 0, i, 0] = forwards[i, 1, i, 1] = step.real
    forwards[i, 0, i, 1] = step.imag
    forwards[i, 1, i, 0] = -step.imag
    return torch.eye(d_model), forwards.view(d_model, d_model).float()


# %% correct: half a turn back and half a turn on, by a matrix exponential

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError("sine and cosine come in pairs: d_model must be even")
    speed = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    above = torch.zeros(d_model - 1, dtype=torch.float64)
    above[::2] = speed / 2
    generator = torch.diag(above, 1) - torch.diag(above, -1)  # sin -> +cos, cos -> -sin: half a position forwards
    W_Q = torch.matrix_exp(-generator)
    W_K = gain * torch.matrix_exp(generator)
    return W_Q.float(), W_K.float()
