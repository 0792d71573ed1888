# %% wrong: a difference in one direction
# Moves x forwards only, and divides by step: an error in proportion to step, not to its square.
# Shows for any bent function: for the sum of squares at 1, it says 2.001.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    here = function(x)
    for index in torch.cartesian_prod(*[torch.arange(n) for n in x.shape]).view(-1, x.dim()).tolist():
        nudged = x.detach().clone()
        nudged[tuple(index)] += step
        gradient[tuple(index)] = (function(nudged) - here) / step
    return gradient

# %% wrong: one nudge for a whole row
# The loop runs over the first axis, so in a matrix all entries of a row move together and get the sum of their slopes.
# Shows for every x of two or more axes (unless their sizes after the first are 1).

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        forwards, backwards = x.detach().clone(), x.detach().clone()
        forwards[i] += step
        backwards[i] -= step
        gradient[i] = (function(forwards) - function(backwards)) / (2 * step)
    return gradient

# %% wrong: nudges a copy that the function never sees
# reshape(-1) of a transposed tensor is a copy: the nudge is lost, and every slope comes out as 0.
# Shows for a transposed x, such as torch.randn(3, 4).T.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    moved = x.detach().clone()
    flat = moved.reshape(-1)
    slopes = []
    for i in range(x.numel()):
        value = flat[i].item()
        flat[i] = value + step
        above = function(moved).item()
        flat[i] = value - step
        below = function(moved).item()
        flat[i] = value
        slopes.append((above - below) / (2 * step))
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).view(x.shape)

# %% wrong: nudges x itself, and nudges it back
# + step - 2 step + step does not always give the old number again: rounding leaves the caller's x changed.
# Shows for many x that are no round numbers, such as 0.3 in float32.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    with torch.no_grad():
        for index in torch.ones(x.shape).nonzero().tolist():
            place = tuple(index)
            x[place] += step
            above = function(x)
            x[place] -= 2 * step
            below = function(x)
            x[place] += step
            gradient[place] = (above - below) / (2 * step)
    return gradient

# %% correct: all directions from an identity matrix

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()
    n = here.numel()
    directions = step * torch.eye(n, dtype=x.dtype, device=x.device).reshape(n, *x.shape)
    rises = [function(here + e).detach() - function(here - e).detach() for e in directions]
    return (torch.stack(rises) / (2 * step)).reshape(x.shape)

# %% correct: axis by axis, by recursion over where

# Walks down the axes; at the bottom a boolean table with a single True says which entry moves.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()

    def slopes(place: tuple[int, ...]) -> Tensor:
        if len(place) < here.dim():
            return torch.stack([slopes((*place, i)) for i in range(here.shape[len(place)])])
        chosen = torch.zeros(here.shape, dtype=torch.bool, device=here.device)
        chosen[place] = True
        values = [function(torch.where(chosen, here + h, here)).detach() for h in (step, -step)]
        return (values[0] - values[1]) / (2 * step)

    return slopes(())
