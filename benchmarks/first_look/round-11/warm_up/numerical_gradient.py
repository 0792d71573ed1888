# %% wrong: a forward difference
# One side only, as the primer measured the slope: the error is of the order of step, not of its square. x ** 3 at 1 with
# step 0.1 must give 3.01, here 3.31.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = function(x)
    gradient = torch.zeros_like(x)
    for index in torch.cartesian_prod(*map(torch.arange, x.shape)).reshape(-1, x.dim()).tolist():
        nudged = x.clone()
        nudged[tuple(index)] += step
        gradient[tuple(index)] = (function(nudged) - here) / step
    return gradient

# %% wrong: whole rows are nudged
# x[i] is an entry only where x has one axis: for a matrix all entries of a row move at once, and each gets the row's sum
# of slopes.

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

# %% wrong: x itself goes there and back
# x is nudged in place, and + step, - 2 step, + step need not round back to the same number: 1.0 in float64 with a step of
# 0.1 comes back as 1.0000000000000002, and all later slopes are taken there.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    with torch.no_grad():
        for place in torch.cartesian_prod(*map(torch.arange, x.shape)).reshape(-1, x.dim()).tolist():
            place = tuple(place)
            x[place] += step
            above = function(x)
            x[place] -= 2 * step
            below = function(x)
            x[place] += step
            gradient[place] = (above - below) / (2 * step)
    return gradient

# %% wrong: a flat view that is a copy
# clone() keeps the layout of a transposed x, and reshape(-1) of that is a copy: the nudge never reaches the function, and
# every entry of the gradient is 0. Right for a contiguous x.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        forwards, backwards = x.detach().clone(), x.detach().clone()
        forwards.reshape(-1)[i] += step
        backwards.reshape(-1)[i] -= step
        slopes.append((function(forwards) - function(backwards)) / (2 * step))
    return torch.stack(slopes).reshape(x.shape).to(x.dtype).detach()

# %% correct: the rows of an identity matrix

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    centre = x.detach()
    slopes = centre.new_zeros(centre.numel())
    directions = torch.eye(centre.numel(), dtype=x.dtype, device=x.device).reshape(-1, *x.shape)
    for slope, direction in zip(slopes, directions, strict=True):  # slope is a view
        rise = function(centre + step * direction) - function(centre - step * direction)
        slope.copy_(rise.detach() / (2 * step))
    return slopes.reshape(x.shape)

# %% correct: one axis at a time, by recursion

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    def slope(of: Callable[[Tensor], Tensor], part: Tensor) -> Tensor:
        if part.dim() == 0:
            return ((of(part + step) - of(part - step)) / (2 * step)).detach().to(part.dtype)
        if part.numel() == 0:
            return torch.zeros_like(part)
        rows = []
        for i, row in enumerate(part):
            def with_row(new: Tensor, i: int = i) -> Tensor:
                return of(torch.cat([part[:i], new.unsqueeze(0), part[i + 1 :]]))

            rows.append(slope(with_row, row))
        return torch.stack(rows)

    return slope(function, x.detach())
