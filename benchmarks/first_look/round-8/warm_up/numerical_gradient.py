# %% wrong: forward difference
# (f(x + h) - f(x)) / h has an error of the order of h where the central difference has h squared: shows for every curved
# function, such as (x**2).sum(), off by h.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here, slopes = function(x), []
    for i in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
        e[i] = 1
        slopes.append((function(x + step * e.reshape(x.shape)) - here) / step)
    return torch.stack(slopes).reshape(x.shape)

# %% wrong: a whole row at a time
# range(len(x)) and e[i] count entries for a vector only: for a matrix x all entries of row i move together, and each gets the
# sum of the row's slopes. (A tensor without axes raises.)

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        e = torch.zeros_like(x)
        e[i] = 1
        gradient[i] = (function(x + step * e) - function(x - step * e)) / (2 * step)
    return gradient

# %% wrong: put back by adding, in place
# The caller's x is moved and moved back with the same steps: (x + h) - 2h + h is x but for rounding, so some entries of x
# differ in the last digits afterwards. (A leaf that requires a gradient raises.)

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i, _ in enumerate(x.flatten()):
        index = tuple(int(k) for k in torch.unravel_index(torch.tensor(i), x.shape))
        x[index] += step
        forwards = function(x)
        x[index] -= 2 * step
        backwards = function(x)
        x[index] += step
        gradient[index] = (forwards - backwards) / (2 * step)
    return gradient

# %% wrong: moves an entry of a copy
# reshape(-1) of a clone is a view only where the clone is contiguous: clone keeps the strides of a transposed x, reshape copies,
# the step is lost, and the gradient of a transposed matrix is zero everywhere.

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    slopes = []
    for i in range(x.numel()):
        forwards, backwards = x.clone(), x.clone()
        forwards.reshape(-1)[i] += step
        backwards.reshape(-1)[i] -= step
        slopes.append((function(forwards) - function(backwards)) / (2 * step))
    return torch.stack(slopes).reshape(x.shape)

# %% correct: the rows of a unit matrix as directions

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    if x.numel() == 0:
        return x.clone()
    directions = torch.eye(x.numel(), dtype=x.dtype, device=x.device).unflatten(1, x.shape or (1,))
    slopes = []
    for direction in directions:
        direction = direction.reshape(x.shape)
        ahead, behind = function(x + step * direction), function(x - step * direction)
        slopes.append((ahead - behind) / (2 * step))
    return torch.stack(slopes).to(x.dtype).reshape(x.shape)

# %% correct: axis by axis, by recursion

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    def slopes(function_of_part, part):
        """The slopes of a function of one part of x; a part with axes is taken apart along its first."""
        if part.dim() == 0:
            slope = (function_of_part(part + step) - function_of_part(part - step)) / (2 * step)
            return slope.to(part.dtype)
        pieces = list(part.unbind(0))
        if not pieces:
            return torch.empty_like(part)

        def with_piece(i):
            return lambda piece: function_of_part(torch.stack(pieces[:i] + [piece] + pieces[i + 1 :]))

        return torch.stack([slopes(with_piece(i), piece) for i, piece in enumerate(pieces)])

    return slopes(lambda whole: function(whole.clone()), x)
