# %% wrong: turned the other way
# The block is transposed "because queries are encoding @ W_Q.T", and the hands go on by one position.
# Shows for every gain: the head attends to the next position, not to the one before.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    turn = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 1 / 10_000 ** (2 * i / d_model)
        turn[2 * i, 2 * i], turn[2 * i, 2 * i + 1] = math.cos(b), -math.sin(b)
        turn[2 * i + 1, 2 * i], turn[2 * i + 1, 2 * i + 1] = math.sin(b), math.cos(b)
    W_Q = gain * turn.T
    W_K = torch.eye(d_model)
    return W_Q, W_K


# %% wrong: the gain in both matrices
# W_Q and W_K both carry the gain, so that the scores have gain squared.
# Shows for every gain but 0 and 1.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    blocks = [torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]]) for w in speeds.tolist()]
    return gain * torch.block_diag(*blocks), gain * torch.eye(d_model)


# %% wrong: the root is undone beforehand
# W_Q is multiplied by sqrt(d_model) against the division that comes later. The docstring gives the score
# before that division. Shows for every gain but 0: the scores are sqrt(d_model) times too large.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError("pairs of sine and cosine need an even d_model")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        speed = 10_000 ** (-i / d_model)
        c, s = math.cos(speed), math.sin(speed)
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[c, -s], [s, c]])
    return gain * math.sqrt(d_model) * W_Q, torch.eye(d_model)


# %% wrong: query and key both turned, towards each other
# The query goes back by one and the key on by one, so that they meet two positions apart.
# Shows for every gain but 0: the score is gain * e(t - 2) . e(s).

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")

    def turn_back(sign: int) -> Tensor:
        matrix = torch.zeros(d_model, d_model)
        for i in range(d_model // 2):
            angle = sign * 10_000 ** (-2 * i / d_model)
            matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = math.cos(angle)
            matrix[2 * i, 2 * i + 1] = -math.sin(angle)
            matrix[2 * i + 1, 2 * i] = math.sin(angle)
        return matrix

    return gain * turn_back(1), turn_back(-1)


# %% correct: the exponential of a velocity

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    half = torch.zeros(d_model, dtype=torch.float64)
    half[::2] = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
    above = torch.diag(half[: d_model - 1], 1)  # sin' = speed * cos; the entries between pairs are zero
    velocity = above - above.T
    return (gain * torch.linalg.matrix_exp(-velocity)).float(), torch.eye(d_model, dtype=torch.float32)


# %% correct: half a step each, and the features in another order

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("an odd number of features has a hand without a partner")
    row = torch.arange(d_model)
    partner = row ^ 1
    angle = 0.5 * torch.pow(torch.tensor(10_000.0, dtype=torch.float64), -(row - row % 2).double() / d_model)
    sign = torch.where(row % 2 == 0, -1.0, 1.0)
    back, on = torch.zeros(2, d_model, d_model, dtype=torch.float64)
    back[row, row] = on[row, row] = angle.cos()
    back[row, partner] = sign * angle.sin()
    on[row, partner] = -sign * angle.sin()
    # the order of the rows is a query's and a key's own affair, as long as it is the same for both
    return (gain * back.flip(0)).float(), on.flip(0).float()
