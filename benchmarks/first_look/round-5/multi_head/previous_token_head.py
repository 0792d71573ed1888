# %% wrong: the gain counted twice
# Both matrices are multiplied by the gain, so that the scores have it squared; with a gain of 1 it does not show.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        W_Q[2 * i, 2 * i], W_Q[2 * i, 2 * i + 1] = math.cos(b), -math.sin(b)
        W_Q[2 * i + 1, 2 * i], W_Q[2 * i + 1, 2 * i + 1] = math.sin(b), math.cos(b)
    return gain * W_Q, gain * torch.eye(d_model)


# %% wrong: one matrix with two names
# W_Q and W_K are one tensor, so that the blocks written into W_Q turn the keys as well: the head looks at its own place,
# and the gain is there twice.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    W_Q = W_K = torch.eye(d_model)
    for i in range(0, d_model, 2):
        w = 1 / 10_000 ** (i / d_model)
        block = torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]])
        W_Q[i : i + 2, i : i + 2] = block
    W_Q *= gain
    return W_Q, W_K


# %% wrong: fitted to the first hundred positions
# The matrix is found by least squares in float32 from a hundred rows of the encoding: among them the slow clocks hardly
# move, so that the fit is no rotation and does not hold at every length.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    encoding = sinusoidal_encoding(100, d_model)
    turn = torch.linalg.lstsq(encoding[1:], encoding[:-1], driver="gelsd").solution  # e(t) @ turn = e(t - 1)
    return gain * turn.T, torch.eye(d_model)


# %% wrong: sines in front and cosines behind
# The rotation is built for an encoding whose first half are the sines; here sine and cosine stand side by side, so that
# it mixes clocks of unlike speeds.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    cos, sin = torch.diag(speeds.cos()), torch.diag(speeds.sin())
    turn = torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)], dim=0)
    return gain * turn, torch.eye(d_model)


# %% wrong: the root of a negative gain
# The gain is shared out as its square root to both matrices: for a negative gain, with which the head should look
# anywhere but there, math.sqrt raises an error.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    each = math.sqrt(gain)
    blocks = []
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]))
    return each * torch.block_diag(*blocks), each * torch.eye(d_model)


# %% correct: the exponential of a turning matrix

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"{d_model} features are no pairs")
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for sine in range(0, d_model, 2):
        speed = 10_000 ** (-sine / d_model)
        generator[sine, sine + 1] = -speed
        generator[sine + 1, sine] = speed
    one_back = torch.linalg.matrix_exp(generator)
    return one_back.float(), (gain * torch.eye(d_model, dtype=torch.float64)).float()


# %% correct: half a step for each of the two

def _turn(d_model: int, positions: float) -> Tensor:
    """The matrix that takes e(t) to e(t + positions)."""
    matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        angle = positions / 10_000 ** (2 * i / d_model)
        s, c = 2 * i, 2 * i + 1
        matrix[s, s] = matrix[c, c] = math.cos(angle)
        matrix[s, c] = math.sin(angle)
        matrix[c, s] = -math.sin(angle)
    return matrix


def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("an even d_model is needed")
    W_Q, W_K = _turn(d_model, -0.5), gain * _turn(d_model, 0.5)
    return W_Q.to(torch.float32), W_K.to(torch.float32)
