# %% wrong: the gain is in both matrices
# The score is gain squared times e(t - 1) . e(s). Right for gain = 1 alone.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        W_Q[2 * i, 2 * i], W_Q[2 * i, 2 * i + 1] = math.cos(b), -math.sin(b)
        W_Q[2 * i + 1, 2 * i], W_Q[2 * i + 1, 2 * i + 1] = math.sin(b), math.cos(b)
    return gain * W_Q, gain * torch.eye(d_model)


# %% wrong: the root of d_model is put in
# The scores are larger by sqrt(d_model), so that after the division they are as asked for; but the docstring says "not yet
# divided by sqrt(d_model)". Shows for every d_model.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    blocks = []
    for i in range(d_model // 2):
        w = 1 / 10_000 ** (2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]]))
    turn = torch.block_diag(*blocks)
    return gain * math.sqrt(d_model) * turn, torch.eye(d_model)


# %% wrong: sines in the first half
# The rotation is written for an encoding with all sines first and all cosines behind; the course's are interleaved. Right for
# d_model = 2, wrong from 4 on.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speed = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    cos, sin = torch.diag(speed.cos()), torch.diag(speed.sin())
    turn = torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)], dim=0)
    return gain * turn, torch.eye(d_model)


# %% wrong: fitted on sixty-four positions
# The map from e(t) to e(t - 1) by least squares: slow clocks hardly move in 64 positions, so the fit is exact there and
# not beyond. Shows for d_model = 32 at length 2,048 ("at any length").

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    encoding = sinusoidal_encoding(64, d_model)
    turn = torch.linalg.lstsq(encoding[1:], encoding[:-1], driver="gelsd").solution.T
    return (gain * turn).float(), torch.eye(d_model)


# %% correct: half the turn and the root of the gain in each

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")

    def turned_by(positions: float) -> Tensor:
        angle = positions * 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
        even = torch.arange(0, d_model, 2)
        matrix[even, even] = matrix[even + 1, even + 1] = angle.cos()
        matrix[even, even + 1] = angle.sin()
        matrix[even + 1, even] = -angle.sin()
        return (math.sqrt(gain) * matrix).to(torch.float32)

    return turned_by(-0.5), turned_by(0.5)


# %% correct: the keys go one on, by the exponential of a generator

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    pairs, odd = divmod(d_model, 2)
    if odd:
        raise ValueError("an odd number of features")
    speed = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(pairs)], dtype=torch.float64)
    step = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    forwards = torch.linalg.matrix_exp(torch.kron(torch.diag(speed), step))  # e(s) to e(s + 1)
    return torch.eye(d_model, dtype=torch.float32), (gain * forwards).to(torch.float32)
