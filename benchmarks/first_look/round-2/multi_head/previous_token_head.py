# %% wrong: rotated the other way
# The block is that of +omega, so the head looks one AHEAD. The transpose hides behind symmetric spot checks. A good message: "query 5 looks at key 6, it should look at 4: the rotation turns the wrong way (or is transposed)".

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        b = 10000 ** (-i / d_model)
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]])
    return gain * W_Q, torch.eye(d_model)

# %% wrong: fitted on fifty positions
# W_Q is the least-squares map from e(t) to e(t - 1) over 50 positions: exact there, wrong on longer texts and for wide models, where 50 rows do not determine it. A good message: "right to t = 49, wrong from there on: the rotation is known, there is nothing to fit".

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    encoding = sinusoidal_encoding(50, d_model)
    W_Q = torch.linalg.lstsq(encoding[1:], encoding[:-1], driver="gelsd").solution.T
    return gain * W_Q, torch.eye(d_model)

# %% wrong: the division made good in advance, and the gain twice
# The gain is put into both matrices, and W_K is multiplied by sqrt(d_model) too, though the docstring's score is the one before the division: gain^2 * sqrt(d) comes out. A good message: "the score of (1, 0) is gain * e(0).e(0) = 2 * 4 = 8, not ...".

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        omega = 1 / 10000 ** (2 * i / d_model)
        W_Q[2 * i, 2 * i] = W_Q[2 * i + 1, 2 * i + 1] = math.cos(omega)
        W_Q[2 * i, 2 * i + 1] = -math.sin(omega)
        W_Q[2 * i + 1, 2 * i] = math.sin(omega)
    return gain * W_Q, gain * math.sqrt(d_model) * torch.eye(d_model)

# %% correct: the keys step forward

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model is odd: {d_model}")
    omega = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    forward = torch.zeros(d_model, d_model, dtype=torch.float64)  # e(s) to e(s + 1)
    even = torch.arange(0, d_model, 2)
    forward[even, even] = forward[even + 1, even + 1] = omega.cos()
    forward[even, even + 1] = omega.sin()
    forward[even + 1, even] = -omega.sin()
    return gain * torch.eye(d_model), forward.float()

# %% correct: the exponential of a skew matrix, half a step each

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError("pairs of sine and cosine need an even d_model")
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    speeds = [10000 ** (-2 * i / d_model) for i in range(d_model // 2)]
    generator = torch.block_diag(*(speed * turn for speed in speeds))
    half = torch.linalg.matrix_exp(generator / 2)  # back by half a step
    return (gain * half).float(), half.T.contiguous().float()
