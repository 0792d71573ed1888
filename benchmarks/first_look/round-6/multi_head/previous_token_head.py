# %% wrong: the gain is in both matrices
# Queries and keys are both multiplied by the gain, so that the score has its square; at gain 1 nobody sees it.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        block = [[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]]
        W_Q[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(block)
    W_K = torch.eye(d_model)
    return gain * W_Q, gain * W_K


# %% wrong: fitted to the first positions
# Least squares on sixteen positions takes these one back; where the width is larger than that it is no rotation and fails further on.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    encoding = sinusoidal_encoding(16, d_model)  # raises ValueError for an odd d_model
    here, before = encoding[1:], encoding[:-1]
    one_back = (torch.linalg.pinv(here) @ before).T  # here @ one_back.T is before
    return gain * one_back, torch.eye(d_model)


# %% wrong: sines and cosines in two halves
# The rotation turns feature i with feature i + D/2, as other libraries lay them out; here the pairs are interleaved.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    half = d_model // 2
    speed = 10_000.0 ** (-torch.arange(half) / half)
    cosines, sines = torch.diag(speed.cos()), torch.diag(speed.sin())
    top = torch.cat([cosines, -sines], dim=1)
    bottom = torch.cat([sines, cosines], dim=1)
    return gain * torch.cat([top, bottom], dim=0), torch.eye(d_model)


# %% wrong: makes up for the division by the root
# W_Q is multiplied by the root of d_model in advance; the promised score is the one before any division.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    blocks = []
    for i in range(d_model // 2):
        b = torch.tensor(10_000.0) ** (-2 * i / d_model)
        blocks.append(torch.stack([torch.stack([b.cos(), -b.sin()]), torch.stack([b.sin(), b.cos()])]))
    rotation = torch.block_diag(*blocks)
    return gain * math.sqrt(d_model) * rotation, torch.eye(d_model)


# %% wrong: the matrix is meant without its transpose
# It is made for encoding @ W_Q; nn.Linear multiplies with the transpose, so the hands turn the other way and the head looks one ahead.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speeds = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    even = torch.arange(0, d_model, 2)
    W_Q = torch.zeros(d_model, d_model)
    W_Q[even, even] = torch.cos(speeds)
    W_Q[even, even + 1] = torch.sin(speeds)
    W_Q[even + 1, even] = -torch.sin(speeds)
    W_Q[even + 1, even + 1] = torch.cos(speeds)
    assert torch.allclose(sinusoidal_encoding(5, d_model)[1:] @ W_Q, sinusoidal_encoding(5, d_model)[:-1], atol=1e-4)
    return gain * W_Q, torch.eye(d_model)


# %% correct: the keys are turned on by one

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    onward = torch.zeros(d_model, d_model, dtype=torch.float64)  # e(s) to e(s + 1)
    for row in range(d_model):
        partner = row + 1 if row % 2 == 0 else row - 1
        angle = 10_000 ** (-(row // 2 * 2) / d_model)
        onward[row, row] = math.cos(angle)
        onward[row, partner] = math.sin(angle) if row % 2 == 0 else -math.sin(angle)
    return gain * torch.eye(d_model), onward.float()


# %% correct: a rotation as the exponential of its speeds

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 == 1:
        raise ValueError(f"an odd d_model, {d_model}, has no pairs")
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    speeds = torch.pow(torch.full_like(exponents, 10_000.0), -exponents)
    above = torch.zeros(d_model - 1, dtype=torch.float64)
    above[::2] = speeds
    generator = torch.diag(above, -1) - torch.diag(above, 1)
    back = torch.linalg.matrix_exp(generator)
    return (gain * back).to(torch.float32), torch.eye(d_model, dtype=torch.float32)
