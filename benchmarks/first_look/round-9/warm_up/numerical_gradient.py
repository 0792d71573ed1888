# %% wrong: forwards only
# A one-sided difference, (f(x + h e) - f(x)) / h, whose error goes with h and not with h squared.
# Shows for any function that bends, as the sum of squares: off by h in every entry.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = function(x).item()
    slopes = []
    for i in range(x.numel()):
        moved = x.detach().clone().contiguous()
        moved.view(-1)[i] += step
        slopes.append((function(moved).item() - here) / step)
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).reshape(x.shape)

# %% wrong: moves a whole row
# x[i] is one entry of a vector only; of a matrix it is a row, all of which is moved and gets the same slope.
# Shows for x (2, 3): each row holds the sum of its slopes; and x without axes is an error.

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

# %% wrong: the entry is not put back
# One copy is moved for all entries, and each is left at x - h when the next one's turn comes.
# Shows where the slope of one entry depends on another, as for a product: off by about h.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    moved = x.detach().clone(memory_format=torch.contiguous_format)
    flat = moved.view(-1)
    slopes = []
    for i in range(flat.numel()):
        flat[i] += step
        above = function(moved).item()
        flat[i] -= 2 * step
        below = function(moved).item()
        slopes.append((above - below) / (2 * step))
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).view(x.shape)

# %% wrong: writes into a flat copy
# zeros_like lies in memory as x does; where x is transposed, reshape(-1) of it is a copy, and the slopes go there.
# Shows for x = torch.randn(3, 2).T: the gradient that comes back is zero.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    gradient = torch.zeros_like(x)
    flat_gradient, flat_x = gradient.reshape(-1), x.reshape(-1)
    for i in range(x.numel()):
        e = torch.zeros_like(flat_x)
        e[i] = step
        above, below = (flat_x + e).reshape(x.shape), (flat_x - e).reshape(x.shape)
        flat_gradient[i] = (function(above) - function(below)) / (2 * step)
    return gradient

# %% correct: a stack of moves

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    at = x.detach()
    moves = step * torch.eye(at.numel(), dtype=at.dtype, device=at.device)
    slopes = []
    for move in moves:
        move = move.reshape(at.shape)
        slopes.append((function(at + move) - function(at - move)).detach() / (2 * step))
    return torch.stack(slopes).to(at.dtype).reshape(at.shape)

# %% correct: index by index, each with fresh tensors

import itertools


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    def value_at(index: tuple[int, ...], by: float) -> float:
        moved = x.detach().clone()
        moved[index] = moved[index] + by
        return float(function(moved))

    gradient = torch.full(x.shape, math.nan, dtype=x.dtype, device=x.device)
    for index in itertools.product(*(range(n) for n in x.shape)):
        gradient[index] = (value_at(index, step) - value_at(index, -step)) / (2 * step)
    return gradient
