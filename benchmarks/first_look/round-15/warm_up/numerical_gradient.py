# %% wrong: the nudge goes into a copy where x is transposed
# `reshape` gives a view of a contiguous x and a copy of a transposed one. In the latter case the function always sees
# the unchanged x, and the gradient is all zeros.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    with torch.no_grad():
        flat = x.reshape(-1)
        slopes = torch.zeros_like(flat)
        for i in range(flat.numel()):
            kept = flat[i].item()
            flat[i] = kept + step
            above = function(x)
            flat[i] = kept - step
            below = function(x)
            flat[i] = kept
            slopes[i] = (above - below) / (2 * step)
        gradient += slopes.view(x.shape)
    return gradient


# %% wrong: the slopes are collected in a list of Python numbers
# torch.tensor makes float32 out of it: for x in float64 the result has another dtype, and eight digits are gone.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        nudge = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
        nudge[i] = step
        nudge = nudge.view(x.shape)
        slopes.append((function(x + nudge) - function(x - nudge)).item() / (2 * step))
    return torch.tensor(slopes, device=x.device).view(x.shape)


# %% wrong: a row is nudged as a whole
# `range(len(x))` walks along the first axis only. For x with two axes all entries of a row move together, and each gets
# the sum of the row's slopes. With one axis it is right.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        above, below = x.detach().clone(), x.detach().clone()
        above[i] += step
        below[i] -= step
        gradient[i] = (function(above) - function(below)) / (2 * step)
    return gradient


# %% wrong: the step is scaled by the entry
# A relative step, as in some libraries. An entry of 0 does not move at all and gives 0/0 = NaN; for others the distance is
# not the one that the docstring fixes (seen for a cubic function and a step of 0.1).

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()
    gradient = torch.zeros_like(start)
    for i in range(start.numel()):
        place = torch.zeros(start.numel(), dtype=x.dtype, device=x.device)
        place[i] = 1
        place = place.view(start.shape)
        distance = step * (start * place).abs().sum()
        change = function(start + distance * place) - function(start - distance * place)
        gradient += place * (change / (2 * distance))
    return gradient


# %% correct: every index tuple, on fresh copies

from itertools import product


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    for place in product(*map(range, x.shape)):
        values = []
        for sign in (1, -1):
            moved = x.detach().clone()
            moved[place] = moved[place] + sign * step
            values.append(function(moved).detach())
        gradient[place] = (values[0] - values[1]) / (2 * step)
    return gradient


# %% correct: the rows of a scaled identity as directions

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()
    nudges = torch.eye(start.numel(), dtype=x.dtype, device=x.device).mul(step)
    nudges = nudges.unflatten(1, start.shape)  # (n, *shape)
    ahead = torch.stack([function(point).detach() for point in (start + nudges).unbind(0)])
    behind = torch.stack([function(point).detach() for point in (start - nudges).unbind(0)])
    return ((ahead - behind) / (2 * step)).to(x.dtype).reshape(start.shape)
