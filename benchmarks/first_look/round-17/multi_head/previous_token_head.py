# %% wrong: a sum of outer products, as for orthonormal codes
# As in exercise 4.4: each position's code takes the one before it as its answer. The codes of positions are not orthonormal,
# so the scores are sums over all positions. Wrong at every length and width.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    codes = sinusoidal_encoding(d_model, d_model)
    codes = F.normalize(codes, dim=1)
    W_Q = gain * codes.roll(1, dims=0).T @ codes  # position t asks for position t - 1
    return W_Q, torch.eye(d_model)


# %% wrong: blocks for sines first and cosines after
# The rotation is built in quarters, as if the first half of the features were all sines and the second all cosines. The
# course's are interleaved. Right at d_model = 2 only.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    cos, sin = torch.diag(speeds.cos()), torch.diag(speeds.sin())
    rotation = torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)])
    return (gain * rotation).float(), torch.eye(d_model)


# %% wrong: the angles of the wavelengths, not of the speeds
# The blocks turn by 10000^(2i/D), the formula's denominator, and not by one over it. The first clock, and so d_model = 2, is
# right; from d_model = 4 on the others turn by some other angle.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = 10_000 ** (2 * i / d_model)
        c, s = math.cos(angle), math.sin(angle)
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, -s], [s, c]])
    return gain * W_Q, torch.eye(d_model)


# %% wrong: the best score made equal to the gain
# e . e is d_model / 2 at every position, and the scores are divided by it "so that the gain is the gain". The docstring's
# score is gain * e(t - 1) . e(s) as it is. Right at d_model = 2 only.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = [10_000 ** (-2 * i / d_model) for i in range(d_model // 2)]
    blocks = [
        torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]])
        for w in speeds
    ]
    norm = d_model / 2  # of a position's code with itself
    return gain / norm * torch.block_diag(*blocks), torch.eye(d_model)


# %% correct: both turn by half a step, toward each other

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    # the generator of all the rotations: d/dt of (sin wt, cos wt) is (w cos wt, -w sin wt)
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(0, d_model, 2):
        speed = 10_000 ** (-i / d_model)
        generator[i, i + 1], generator[i + 1, i] = speed, -speed
    half_back = torch.linalg.matrix_exp(-0.5 * generator)
    return (gain * half_back).float(), half_back.T.contiguous().float()


# %% correct: only the keys turn, and signs and swaps do the sines

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    feature = torch.arange(d_model)
    partner = feature ^ 1  # the other one of its pair
    pair = torch.div(feature, 2, rounding_mode="floor").double()
    angle = torch.exp(-2 * pair / d_model * math.log(10_000))
    sign = 1.0 - 2.0 * (feature % 2)  # + for a sine, - for a cosine
    # key s turned forward by one: sin(a + b) = cos b sin a + sin b cos a
    W_K = torch.zeros(d_model, d_model, dtype=torch.float64)
    W_K[feature, feature] = angle.cos()
    W_K[feature, partner] = sign * angle.sin()
    root = math.sqrt(gain)
    return root * torch.eye(d_model), (root * W_K).float()
