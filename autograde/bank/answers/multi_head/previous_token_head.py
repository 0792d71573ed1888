# %% wrong: queries and keys are turned alike, or not at all
# Every position finds itself: a dot product sees only by how much query and key are turned against each other. Turn
# one of them, by one position. See section 5.6.

# --- before
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
# --- after
        W_Q[i : i + 2, i : i + 2] = torch.eye(2)

# %% wrong: turned the other way
# The head looks at the next position: the hands were turned forward, or the matrix was used from the other side
# (nn.Linear multiplies by its transpose), or it was the keys that were turned back. Check it on one row by hand.

# --- before
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
# --- after
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[cos, sin], [-sin, cos]])

# %% wrong: the gain is left out
# The head looks at the right place, but hardly more than at its neighbors: multiply one of the matrices by the gain.

# --- before
    return gain * W_Q, torch.eye(d_model)
# --- after
    return W_Q, torch.eye(d_model)

# %% wrong: every clock turns by one radian
# All hands were turned by the same angle. Only the first clock turns one radian in a position; each has a speed of its
# own.

# --- before
        angle = torch.tensor(10_000.0 ** (-i / d_model))
# --- after
        angle = torch.tensor(1.0)

# %% wrong: the clocks' speeds are those of i / D
# The first clock is turned correctly and the others too far: their exponent is 2i / D, with i counting pairs. Print the
# speeds beside those of sinusoidal_encoding.

# --- before
        angle = torch.tensor(10_000.0 ** (-i / d_model))
# --- after
        angle = torch.tensor(10_000.0 ** (-i / 2 / d_model))

# %% wrong: blocks for all sines first, then all cosines
# The matrix pairs feature j with feature j + D/2. In sinusoidal_encoding sine and cosine of a clock stand side by side.

# --- before
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
# --- after
        j, half = i // 2, d_model // 2
        W_Q[j, j], W_Q[j, j + half] = cos, -sin
        W_Q[j + half, j], W_Q[j + half, j + half] = sin, cos

# %% wrong: fitted to sixteen positions
# A matrix fitted to a few positions does what is asked there and not beyond. The rotation is known exactly and holds
# everywhere: build it from the clocks' angles.

def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    encoding = sinusoidal_encoding(16, d_model)
    turn = torch.linalg.pinv(encoding[1:]) @ encoding[:-1]
    return gain * turn.T, torch.eye(d_model)

# %% wrong: an odd width is let through
# An odd width was cut in silence. The docstring asks for an error there.

# --- before
    if d_model % 2:
# --- after
    d_model -= d_model % 2
    if False:

# %% correct: the keys are turned forward
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError("odd")
    blocks = []
    for i in range(d_model // 2):
        a = torch.tensor(10_000 ** (-2 * i / d_model))
        blocks.append(torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]))
    return gain * torch.eye(d_model), torch.block_diag(*blocks)

# %% correct: half the turn and the root of the gain on each side
def previous_token_head(d_model, gain):
    if d_model % 2 != 0:
        raise ValueError(d_model)
    half = [torch.tensor(0.5 * 10_000.0 ** (-2 * i / d_model)) for i in range(d_model // 2)]
    back = torch.block_diag(*[torch.stack([torch.stack([a.cos(), -a.sin()]), torch.stack([a.sin(), a.cos()])])
                              for a in half])
    return gain**0.5 * back, gain**0.5 * back.T

# %% correct: diagonals
def previous_token_head(d_model, gain):
    if d_model % 2 == 1:
        raise ValueError("an even width is needed")
    angles = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    off = torch.zeros(d_model - 1, dtype=torch.float64)
    off[0::2] = angles.sin()
    W = torch.diag(angles.cos().repeat_interleave(2)) - torch.diag(off, 1) + torch.diag(off, -1)
    return (gain * W).float(), torch.eye(d_model)

# %% correct: the matrix exponential of a slow turn
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError("odd")
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(0, d_model, 2):
        speed = 10_000.0 ** (-i / d_model)
        generator[i, i + 1], generator[i + 1, i] = -speed, speed
    return torch.eye(d_model), gain * torch.linalg.matrix_exp(generator).T.float()

# %% correct: angles read off the encoding itself
def previous_token_head(d_model, gain):
    if d_model % 2:
        raise ValueError("odd")
    sin, cos = sinusoidal_encoding(2, d_model)[1].view(-1, 2).T
    W = torch.diag(cos.repeat_interleave(2))
    i = torch.arange(0, d_model, 2)
    W[i, i + 1], W[i + 1, i] = -sin, sin
    return gain * W, torch.eye(d_model)
