# %% wrong: divided by two and multiplied by the step
# `/ 2 * step` is (difference / 2) * step: the result is too small by the square of the step, unless the step is 1.
# Hint: try f(x) = 3x by hand with a step of 0.1, in the order in which Python does it.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    gradient = torch.zeros_like(x)
    for index in torch.cartesian_prod(*[torch.arange(n) for n in x.shape]).reshape(-1, x.dim()).tolist():
        e = torch.zeros_like(x)
        e[tuple(index)] = step
        gradient[tuple(index)] = (function(x + e) - function(x - e)) / 2 * step
    return gradient


# %% wrong: entries that were moved are never moved back
# After the step backwards each entry stays there, so every later entry is measured at another point than x. The first
# entry is right, the others are off by about the step.
# Hint: print the point after two entries; where is the first of them?

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    flat = x.detach().reshape(-1).clone()
    gradient = torch.zeros_like(flat)
    for i in range(flat.numel()):
        flat[i] += step
        forwards = function(flat.reshape(x.shape))
        flat[i] -= 2 * step
        backwards = function(flat.reshape(x.shape))
        gradient[i] = (forwards - backwards) / (2 * step)
    return gradient.reshape(x.shape)


# %% wrong: only the first axis is walked along
# `x[i]` is one entry only where x has one axis; in a matrix a whole row moves at once, and all of its entries get the
# sum of their slopes.
# Hint: count how often the function is called for x of shape (2, 3), and how often it should be.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        forwards, backwards = x.clone(), x.clone()
        forwards[i] += step
        backwards[i] -= step
        gradient[i] = (function(forwards) - function(backwards)) / (2 * step)
    return gradient


# %% wrong: the result is always float32
# The differences are taken in float64, and then stored in a tensor of PyTorch's default type: the dtype is not that of
# x, and half of the digits are gone.
# Hint: print the dtype of what you return for x in float64; which line chose it?

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach().reshape(-1)
    gradient = torch.zeros(start.numel())
    for i in range(start.numel()):
        up, down = start.clone(), start.clone()
        up[i] += step
        down[i] -= step
        gradient[i] = (function(up.reshape(x.shape)) - function(down.reshape(x.shape))) / (2 * step)
    return gradient.reshape(x.shape)


# %% wrong: a flattened copy is moved where x is not contiguous
# `flatten` gives a view of a contiguous tensor and a copy of any other: for a transposed x the copy moves, the point
# that the function sees does not, and the gradient is zero everywhere.
# Hint: call it with a matrix and with its transpose, and ask whether changing `entries` always changes `point`.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    point = x.detach().clone()
    entries = point.flatten()
    gradient = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
    for i in range(x.numel()):
        before = entries[i].item()
        entries[i] = before + step
        forwards = function(point).detach()
        entries[i] = before - step
        backwards = function(point).detach()
        entries[i] = before
        gradient[i] = (forwards - backwards) / (2 * step)
    return gradient.reshape(x.shape)


# %% correct: the rows of an identity matrix as directions

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    centre = x.detach()
    count = centre.numel()
    slopes = torch.zeros(count, dtype=x.dtype, device=x.device)
    for i, direction in enumerate(torch.eye(count, dtype=x.dtype, device=x.device)):
        move = step * direction.reshape(centre.shape)
        slopes[i] = ((function(centre + move) - function(centre - move)) / (2 * step)).detach()
    return slopes.reshape(centre.shape)


# %% correct: over all multi-indices with a helper

import itertools


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    base = x.detach()

    def value_with(index: tuple[int, ...], change: float) -> Tensor:
        moved = base.clone()
        moved[index] = base[index] + change
        return function(moved).detach()

    result = torch.empty_like(base)
    for index in itertools.product(*(range(size) for size in base.shape)):
        result[index] = (value_with(index, step) - value_with(index, -step)) / (2 * step)
    return result
