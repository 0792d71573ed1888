# %% wrong: turned forwards
# The sines' signs are exchanged, so W_Q takes e(t) to e(t + 1) and the head looks at the next token.
# Hint: multiply your block by (0, 1), the code of position 0, and compare with the code of position -1.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        speed = 10_000 ** (-2 * i / d_model)
        c, s = math.cos(speed), math.sin(speed)
        W_Q[2 * i, 2 * i], W_Q[2 * i, 2 * i + 1] = c, s
        W_Q[2 * i + 1, 2 * i], W_Q[2 * i + 1, 2 * i + 1] = -s, c
    return gain * W_Q, torch.eye(d_model)


# %% wrong: gain on both sides
# Queries and keys are both multiplied by the gain, so the score has its square; right for gain 1 only.
# Hint: the score is a product; how often does the gain come into it?

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    blocks = []
    for i in range(d_model // 2):
        b = 1 / 10_000 ** (2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]))
    return gain * torch.block_diag(*blocks), gain * torch.eye(d_model)


# %% wrong: the division made good
# Multiplies by the root of d_model so that the gain is what is left after the division; the docstring fixes the score before it.
# Hint: reread what the docstring says the score is not yet divided by.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    even = torch.arange(0, d_model, 2)
    speeds = 10_000.0 ** (-even / d_model)
    turn = torch.zeros(d_model, d_model)
    turn[even, even] = turn[even + 1, even + 1] = speeds.cos()
    turn[even, even + 1] = -speeds.sin()
    turn[even + 1, even] = speeds.sin()
    return gain * math.sqrt(d_model) * turn, torch.eye(d_model)


# %% wrong: fitted on sixteen positions
# The map from e(t) to e(t - 1) is found by least squares from the first sixteen positions: right there, and wrong further on
# for wide encodings, where the docstring says at any length. Hint: compare W_Q e(200) with e(199).

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    encoding = sinusoidal_encoding(16, d_model)
    turn = torch.linalg.pinv(encoding[1:]) @ encoding[:-1]  # encoding[1:] @ turn = encoding[:-1]
    return gain * turn.T.contiguous(), torch.eye(d_model)


# %% correct: the keys go forward, by a matrix exponential

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(0, d_model, 2):
        speed = 10_000 ** (-i / d_model)
        generator[i, i + 1], generator[i + 1, i] = speed, -speed
    forward = torch.linalg.matrix_exp(generator)  # takes e(s) to e(s + 1)
    return torch.eye(d_model), (gain * forward).float()


# %% correct: blocks side by side

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError("d_model must be even")
    angle = torch.pow(10_000.0, -torch.arange(pairs, dtype=torch.float64) / pairs)
    cos, sin = torch.cos(angle), torch.sin(angle)
    blocks = torch.stack([torch.stack([cos, -sin], dim=1), torch.stack([sin, cos], dim=1)], dim=1)
    back = torch.block_diag(*blocks.unbind())
    both = torch.stack([gain * back, torch.eye(d_model, dtype=torch.float64)]).to(torch.float32)
    return both[0], both[1]
