# %% wrong: nudges the caller's tensor and nudges it back
# Works on x itself and trusts that + step - 2 step + step gives the old number back. Rounding leaves x changed in its last
# digits: shows for most x, in float32 and in float64, and as a RuntimeError where x requires a gradient.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for index in torch.cartesian_prod(*map(torch.arange, x.shape)).reshape(-1, x.dim()).tolist():
        place = tuple(index)
        x[place] += step
        above = function(x)
        x[place] -= 2 * step
        below = function(x)
        x[place] += step
        gradient[place] = (above - below) / (2 * step)
    return gradient


# %% wrong: the slopes through a list of numbers
# torch.tensor of Python numbers is float32, whatever x was. Shows for x in float64, the very type that the docstring
# recommends: the result has another dtype, and digits are lost.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        nudge = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
        nudge[i] = step
        nudge = nudge.reshape(x.shape)
        slopes.append((function(x + nudge) - function(x - nudge)).item() / (2 * step))
    return torch.tensor(slopes, device=x.device).reshape(x.shape)


# %% wrong: walks along the first axis only
# range(len(x)) and x[i] reach single entries only where x has one axis. Shows for a matrix: a whole row is moved at once,
# and each of its entries gets the sum of the row's slopes.

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


# %% wrong: a flat view that may be a copy
# zeros_like keeps the memory order of x, so for a transposed x reshape(-1) is a copy and the 1 is written into nothing:
# e stays zero, and so does the gradient. Shows for x.T of any matrix with more than one row and one column.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        e = torch.zeros_like(x)
        e.reshape(-1)[i] = 1
        slopes.append((function(x + step * e) - function(x - step * e)) / (2 * step))
    return torch.stack(slopes).reshape(x.shape).to(x.dtype)


# %% correct: all unit tensors at once, from an identity matrix

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()
    units = torch.eye(start.numel(), dtype=start.dtype, device=start.device)
    moves = step * units.reshape(start.numel(), *start.shape)
    rises = [function(start + move) - function(start - move) for move in moves]
    return (torch.stack(rises).detach() / (2 * step)).reshape(start.shape).to(start.dtype)


# %% correct: recursion over the axes, entries replaced by where

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()

    def slopes(chosen: Tensor, axis: int) -> Tensor:
        """`chosen` is True on a block of entries, from which each axis takes its share."""
        if axis == start.dim():
            above = function(torch.where(chosen, start + step, start))
            below = function(torch.where(chosen, start - step, start))
            return ((above - below) / (2 * step)).detach().to(start.dtype)
        shape = [-1 if other == axis else 1 for other in range(start.dim())]
        numbers = torch.arange(start.shape[axis], device=start.device).reshape(shape)
        return torch.stack(
            [slopes(chosen & (numbers == i), axis + 1) for i in range(start.shape[axis])]
        )

    return slopes(torch.ones_like(start, dtype=torch.bool), 0)
