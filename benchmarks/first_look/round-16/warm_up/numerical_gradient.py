# %% wrong: a whole row is moved at once
# for i in range(len(x)) goes along the first axis only, so that all entries of x[i] move together and share one number.
# Right for one axis; wrong for x of shape (2, 3).

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        nudge = torch.zeros_like(x)
        nudge[i] = step
        gradient[i] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return gradient.detach()


# %% wrong: an entry that was moved is never moved back
# After the backward nudge, entry i stays step below its place while the later entries are measured. Wrong for every
# function whose slope for one entry depends on another, e.g. x[0] * x[1].

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    moved = x.detach().clone(memory_format=torch.contiguous_format)
    flat = moved.view(-1)
    slopes = []
    for i in range(flat.numel()):
        flat[i] += step
        forward = function(moved).item()
        flat[i] -= 2 * step
        backward = function(moved).item()
        slopes.append((forward - backward) / (2 * step))
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).view(x.shape)


# %% wrong: flatten of a transposed tensor is a copy
# clone() keeps the transposed order in memory, and flatten() then copies, so that the nudges never reach what the function
# sees: all zeros for x = torch.randn(3, 2).T.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    moved = x.detach().clone()
    flat, gradient = moved.flatten(), torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
    for i in range(len(flat)):
        here = flat[i].item()
        flat[i] = here + step
        forward = function(moved)
        flat[i] = here - step
        backward = function(moved)
        flat[i] = here
        gradient[i] = (forward - backward) / (2 * step)
    return gradient.detach().reshape(x.shape)


# %% wrong: the caller's x is moved, and moved back only up to rounding
# Plus step, minus two steps, plus step: in floating point that does not always end where it began. x = 0.3 in float32
# comes back changed in its last digit, so x is not left as it was.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    with torch.no_grad():
        for i in torch.cartesian_prod(*map(torch.arange, x.shape)).reshape(-1, x.dim()).tolist():
            i = tuple(i)
            x[i] += step
            forward = function(x)
            x[i] -= 2 * step
            backward = function(x)
            x[i] += step
            gradient[i] = (forward - backward) / (2 * step)
    return gradient


# %% correct: the rows of an identity matrix as nudges

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    base = x.detach()
    gradient = torch.empty(base.shape, dtype=x.dtype, device=x.device)
    eye = torch.eye(base.numel(), dtype=x.dtype, device=x.device)
    for row, unit in enumerate(eye):
        nudge = step * unit.reshape(base.shape)
        difference = function(base + nudge) - function(base - nudge)
        gradient.view(-1)[row] = (difference / (2 * step)).detach()
    return gradient


# %% correct: recursion over the axes

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    base = x.detach()

    def slopes(place: tuple[int, ...]):
        if len(place) < base.dim():
            return [slopes((*place, i)) for i in range(base.shape[len(place)])]
        up, down = base.clone(), base.clone()
        up[place] = up[place] + step
        down[place] = down[place] - step
        return (function(up).item() - function(down).item()) / (2 * step)

    return torch.tensor(slopes(()), dtype=x.dtype, device=x.device)
