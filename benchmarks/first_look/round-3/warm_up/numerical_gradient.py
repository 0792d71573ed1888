# %% wrong: divided by one step
# The two places lie two steps apart, but the difference is divided by one.
# Breaks the formula of the docstring: every entry is twice too large. Hint: how far apart are x + h and x - h?

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
    for i in range(x.numel()):
        move = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
        move[i] = step
        move = move.view(x.shape)
        gradient[i] = (function(x + move) - function(x - move)) / step
    return gradient.view(x.shape)


# %% wrong: two names for one tensor
# forwards and backwards are both x itself, as = makes no copy, so they are moved there and back and the difference is always 0.
# Breaks the formula, and writes into the caller's x. Hint: print forwards after you have moved backwards; how many tensors are there?

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    flat, gradient = x.reshape(-1), []
    for i in range(x.numel()):
        forwards = flat
        forwards[i] += step
        backwards = flat
        backwards[i] -= step
        difference = function(forwards.view(x.shape)) - function(backwards.view(x.shape))
        gradient.append(difference / (2 * step))
    return torch.stack(gradient).view(x.shape)


# %% wrong: a whole row moves at once
# The loop runs over len(x) and x[i] is a row where x has more than one axis, so all of its entries are moved together.
# Breaks "one entry at a time" and "any shape" (a tensor without axes has no len at all). Hint: try a (2, 3) matrix; how many calls should there be?

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


# %% wrong: a flat view that may be a copy
# moved.reshape(-1) is a view only where the memory lies in order; for a transposed x it is a copy, and moving it moves nothing.
# Breaks "any shape": for a non-contiguous x the gradient is 0. Hint: when does reshape have to copy? Try x.T.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    moved = x.detach().clone()
    flat = moved.reshape(-1)
    slopes = []
    for i in range(flat.numel()):
        before = flat[i].item()
        flat[i] = before + step
        ahead = function(moved).item()
        flat[i] = before - step
        behind = function(moved).item()
        flat[i] = before
        slopes.append((ahead - behind) / (2 * step))
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).view(x.shape)


# %% correct: the unit tensors as rows of the identity

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()
    units = torch.eye(here.numel(), dtype=here.dtype, device=here.device).reshape(-1, *here.shape)
    slopes = here.new_zeros(here.numel())
    for i, unit in enumerate(units):
        ahead, behind = (function(torch.add(here, unit, alpha=sign * step)) for sign in (1, -1))
        slopes[i] = (ahead - behind).detach() / (2 * step)
    return slopes.reshape(here.shape)
