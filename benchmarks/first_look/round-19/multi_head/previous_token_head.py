# %% wrong: turned the other way
# The signs of the sines are exchanged, so the query is e(t + 1) and the head looks at the next token. Shows for any even
# d_model.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        c, s = math.cos(b), math.sin(b)
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, s], [-s, c]])
    return gain * W_Q, torch.eye(d_model)


# %% wrong: the gain in both matrices
# The score is a product of both, so it comes out with gain squared. Shows for every gain but 1.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        c, s = math.cos(b), math.sin(b)
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, -s], [s, c]])
    W_K = torch.eye(d_model)
    return gain * W_Q, gain * W_K


# %% wrong: makes up for the division
# Multiplies by sqrt(d_model), since attention will divide by it. But the promise is about the scores before the division.
# Shows for any d_model.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    b = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    rotation = torch.zeros(d_model, d_model, dtype=torch.float64)
    even = torch.arange(0, d_model, 2)
    rotation[even, even], rotation[even, even + 1] = b.cos(), -b.sin()
    rotation[even + 1, even], rotation[even + 1, even + 1] = b.sin(), b.cos()
    W_Q = gain * math.sqrt(d_model) * rotation
    return W_Q.float(), torch.eye(d_model)


# %% wrong: fitted to the first positions
# Solves for the map from e(t) to e(t - 1) on the first d_model + 1 positions, in float32. The slow clocks hardly move there, so
# the system is badly conditioned and the map wrong further on. Shows for d_model 8 and more at hundreds of positions.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    encoding = sinusoidal_encoding(d_model + 1, d_model)
    # encoding[1:] @ W_Q.T = encoding[:-1]
    W_Q = (torch.linalg.pinv(encoding[1:]) @ encoding[:-1]).T
    return (gain * W_Q).contiguous(), torch.eye(d_model)


# %% correct: half a step each
def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speed = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    quarter = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    # the exponential of a quarter turn times an angle is the turn by that angle
    half = torch.matrix_exp(torch.kron(torch.diag(speed / 2), quarter))
    root = math.sqrt(gain)
    return (root * half).float(), (root * half.T).float()


# %% correct: the keys step forward
def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    pairs, odd = divmod(d_model, 2)
    if odd:
        raise ValueError("each clock takes two features")
    turns = torch.tensor([[10_000 ** (-2 * i / d_model)] for i in range(pairs)], dtype=torch.float64)
    hands = torch.polar(torch.ones_like(turns), turns)
    c, s = hands.real.flatten().tolist(), hands.imag.flatten().tolist()
    W_K = torch.block_diag(*(torch.tensor([[x, y], [-y, x]]) for x, y in zip(c, s, strict=True)))
    return torch.diag(torch.full((d_model,), float(gain))), W_K.to(torch.float32)
