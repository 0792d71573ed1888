# %% wrong: only the mean is mended
# The variance is still that of the whole sequence, so later tokens still reach earlier ones: "those of each position's own
# D numbers". Shows for T > 1 with positions of different variance.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: divided by D - 1
# x.var has Bessel's correction unless it is switched off; the docstring divides by D. Shows for every x, most for small D; NaN at D = 1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps outside the root
# Adds eps to the deviation, not to the variance. Invisible for variances near one; shows where the variance is about eps
# or below, e.g. x = 1e-3 * randn(1, 2, 8), or with a large eps such as 0.1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (torch.sqrt(variance) + eps) * weight + bias


# %% wrong: mean of squares less square of mean
# In float32 the difference is lost where the mean is large beside the spread: x = 3000 + randn(1, 2, 8) gives numbers far off or NaN
# (a negative variance), where F.layer_norm is right.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: var_mean without correction, one addcmul

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) * torch.rsqrt(variance + eps), weight)


# %% correct: position by position, with dot products

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    width = x.shape[-1]
    rows = []
    for row in x.reshape(-1, width):
        moved = row - row[0]  # a mean may be taken from any origin
        centred = moved - moved.sum() / width
        rows.append(weight * centred / (torch.dot(centred, centred) / width + eps) ** 0.5 + bias)
    return torch.stack(rows).reshape(x.shape)
