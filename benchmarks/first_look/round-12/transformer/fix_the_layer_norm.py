# %% wrong: only the mean mended
# The mean is each position's own now, but the variance is still over all positions.
# Shows for two positions or more whose spreads differ; changing a later token still moves the earlier ones.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: divided by D - 1
# x.var corrects for the sample unless told otherwise, so the variance is divided by D - 1.
# Shows for small D most: D = 2 is off by a root of two, D = 1 gives NaN.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: eps behind the root
# The small number is added to the standard deviation, not to the variance.
# Shows for positions with small variance, or eps=0.1: sqrt(v) + eps is not sqrt(v + eps).

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    deviation = (x - mean).square().mean(dim=2, keepdim=True).sqrt()
    return (x - mean) / (deviation + eps) * weight + bias

# %% wrong: the mean square minus the square of the mean
# The variance is squared first and subtracted then, which cancels where the mean is large.
# Shows for x = 1000 + noise in float32: the variance is off, or negative and the result NaN.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% correct: one position after another

# A loop over all positions as rows; each is centred by itself and stacked again.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    rows = []
    for row in x.reshape(-1, x.shape[-1]).unbind():
        centred = row - row.mean()
        length = torch.sqrt(torch.dot(centred, centred) / len(row) + eps)
        rows.append(torch.addcmul(bias, centred / length, weight))
    return torch.stack(rows).reshape(x.shape)

# %% correct: moments in one call

# var_mean with correction=0 gives both moments of each position; rsqrt and addcmul do the rest.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, torch.rsqrt(variance + eps) * (x - mean), weight)
