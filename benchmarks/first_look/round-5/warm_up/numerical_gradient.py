# %% wrong: entries never moved back
# The probe ends one step below x in every entry that is done, so that the later entries are measured at another place.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    probe = x.detach().clone().contiguous()
    entries = probe.view(-1)
    gradient = torch.zeros_like(entries)
    for i in range(len(entries)):
        entries[i] += step
        above = function(probe.clone())
        entries[i] -= 2 * step
        below = function(probe.clone())
        gradient[i] = (above - below) / (2 * step)
    return gradient.view(x.shape)


# %% wrong: a list of floats made a tensor
# torch.tensor of Python floats is float32, unlike in NumPy: for a float64 x the dtype and half of the digits are lost.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    base = x.detach()
    slopes = []
    for i in range(base.numel()):
        e = torch.zeros(base.numel(), dtype=base.dtype)
        e[i] = 1
        e = e.reshape(base.shape)
        slopes.append((function(base + step * e).item() - function(base - step * e).item()) / (2 * step))
    return torch.tensor(slopes).reshape(base.shape)


# %% wrong: writes through a reshape
# For a transposed x, clone keeps the strides and reshape makes a copy: the entry that is moved is not in the tensor that is asked.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        above, below = x.detach().clone(), x.detach().clone()
        above.reshape(-1)[i] += step
        below.reshape(-1)[i] -= step
        slopes.append(((function(above) - function(below)) / (2 * step)).detach())
    return torch.stack(slopes).reshape(x.shape).to(x.dtype)


# %% wrong: asks autograd
# The exact slope comes back and the step plays no part; a function with a kink or one without a record for backward is not measured at all.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    leaf = x.detach().clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(function(leaf), leaf)
    return gradient


# %% wrong: x itself moved there and back
# The entries of x are moved in place and moved back by arithmetic, which does not give the same number again in floating point.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.empty_like(x)
    places = torch.cartesian_prod(*(torch.arange(n) for n in x.shape)).reshape(-1, x.dim()).tolist()
    with torch.no_grad():
        for place in map(tuple, places):
            x[place] += step
            above = function(x)
            x[place] -= 2 * step
            below = function(x)
            x[place] += step  # back to where it was
            gradient[place] = (above - below) / (2 * step)
    return gradient


# %% correct: a row of directions out of an identity matrix

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    centre, count = x.detach(), x.numel()

    def slope(direction: Tensor) -> Tensor:
        move = step * direction.reshape(centre.shape)
        return (function(centre + move) - function(centre - move)).detach() / (2 * step)

    result = torch.zeros(count, dtype=x.dtype, device=x.device)
    for i, direction in enumerate(torch.eye(count, dtype=x.dtype, device=x.device)):
        result[i] = slope(direction)
    return result.reshape(x.shape)


# %% correct: a dictionary of values at every moved place

from itertools import product


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    values = {}
    indices = list(product(*map(range, x.shape)))
    for index in indices:
        for sign in (1, -1):
            moved = x.detach().clone()
            moved[index] = moved[index] + sign * step
            values[index, sign] = function(moved).detach()
    gradient = x.detach().clone()
    for index in indices:
        gradient[index] = (values[index, 1] - values[index, -1]) / (2 * step)
    return gradient
