# %% wrong: turned forwards
# The sign of the sine is on the wrong side: W_Q takes e(t) to e(t + 1), so the head looks at the next token.
# The matrix is that of e @ W_Q and not of e @ W_Q.T. Shows for every d_model and every gain but 0.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        w = 10_000 ** (-2 * i / d_model)
        c, s = math.cos(w), math.sin(w)
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, s], [-s, c]])
    return gain * W_Q, torch.eye(d_model)


# %% wrong: the gain on both
# Queries and keys are both multiplied by the gain, so the scores have its square. The same at gain 1 only.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    blocks = [torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]) for b in speeds.tolist()]
    back = torch.block_diag(*blocks)
    return gain * back, gain * torch.eye(d_model)


# %% wrong: made good for the root of d_model
# Multiplies the gain by sqrt(d_model), to cancel the division that comes later; the docstring gives the score
# before that division. Every score is sqrt(d_model) times too large, for every gain but 0.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("no clocks without pairs: d_model must be even")
    turn = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = 1 / 10_000 ** (i / d_model)
        turn[i, i] = turn[i + 1, i + 1] = math.cos(angle)
        turn[i, i + 1], turn[i + 1, i] = -math.sin(angle), math.sin(angle)
    return gain * math.sqrt(d_model) * turn, torch.eye(d_model)


# %% wrong: the turn fitted to some positions
# Solves for the matrix from e(t) to e(t - 1) by least squares over the first 32 positions, in float32: the slow
# clocks have hardly moved there, and far from them (t in the hundreds, d_model 32 or more) it is off.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    encoding = sinusoidal_encoding(33, d_model)  # raises ValueError where d_model is odd
    here, before = encoding[1:], encoding[:-1]
    turn = torch.linalg.pinv(here) @ before  # here @ turn is before
    return gain * turn.T, torch.eye(d_model)


# %% correct: the keys are turned forwards

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    # e(t - 1) . e(s) is e(t) . e(s + 1): the queries stay, and a key says where the place after it stands
    a = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float64)
    W_K = torch.diag(a.cos().repeat_interleave(2))
    beside = torch.stack([a.sin(), torch.zeros_like(a)], dim=1).flatten()[: max(d_model - 1, 0)]
    W_K = W_K + torch.diag(beside, 1) - torch.diag(beside, -1)
    return gain * torch.eye(d_model), W_K.float()


# %% correct: half a step each, from the speeds of the hands

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError("d_model must be even")
    velocity = torch.zeros(d_model, d_model, dtype=torch.float64)  # d/dt e(t) = velocity @ e(t)
    for i in range(pairs):
        speed = 10_000 ** (-i / pairs)
        velocity[2 * i, 2 * i + 1] = speed
        velocity[2 * i + 1, 2 * i] = -speed
    half_back = torch.linalg.matrix_exp(-0.5 * velocity)
    half_on = half_back.mT  # a rotation's transpose turns the other way
    return half_back.float(), (gain * half_on).float()
