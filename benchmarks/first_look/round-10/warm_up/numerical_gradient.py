# %% wrong: forwards only
# The difference is taken to the place itself, not to the one a step behind: (f(x + h) - f(x)) / h. It is off by half of h times the second
# derivative, so x**3 at 2 with step 0.1 gives 12.61 where central differences give 12.01.


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()
    start = function(here.clone())
    slopes = []
    for i in range(here.numel()):
        moved = here.flatten().clone()
        moved[i] += step
        slopes.append((function(moved.reshape(x.shape)) - start) / step)
    return torch.stack(slopes).reshape(x.shape).detach()


# %% wrong: a whole row is moved at once
# x[i] is one entry only where x has one axis. For x (2, 3) all three entries of a row are moved together and each gets the sum of the three
# slopes, in place of its own.


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        forwards, backwards = x.clone(), x.clone()
        forwards[i] += step
        backwards[i] -= step
        gradient[i] = (function(forwards) - function(backwards)) / (2 * step)
    return gradient


# %% wrong: written into a copy that reshape has made
# zeros_like takes over how x lies in memory, and reshape(-1) of a transposed tensor is a copy, so the slopes are written into nothing: for
# x = y.T with both sizes above 1 all of the gradient is zero (and function is asked about x itself, twice). For contiguous x all is well.


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        forwards, backwards = x.clone(), x.clone()
        forwards.reshape(-1)[i] += step
        backwards.reshape(-1)[i] -= step
        gradient.reshape(-1)[i] = (function(forwards) - function(backwards)) / (2 * step)
    return gradient


# %% wrong: moved in place there, back and home again
# x itself is moved by step, -2 step and step. In floating point that does not end where it began: x is changed in its last digits (float32
# 0.3 with step 0.1 and most random x), while "x is left as it was" is promised; a leaf that requires a gradient raises RuntimeError.


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for place in torch.ones_like(x).nonzero().tolist():
        place = tuple(place)
        x[place] += step
        forwards = function(x).item()
        x[place] -= 2 * step
        backwards = function(x).item()
        x[place] += step
        gradient[place] = (forwards - backwards) / (2 * step)
    return gradient


# %% correct: entries numbered, the one with the right number moved


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()
    numbers = torch.arange(here.numel(), device=here.device).reshape(here.shape)
    gradient = torch.zeros_like(here)
    for i in range(here.numel()):
        ahead = function(torch.where(numbers == i, here + step, here))
        behind = function(torch.where(numbers == i, here - step, here))
        slope = ((ahead - behind) / (2 * step)).detach().to(here.dtype)
        gradient = torch.where(numbers == i, slope, gradient)
    return gradient


# %% correct: recursion over the axes


def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    origin = x.detach()
    answer = torch.empty_like(origin)

    def shifted(place, by):
        other = origin.clone(memory_format=torch.contiguous_format)
        other[place] = origin[place] + by
        return function(other)

    def visit(place):
        if len(place) == origin.dim():
            answer[place] = ((shifted(place, step) - shifted(place, -step)) / (2 * step)).detach()
            return
        for i in range(origin.shape[len(place)]):
            visit((*place, i))

    visit(())
    return answer
