# %% wrong: one side alone
# The forward difference, divided by step: off by half the second derivative times step. For (x**2).sum() at step 0.1
# every entry is 0.1 too large.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = function(x.detach())
    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        moved = x.detach().clone().reshape(-1)
        moved[i] += step
        gradient.view(-1)[i] = (function(moved.reshape(x.shape)) - here) / step
    return gradient


# %% wrong: rows for entries
# range(len(x)) walks the first axis, so a matrix is moved by whole rows and each of a row's entries gets the row's sum.
# Right for a vector, wrong for (2, 3), an error for a tensor without axes.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        forwards, backwards = x.clone(), x.clone()
        forwards[i] += step
        backwards[i] -= step
        gradient[i] = (function(forwards) - function(backwards)) / (2 * step)
    return gradient


# %% wrong: copies made once
# The two copies are made before the loop and never moved back: from the second entry on, the earlier moves are still in.
# Right for a single entry, wrong for x of two.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    forwards = x.detach().clone().contiguous()
    backwards = x.detach().clone().contiguous()
    gradient = []
    for i in range(x.numel()):
        forwards.view(-1)[i] += step
        backwards.view(-1)[i] -= step
        gradient.append((function(forwards) - function(backwards)) / (2 * step))
    return torch.stack(gradient).reshape(x.shape).to(x.dtype)


# %% wrong: collected in float32
# torch.tensor of Python floats is float32: for x in float64 neither the dtype nor the last eight digits are right.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=x.dtype)
        e[i] = step
        e = e.reshape(x.shape)
        slopes.append((function(x + e).item() - function(x - e).item()) / (2 * step))
    return torch.tensor(slopes).reshape(x.shape)


# %% correct: unit tensors out of a unit matrix

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()
    moves = step * torch.eye(x.numel(), dtype=x.dtype, device=x.device).reshape(x.numel(), *x.shape)
    slopes = [(function(start + move).detach() - function(start - move).detach()) / (2 * step) for move in moves]
    return torch.stack(slopes).reshape(x.shape).to(x.dtype) if slopes else torch.zeros_like(start)


# %% correct: odometer of indices

import itertools


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x.detach())
    for index in itertools.product(*map(range, x.shape)):
        ends = []
        for sign in (1, -1):
            moved = x.detach().clone()
            moved[index] = moved[index] + sign * step
            ends.append(function(moved).detach())
        gradient[index] = ends[0].sub(ends[1]).div(2 * step)
    return gradient
