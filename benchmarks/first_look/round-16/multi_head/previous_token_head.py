# %% wrong: queries turned back and keys turned on
# Each of the two matrices does the whole turn, in opposite directions, so that they are two steps apart: the scores are
# gain * e(t - 1) . e(s + 1), largest at s = t - 2. Shows for every width.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    W_Q, W_K = torch.zeros(d_model, d_model), torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        b = 10_000 ** (-2 * i / d_model)
        back = torch.tensor([[math.cos(b), -math.sin(b)], [math.sin(b), math.cos(b)]])
        own = slice(2 * i, 2 * i + 2)
        W_Q[own, own] = math.sqrt(gain) * back  # the query is one position earlier
        W_K[own, own] = math.sqrt(gain) * back.T  # the key is asked for from one position later
    return W_Q, W_K


# %% wrong: the gain in both matrices
# Query and key are each multiplied by the gain, and the scores by its square.
# Shows for every gain but 1.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    b = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    turns = torch.stack([b.cos(), -b.sin(), b.sin(), b.cos()], dim=1).view(-1, 2, 2)
    return gain * torch.block_diag(*turns), gain * torch.eye(d_model)


# %% wrong: sines in the first half
# The rotation pairs feature i with feature i + d_model / 2, as for an encoding that puts all sines first; here the two
# of a clock stand side by side. Shows for every d_model above 2.

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    b = 10_000.0 ** (-2 * torch.arange(d_model // 2) / d_model)
    cos, sin = torch.diag(torch.cos(b)), torch.diag(torch.sin(b))
    back = torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)])
    return gain * back, torch.eye(d_model)


# %% wrong: the root multiplied in ahead of time
# The scores will be divided by sqrt(d_model), so the gain is multiplied by it; but the gain is that of the scores not
# yet divided. Shows for every width (they start at 2).

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    W_Q = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        b = 1 / 10_000 ** (i / d_model)
        W_Q[i, i] = W_Q[i + 1, i + 1] = math.cos(b)
        W_Q[i, i + 1], W_Q[i + 1, i] = -math.sin(b), math.sin(b)
    return gain * math.sqrt(d_model) * W_Q, torch.eye(d_model)


# %% correct: half a turn and half a gain in each

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    if d_model % 2:
        raise ValueError("d_model must be even")
    half = 0.5 * torch.exp(-math.log(1e4) * torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    even = torch.arange(0, d_model, 2)
    back = torch.zeros(d_model, d_model, dtype=torch.float64)
    back[even, even] = back[even + 1, even + 1] = half.cos()
    back[even, even + 1], back[even + 1, even] = -half.sin(), half.sin()
    back = (gain**0.5 * back).float()
    return back, back.T.contiguous()


# %% correct: the turn read off the encoding of position 1, given to the keys

def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    first = sinusoidal_encoding(2, d_model)[1]  # sin b, cos b, sin b', cos b', ...
    sin, cos = first[0::2].repeat_interleave(2), first[1::2].repeat_interleave(2)
    columns = []
    for f in range(d_model):
        unit = torch.zeros(d_model)
        # where feature f goes if every hand turns one step on
        unit[f] = cos[f]
        unit[f ^ 1] = -sin[f] if f % 2 == 0 else sin[f]
        columns.append(unit)
    return gain * torch.eye(d_model), torch.stack(columns, dim=1)
