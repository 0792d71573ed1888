# %% wrong: turned the other way
# The sign of the sine is exchanged, so queries are e(t + 1): the head looks at the next token. Shows at
# every width and position.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        W_Q[2 * i, 2 * i], W_Q[2 * i, 2 * i + 1] = math.cos(b), math.sin(b)
        W_Q[2 * i + 1, 2 * i], W_Q[2 * i + 1, 2 * i + 1] = -math.sin(b), math.cos(b)
    return gain * W_Q, torch.eye(d_model)

# %% wrong: the root of d_model is put in
# The scores are made sqrt(d_model) times too large, to outweigh the division that comes later. The docstring
# says "not yet divided": gain * e(t - 1) . e(s). Shows at every width.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    blocks = []
    for i in range(d_model // 2):
        b = 1 / 10_000 ** (2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]))
    return gain * math.sqrt(d_model) * torch.block_diag(*blocks), torch.eye(d_model)

# %% wrong: the clocks at the wrong speed
# i / d_model in the exponent instead of 2i / d_model: only the first clock is turned by its own angle.
# Right at d_model = 2, wrong from 4 on.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    i = torch.arange(d_model // 2)
    b = 10_000.0 ** (-i / d_model)
    W_Q = torch.zeros(d_model, d_model)
    W_Q[2 * i, 2 * i] = b.cos()
    W_Q[2 * i, 2 * i + 1] = -b.sin()
    W_Q[2 * i + 1, 2 * i] = b.sin()
    W_Q[2 * i + 1, 2 * i + 1] = b.cos()
    return gain * W_Q, torch.eye(d_model)

# %% wrong: fitted to the first sixteen positions
# Least squares finds a matrix that takes e(t) to e(t - 1) on the positions that it saw. At d_model = 8 and wider
# it is not the rotation: scores at hundreds of positions are far off.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    encoding = sinusoidal_encoding(16, d_model)
    turn = torch.linalg.lstsq(encoding[1:], encoding[:-1], driver="gelsd").solution
    return gain * turn.T, torch.eye(d_model)

# %% correct: queries half a step back, keys half a step on

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"clocks come in pairs of features, got d_model = {d_model}")
    half_angle = 0.5 * 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    hand = torch.polar(torch.full_like(half_angle, math.sqrt(gain)), half_angle)
    even = torch.arange(0, d_model, 2)
    back = torch.zeros(d_model, d_model, dtype=torch.float64)
    back[even, even] = back[even + 1, even + 1] = hand.real
    back[even + 1, even] = hand.imag
    back[even, even + 1] = -hand.imag
    return back.float(), back.T.contiguous().float()

# %% correct: the keys are turned, by a matrix exponential

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    pairs = [10_000 ** (-2 * i / d_model) for i in range(d_model // 2)]
    generator = torch.block_diag(
        *(torch.tensor([[0.0, speed], [-speed, 0.0]], dtype=torch.float64) for speed in pairs)
    )
    on = torch.linalg.matrix_exp(generator)  # takes e(s) to e(s + 1)
    return torch.eye(d_model, dtype=torch.float32), (gain * on).to(torch.float32)
