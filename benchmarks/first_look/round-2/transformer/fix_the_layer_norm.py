# %% wrong: divided by D - 1
# Tensor.var divides by D - 1 by default. The leak is gone, the numbers are too small by sqrt((D-1)/D), and D = 1 gives NaN. A good message: "variance: divide by D (correction=0)".

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: the mean mended, the variance not
# Only the mean is each position's own; the variance still runs over all positions, so the future leaks through one number in place of two. A good message: "position 0 still moves when position 5 changes".

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: mean of the squares less the square of the mean
# Right on paper. In float32 a mean that is large beside the spread leaves nothing but rounding (even a negative variance: NaN). A good message: "x + 10,000 should give nearly the same as x; take the squared distances from the mean".

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    variance = x.pow(2).mean(-1, keepdim=True) - mean.pow(2)
    return weight * (x - mean) / (variance + eps).sqrt() + bias

# %% wrong: eps beside the root
# eps is added to the standard deviation, not to the variance: nearly the same for large variances, quite another for small ones. A good message: "for x * 0.001 the result differs: sqrt(variance + eps)".

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    deviation = (x - mean).square().mean(dim=-1, keepdim=True).sqrt()
    return (x - mean) / (deviation + eps) * weight + bias

# %% correct: var_mean and rsqrt

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) * torch.rsqrt(variance + eps), weight)
