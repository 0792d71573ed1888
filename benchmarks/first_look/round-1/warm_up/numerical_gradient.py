# %% wrong: moves x itself and moves it back
# Adds the step to x, takes it away twice, and adds it again: rounding leaves x a little changed, and view(-1) refuses a transposed x. A good message: "x is not what it was, in the last digits: work on a clone".

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    flat, flat_gradient = x.view(-1), gradient.view(-1)
    for i in range(flat.numel()):
        flat[i] += step
        forwards = function(x).item()
        flat[i] -= 2 * step
        backwards = function(x).item()
        flat[i] += step
        flat_gradient[i] = (forwards - backwards) / (2 * step)
    return gradient

# %% wrong: moves whole rows
# Goes over the first axis only: right for a vector; of a matrix it moves all numbers of a row together, and a number without axes has no len. A good message: "right for (n,), wrong for (n, m): one entry at a time, for any shape".

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        plus, minus = x.clone(), x.clone()
        plus[i] += step
        minus[i] -= step
        gradient[i] = (function(plus) - function(minus)) / (2 * step)
    return gradient

# %% wrong: hands the function a flat tensor
# The entries are moved in a flattened copy, and the function gets that flat copy and not the shape of x. A function of a matrix fails on it or computes something else. A good message: "function must get a tensor in the shape of x".

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    flat = x.flatten()
    slopes = []
    for e in torch.eye(len(flat), dtype=x.dtype):
        slopes.append((function(flat + step * e) - function(flat - step * e)) / (2 * step))
    return torch.stack(slopes).reshape(x.shape)

# %% wrong: a copy that is none
# plus and minus are the same clone, so the second move undoes the first before the function is asked; both forward and backward are asked at -step. A good message: "the gradient is zero everywhere: plus and minus are one tensor".

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    gradient = torch.empty_like(x)
    plus = minus = x.detach().clone()
    for place in torch.cartesian_prod(*[torch.arange(n) for n in x.shape]).reshape(x.numel(), -1).tolist():
        place = tuple(place)
        before = x[place].item()
        plus[place] = before + step
        minus[place] = before - step
        gradient[place] = (function(plus) - function(minus)) / (2 * step)
        plus[place] = before
    return gradient

# %% correct: all unit tensors at once from an eye

def numerical_gradient(function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3) -> Tensor:
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    here = x.detach()
    moves = step * torch.eye(x.numel(), dtype=x.dtype, device=x.device).reshape(x.numel(), *x.shape)
    slopes = [(function(here + move).item() - function(here - move).item()) / (2 * step) for move in moves]
    return x.new_tensor(slopes).reshape(x.shape)
