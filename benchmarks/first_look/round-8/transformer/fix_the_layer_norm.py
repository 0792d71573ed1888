# %% wrong: the variance still looks at all tokens
# Half a repair: the mean is the token's own, the variance is still taken over (1, 2). Shows for every x
# with T > 1: position 0 moves when a later token does.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: the variance of a sample
# x.var divides by D - 1 and not by D: all outputs are too small, and D = 1 gives nan.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: eps beside the root
# Divides by sqrt(variance) + eps. Shows with an eps that is not small beside the variance (eps=0.1, or
# x of size 1e-3); a constant token gives nan gradients.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (torch.sqrt(variance) + eps) * weight + bias

# %% wrong: the mean over the tokens
# dim=1 is the axis of the tokens: each feature is normed over the sequence, and the future leaks in as
# before. Shows for every x; with T = 1 the output is the bias alone.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    variance = (x - mean).square().mean(dim=1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% correct: feature by feature, centred twice

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    features = x.unbind(dim=-1)
    count = len(features)
    for _ in range(2):  # the second time takes away what rounding has left of the mean
        mean = sum(features) / count
        features = [feature - mean for feature in features]
    size = (sum(feature * feature for feature in features) / count + eps) ** 0.5
    normed = [feature / size * w + b for feature, w, b in zip(features, weight, bias, strict=True)]
    return torch.stack(normed, dim=-1)

# %% correct: a hypotenuse

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centred = x - x.sum(dim=-1, keepdim=True).div(x.shape[-1])
    deviation = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / math.sqrt(x.shape[-1])
    divisor = torch.hypot(deviation, torch.full_like(deviation, math.sqrt(eps)))
    return torch.addcmul(bias, centred / divisor, weight)
