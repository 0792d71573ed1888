# %% wrong: turned to the next token
# The rotation is written as in a text book, for (cos, sin), but here the sine stands first: it turns
# forward, and the score is gain * e(t + 1) . e(s). It shows for every width and t.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        speed = 10_000 ** (-2 * i / d_model)
        c, s = math.cos(speed), math.sin(speed)
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, s], [-s, c]])
    return gain * W_Q, torch.eye(d_model)

# %% wrong: makes good for the division
# The gain is multiplied by the root of d_model so that it survives the division later, but the
# promise is about the scores not yet divided. It shows for every width: off by sqrt(d_model).

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    blocks = [torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]]) for w in speeds]
    turn = torch.block_diag(*blocks)
    return gain * math.sqrt(d_model) * turn, torch.eye(d_model)

# %% wrong: fitted on the first positions
# The map from each row to the one before is found by least squares on 64 positions, where the slow
# clocks hardly move and are badly told apart. It shows at t in the hundreds, e.g. for d_model 64.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    encoding = sinusoidal_encoding(64, d_model)
    turn = torch.linalg.lstsq(encoding[1:], encoding[:-1], driver="gelsd").solution.T
    return gain * turn, torch.eye(d_model)

# %% wrong: an odd width is rounded down
# There is no ValueError for an odd d_model: the last feature is just left out. It shows for
# d_model 7, which returns two matrices.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    W_Q, W_K = torch.zeros(d_model, d_model), torch.eye(d_model)
    i = torch.arange(d_model // 2)
    speed = 10_000.0 ** (-2.0 * i / d_model)
    W_Q[2 * i, 2 * i] = gain * torch.cos(speed)
    W_Q[2 * i, 2 * i + 1] = -gain * torch.sin(speed)
    W_Q[2 * i + 1, 2 * i] = gain * torch.sin(speed)
    W_Q[2 * i + 1, 2 * i + 1] = gain * torch.cos(speed)
    return W_Q, W_K

# %% correct: the query half a step back, the key half a step forward
def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, got {d_model}")
    half = [10_000 ** (-2 * i / d_model) / 2 for i in range(d_model // 2)]
    back = torch.block_diag(
        *(
            torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]], dtype=torch.float64)
            for a in half
        )
    )
    root = math.sqrt(gain)
    return (root * back).float(), (root * back.T).float()

# %% correct: the keys turned forward by the exponential of a matrix
def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError("the clocks have two hands' coordinates each")
    even = torch.arange(0, d_model, 2)
    speed = torch.tensor(10_000.0, dtype=torch.float64) ** (-even.double() / d_model)
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    generator[even, even + 1] = speed  # the sine grows by the cosine
    generator[even + 1, even] = -speed
    forward = torch.linalg.matrix_exp(generator)  # e(s) to e(s + 1)
    return torch.eye(d_model), (gain * forward).float()
