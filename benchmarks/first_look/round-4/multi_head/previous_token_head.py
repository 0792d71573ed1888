# %% wrong: the rotation turned the other way
# The signs of the sines are exchanged: the head looks at the token after each position instead of the one before.
# Hint: turn e(3) with your W_Q and compare it with e(2) and with e(4).

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        W_Q[2 * i, 2 * i] = math.cos(b)
        W_Q[2 * i, 2 * i + 1] = math.sin(b)
        W_Q[2 * i + 1, 2 * i] = -math.sin(b)
        W_Q[2 * i + 1, 2 * i + 1] = math.cos(b)
    return gain * W_Q, torch.eye(d_model)


# %% wrong: the gain in both matrices
# Queries and keys are both multiplied by the gain, so the scores have its square; with a gain of one it is right.
# Hint: what does a score become when you double the query and double the key?

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    even = torch.arange(0, d_model, 2)
    odd = even + 1
    angle = 10_000.0 ** (-even / d_model)
    W_Q = torch.zeros(d_model, d_model)
    W_Q[even, even] = angle.cos()
    W_Q[even, odd] = -angle.sin()
    W_Q[odd, even] = angle.sin()
    W_Q[odd, odd] = angle.cos()
    W_K = torch.eye(d_model)
    return gain * W_Q, gain * W_K


# %% wrong: the division by the root undone beforehand
# The scores are multiplied by sqrt(d_model), so that after the division there remains gain * e(t - 1) . e(s). What is
# asked for is that product before the division.
# Hint: read "not yet divided by sqrt(d_model)" once more, and compute one score by hand.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model is odd")
    blocks = []
    for i in range(d_model // 2):
        omega = 1 / 10_000 ** (2 * i / d_model)
        c, s = math.cos(omega), math.sin(omega)
        blocks.append(torch.tensor([[c, -s], [s, c]]))
    back_by_one = torch.block_diag(*blocks)
    return math.sqrt(d_model) * gain * back_by_one, torch.eye(d_model)


# %% wrong: every clock turned by one radian
# One step turns only the first clock by one radian; the others are slower. With two features there is one clock, and it
# is right.
# Hint: by which angle does the hand of clock i move from position t - 1 to t? Look at the titles of the figure.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, not {d_model}")
    c, s = math.cos(1.0), math.sin(1.0)
    block = torch.tensor([[c, -s], [s, c]])
    W_Q = torch.block_diag(*[block] * (d_model // 2))
    return gain * W_Q, torch.eye(d_model)


# %% wrong: a rotation for sines first
# Sine i is paired with feature i + d_model / 2, where other libraries have the cosines. Here they stand side by side.
# Hint: which two features of sinusoidal_encoding share a speed? Only those two belong in one block.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError(f"odd d_model {d_model}")
    half = d_model // 2
    speeds = 10_000.0 ** (-torch.arange(half) / half)
    cos, sin = torch.diag(speeds.cos()), torch.diag(speeds.sin())
    upper = torch.cat([cos, -sin], dim=1)
    lower = torch.cat([sin, cos], dim=1)
    return gain * torch.cat([upper, lower], dim=0), torch.eye(d_model)


# %% correct: the keys turned forward instead of the queries back

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"d_model {d_model} leaves a sine without its cosine")
    forward = torch.zeros(pairs, 2, pairs, 2, dtype=torch.float64)
    for i in range(pairs):
        b = 10_000 ** (-2 * i / d_model)
        forward[i, :, i, :] = torch.tensor([[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]])
    W_K = gain * forward.reshape(d_model, d_model)
    return torch.eye(d_model), W_K.to(torch.float32)


# %% correct: half a step back for the queries and half a step on for the keys

def rotation(d_model: int, steps: float) -> Tensor:
    """The map of e(t) to e(t + steps), as the exponential of its generator, in float64."""
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for sine in range(0, d_model, 2):
        speed = 10_000 ** (-sine / d_model)
        generator[sine, sine + 1] = speed
        generator[sine + 1, sine] = -speed
    return torch.linalg.matrix_exp(steps * generator)


def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    W_Q, W_K = gain * rotation(d_model, -0.5), rotation(d_model, 0.5)
    return W_Q.float(), W_K.float()
