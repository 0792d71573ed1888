# %% wrong: moves whole rows
# x[i] is an entry only where x has one axis. For x (2, 3) the whole row moves, and every entry of a row gets the sum
# of the row's slopes.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        nudge = torch.zeros_like(x)
        nudge[i] = step
        gradient[i] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return gradient


# %% wrong: moves the caller's x, and moves it back
# There and back by additions does not end where it began: 0.3 + 0.001 - 0.002 + 0.001 differs from 0.3 in its last
# digit. x is not left as it was, e.g. for x = [0.3, -0.5, 1.0, 0.7, -1.2].

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    with torch.no_grad():
        for place in torch.cartesian_prod(*[torch.arange(n) for n in x.shape]).reshape(-1, x.dim()).tolist():
            place = tuple(place)
            x[place] += step
            up = function(x).item()
            x[place] -= 2 * step
            down = function(x).item()
            x[place] += step
            gradient[place] = (up - down) / (2 * step)
    return gradient


# %% wrong: a flat copy that the function never sees
# reshape(-1) of a transposed tensor is a copy: the nudges go into the copy, and the function sees the same numbers
# twice. For x = torch.randn(3, 2).T the gradient is 0 everywhere.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    work = x.detach().clone()
    flat = work.reshape(-1)
    gradient = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
    for i in range(flat.numel()):
        before = flat[i].item()
        flat[i] = before + step
        up = function(work).item()
        flat[i] = before - step
        down = function(work).item()
        flat[i] = before
        gradient[i] = (up - down) / (2 * step)
    return gradient.reshape(x.shape)


# %% wrong: the first value changes with the second nudge
# The function's result may be a view of what it was given, as in lambda x: x[0] or x.squeeze(): it is not read before
# the same memory is moved on, and the difference is 0 instead of 1.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    work = x.detach().clone(memory_format=torch.contiguous_format)
    flat, start = work.view(-1), x.detach().reshape(-1)
    gradient = torch.zeros_like(flat)
    for i in range(len(flat)):
        flat[i] = start[i] + step
        up = function(work)
        flat[i] = start[i] - step
        down = function(work)
        flat[i] = start[i]
        gradient[i] = (up - down) / (2 * step)
    return gradient.view(x.shape)


# %% correct: the rows of an identity matrix as directions
def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()
    directions = torch.eye(x.numel(), dtype=x.dtype, device=x.device).reshape(-1, *x.shape)
    slopes = [float(function(start + step * e)) - float(function(start - step * e)) for e in directions]
    return torch.tensor(slopes, dtype=torch.float64).div(2 * step).to(x).reshape(x.shape)


# %% correct: numbered places, and a choice between moved and unmoved
def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    numbers = torch.arange(x.numel(), device=x.device).reshape(x.shape)
    gradient = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    for i in range(x.numel()):
        here = numbers == i
        ahead = function(torch.where(here, x + step, x)).detach()
        behind = function(torch.where(here, x - step, x)).detach()
        gradient = torch.where(here, (ahead - behind) / (2 * step), gradient)
    return gradient
