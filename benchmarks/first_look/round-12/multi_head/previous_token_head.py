# %% wrong: turned forward
# The blocks turn each hand forward by its angle, as one does who takes the usual rotation matrix for (cos, sin) although the
# sine stands first: the head attends to the position after. It shows at every width.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        speed = 10_000 ** (-i / d_model)
        c, s = math.cos(speed), math.sin(speed)
        W_Q[i : i + 2, i : i + 2] = gain * torch.tensor([[c, s], [-s, c]])
    return W_Q, torch.eye(d_model)


# %% wrong: the gain in both matrices
# Queries and keys are both multiplied by gain, so the scores have gain squared. It shows for every gain but 1.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        speed = 10_000 ** (-i / d_model)
        c, s = math.cos(speed), math.sin(speed)
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[c, -s], [s, c]])
    return gain * W_Q, gain * torch.eye(d_model)


# %% wrong: all the hands by the same angle
# Every block turns by one radian, the first clock's angle. It is right for d_model = 2 and wrong for every larger width.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    block = torch.tensor([[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]])
    return gain * torch.block_diag(*[block] * (d_model // 2)), torch.eye(d_model)


# %% wrong: the root put back in
# Multiplies by the root of d_model, so that the gain holds after attention's division. The docstring's score is the one not
# yet divided: too large by that root, at every width.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        speed = 10_000 ** (-i / d_model)
        c, s = math.cos(speed), math.sin(speed)
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[c, -s], [s, c]])
    return gain * math.sqrt(d_model) * W_Q, torch.eye(d_model)


# %% correct: half of the turn and the root of the gain each

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")

    def turned(by: float) -> Tensor:
        angle = by * 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        sine, cosine = angle.sin(), angle.cos()
        blocks = torch.stack([torch.stack([cosine, sine], 1), torch.stack([-sine, cosine], 1)], dim=1)
        return (math.sqrt(gain) * torch.block_diag(*blocks)).float()

    return turned(-0.5), turned(0.5)


# %% correct: the exponential of the generator

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("sines and cosines come in pairs")
    speeds = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float64)
    # d sin / dt = speed cos, d cos / dt = -speed sin: one position back is exp(-generator)
    above = torch.stack([speeds, torch.zeros_like(speeds)], dim=1).flatten()[:-1]
    generator = torch.diag(above, 1) - torch.diag(above, -1)
    back = torch.linalg.matrix_exp(-generator)
    return torch.eye(d_model), (gain * back.mT).float()
