# %% wrong: a flat copy is nudged
# flatten() of a tensor that is not contiguous is a copy, so the nudge never reaches what the function sees. Shows for a transposed x of two
# axes: clone keeps its strides, and the gradient is all zeros.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    with torch.no_grad():
        nudged = x.detach().clone()
        flat = nudged.flatten()
        slopes = []
        for i in range(flat.numel()):
            before = flat[i].item()
            flat[i] = before + step
            above = float(function(nudged))
            flat[i] = before - step
            below = float(function(nudged))
            flat[i] = before
            slopes.append((above - below) / (2 * step))
        return torch.tensor(slopes, dtype=x.dtype, device=x.device).reshape(x.shape)

# %% wrong: the first value changes with the nudge
# The same tensor is nudged forward and then backward in place. A function that returns an entry of its argument returns a view, which has
# moved backward, too, by the time the two are subtracted. Shows for function = lambda x: x[0], x of one axis: all zeros.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    nudged = x.detach().clone(memory_format=torch.contiguous_format)
    gradient = torch.zeros_like(nudged)
    places, slopes = nudged.view(-1), gradient.view(-1)
    for i in range(len(places)):
        kept = places[i].item()
        places[i] = kept + step
        forward = function(nudged)
        places[i] = kept - step
        backward = function(nudged)
        places[i] = kept
        slopes[i] = (forward - backward) / (2 * step)
    return gradient

# %% wrong: a step relative to the entry
# The step is scaled by the size of the entry, as numerical recipes advise, but the docstring fixes it. Shows for entries above 1 in size and a
# function with a third derivative: x ** 3 at x = 10 with step 0.1 (1 instead of 0.01 off).

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach().contiguous()
    gradient = torch.empty_like(start)
    for i in range(start.numel()):
        h = step * max(1.0, abs(start.view(-1)[i].item()))
        up, down = start.clone(), start.clone()
        up.view(-1)[i] += h
        down.view(-1)[i] -= h
        gradient.view(-1)[i] = (function(up) - function(down)) / (2 * h)
    return gradient

# %% wrong: all nudges at once, by vmap
# vmap calls the function once on all nudged points together, but the function may be any: one that looks at its numbers (an if, a loop that
# stops, .item()) cannot be mapped. Shows for function = lambda x: x.sum() if x[0] > 0 else -x.sum() (RuntimeError).

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    nudges = step * torch.eye(x.numel(), dtype=x.dtype, device=x.device).reshape(-1, *x.shape)  # (n, ...)
    values = torch.vmap(function)(torch.cat([x + nudges, x - nudges]))  # (2n,)
    above, below = values.chunk(2)
    return ((above - below) / (2 * step)).reshape(x.shape)

# %% correct: places from itertools.product

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    from itertools import product

    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    center = x.detach()
    gradient = torch.zeros(x.shape, dtype=x.dtype, device=x.device)

    def moved(place, by):
        point = center.clone()
        point[place] += by
        return function(point).detach()

    for place in product(*map(range, x.shape)):
        gradient[place] = (moved(place, step) - moved(place, -step)) / (2 * step)
    return gradient

# %% correct: directions as the rows of an identity, the values as two columns

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    directions = torch.eye(x.numel(), dtype=x.dtype, device=x.device).mul(step)
    values = torch.zeros(x.numel(), 2, dtype=x.dtype, device=x.device)
    for row, direction in zip(values, directions):
        direction = direction.view(x.shape)
        row[0] = function(x - direction).detach()
        row[1] = function(x + direction).detach()
    return values.diff(dim=1).div(2 * step).reshape(x.shape)
