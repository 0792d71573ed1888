# %% wrong: moves x itself and back again
# Each entry goes up, down and up again in place; rounding leaves x a little off, and a strict look finds it changed.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    entries, slopes = x.detach().view(-1), gradient.view(-1)
    for i in range(x.numel()):
        entries[i] += step
        ahead = function(x)
        entries[i] -= 2 * step
        behind = function(x)
        entries[i] += step
        slopes[i] = (ahead - behind).item() / (2 * step)
    return gradient


# %% wrong: the function is given a flat vector
# x is flattened for the loop, and the function gets the flat copies: right for vectors, as in the notebook's figure.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    flat = x.detach().flatten()
    slopes = []
    for i in range(len(flat)):
        forwards, backwards = flat.clone(), flat.clone()
        forwards[i] += step
        backwards[i] -= step
        slopes.append((function(forwards) - function(backwards)) / (2 * step))
    return torch.stack(slopes).reshape(x.shape)


# %% wrong: the answer is always float32
# torch.zeros makes float32, and the slopes of a float64 function are cut to seven digits in it.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    result = torch.zeros(x.shape)
    for i in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=x.dtype)
        e[i] = step
        e = e.view(x.shape)
        result.view(-1)[i] = (function(x + e) - function(x - e)) / (2 * step)
    return result


# %% wrong: the step grows with the entry
# The step is made relative, as numerical libraries do, for entries above 1; the docstring fixes one step for all.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    gradient = torch.empty_like(x).reshape(-1)
    for i, value in enumerate(x.flatten().tolist()):
        h = step * max(1.0, abs(value))
        e = torch.zeros_like(x).reshape(-1)
        e[i] = h
        e = e.reshape(x.shape)
        gradient[i] = (function(x + e) - function(x - e)).item() / (2 * h)
    return gradient.reshape(x.shape)


# %% wrong: asks backward for the slope
# Autograd's gradient in place of central differences: other numbers at large steps, kinks and jumps.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    leaf = x.detach().clone().requires_grad_(True)
    with torch.enable_grad():
        function(leaf).backward()
    return leaf.grad.to(x.dtype)


# %% correct: all directions as rows of an identity

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    start = x.detach()
    directions = torch.eye(x.numel(), dtype=x.dtype, device=x.device).reshape(x.numel(), *x.shape)

    def value(place: Tensor) -> float:
        return function(place).detach().item()

    slopes = [(value(start + step * e) - value(start - step * e)) / (2 * step) for e in directions]
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).reshape(x.shape)


# %% correct: index by index on fresh copies

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    import itertools

    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    def moved(index: tuple[int, ...], by: float) -> Tensor:
        copy = x.detach().clone()
        copy[index] = copy[index] + by
        return copy

    gradient = torch.zeros_like(x, requires_grad=False)
    for index in itertools.product(*(range(size) for size in x.shape)):
        difference = function(moved(index, step)).detach() - function(moved(index, -step)).detach()
        gradient[index] = difference / (2 * step)
    return gradient
