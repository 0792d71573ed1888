# %% wrong: the gain in both matrices
# Query and key are each multiplied by the gain, so the score has its square. Nothing shows at gain 1.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        cos, sin = math.cos(b), math.sin(b)
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
    return gain * W_Q, gain * torch.eye(d_model)


# %% wrong: the speeds with i in the place of 2i
# Clock i turns by 10000^(-i / d_model) in the matrix and by 10000^(-2i / d_model) in the encoding. Only the first clock fits, so d_model = 2 is
# right and every larger width is not.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    blocks = []
    for i in range(d_model // 2):
        b = 1 / 10_000 ** (i / d_model)
        blocks.append(torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]))
    return gain * torch.block_diag(*blocks), torch.eye(d_model)


# %% wrong: a reflection for the rotation
# Both sines have a minus. [[cos, -sin], [-sin, cos]] is not a rotation at all: at t = 0 it gives the hand of -1, at other positions neither
# the direction nor the length is right.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}, and odd")
    speed = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    W_Q = torch.diag(speed.cos().repeat_interleave(2))
    for i, sine in enumerate(speed.sin().tolist()):
        W_Q[2 * i, 2 * i + 1] = -sine
        W_Q[2 * i + 1, 2 * i] = -sine
    return (gain * W_Q).float(), torch.eye(d_model)


# %% wrong: all sines first, then all cosines
# The rotation mixes column i with column i + D / 2, as libraries with another layout have it. Here sine and cosine of one clock are neighbours,
# so from d_model = 4 on other clocks are mixed.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    half = d_model // 2
    turn = torch.tensor([10_000 ** (-2 * i / d_model) for i in range(half)])
    cos, sin = torch.diag(turn.cos()), torch.diag(turn.sin())
    W_Q = torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)])
    return gain * W_Q, torch.eye(d_model)


# %% correct: half a step each, and the root of the gain

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")

    def turned(steps: float) -> Tensor:
        """Takes e(t) to the root of the gain times e(t + steps)."""
        matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
        for i in range(0, d_model, 2):
            angle = steps * 10_000.0 ** (-i / d_model)
            matrix[i, i] = matrix[i + 1, i + 1] = math.cos(angle)
            matrix[i, i + 1], matrix[i + 1, i] = math.sin(angle), -math.sin(angle)
        return (math.sqrt(gain) * matrix).float()

    return turned(-0.5), turned(0.5)


# %% correct: the keys turn forward, by a matrix exponential

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = torch.zeros(max(d_model - 1, 0), dtype=torch.float64)
    speeds[0::2] = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    # d/dt of (sin, cos) is speed * (cos, -sin)
    motion = torch.diag(speeds, 1) - torch.diag(speeds, -1)
    forward = torch.linalg.matrix_exp(motion)  # e(s) -> e(s + 1); and e(t) . e(s + 1) = e(t - 1) . e(s)
    return (gain * torch.eye(d_model, dtype=torch.float64)).float(), forward.float()
