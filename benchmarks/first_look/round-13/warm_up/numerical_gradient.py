# %% wrong: forward difference
# (f(x + h) - f(x)) / h bends with the function: for x ** 3 it is off by about 3 x h, where the central
# difference is off by h ** 2.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = function(x)
    slopes = []
    for i in range(x.numel()):
        nudge = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
        nudge[i] = step
        slopes.append((function(x + nudge.view(x.shape)) - here) / step)
    return torch.stack(slopes).view(x.shape)


# %% wrong: collected in float32
# torch.zeros(x.shape) has the default dtype: for float64 x the gradient comes back as float32, cut to seven
# digits.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros(x.shape)
    flat = gradient.view(-1)
    for i in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=x.dtype)
        e[i] = 1
        e = e.reshape(x.shape)
        flat[i] = (function(x + step * e) - function(x - step * e)) / (2 * step)
    return gradient


# %% wrong: a nudge is never taken back
# Entry i stays at x - step while the later ones are measured. Shows for functions whose entries act together,
# such as x.prod(), the more the larger the step.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    moved = x.detach().clone().contiguous()
    places, gradient = moved.view(-1), []
    for i in range(len(places)):
        places[i] += step
        above = function(moved).item()
        places[i] -= 2 * step
        below = function(moved).item()
        gradient.append((above - below) / (2 * step))
    return torch.tensor(gradient, dtype=x.dtype, device=x.device).view(x.shape)


# %% wrong: nudges that reach a copy only
# reshape(-1) of a tensor that is not contiguous is a copy: x.t() is never nudged, and its gradient is all 0.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = []
    with torch.no_grad():
        flat = x.reshape(-1)
        for i in range(flat.numel()):
            old = flat[i].clone()
            flat[i] = old + step
            above = function(x)
            flat[i] = old - step
            below = function(x)
            flat[i] = old
            gradient.append((above - below) / (2 * step))
    return torch.stack(gradient).reshape(x.shape)


# %% correct: the unit vectors as rows of an identity

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()
    slopes = []
    for row in step * torch.eye(here.numel(), dtype=x.dtype, device=x.device):
        nudge = row.reshape(here.shape)
        slopes.append((function(here + nudge) - function(here - nudge)).detach())
    return (torch.stack(slopes) / (2 * step)).to(x.dtype).reshape(here.shape)


# %% correct: by coordinates, with a fresh copy for each call

import itertools


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    def value(place, distance):
        moved = x.detach().clone(memory_format=torch.contiguous_format)
        moved[place] += distance
        return float(function(moved))

    result = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for place in itertools.product(*(range(size) for size in x.shape)):
        result[place] = (value(place, step) - value(place, -step)) / (2 * step)
    return result
